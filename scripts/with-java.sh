#!/usr/bin/env bash
# with-java.sh jre|jdk+maven COMMAND...: run a command with a Java that Spark and Kafka run on, 17 or later.
# Looks at JAVA_HOME, the PATH and the usual places, and installs Java where nothing fits and that is allowed.
set -euo pipefail
. "$(dirname "$0")/system.sh"

need=$1
shift
[ "$need" = jre ] && tool=java || tool=javac

# The major version of the Java in a directory such as /usr/lib/jvm/x; 0 if it has none, or lacks the tool.
version_of() {
  [ -x "$1/bin/java" ] && [ -x "$1/bin/$tool" ] || { echo 0; return; }
  "$1/bin/java" -version 2>&1 | sed -n 's/.* version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' | head -n 1 | grep . || echo 0
}

find_java() {
  local path home
  path=$(command -v java || true)
  [ -z "$path" ] || path=$(dirname "$(dirname "$(readlink -f "$path")")")
  # Spark is tested on 17 and 21: these before anything newer that happens to lie around.
  for home in "${JAVA_HOME:-}" "$path" /usr/lib/jvm/*-17-* /usr/lib/jvm/*-21-* /usr/lib/jvm/*; do
    [ -n "$home" ] && [ "$(version_of "$home")" -ge 17 ] && { echo "$home"; return; }
  done
  return 1
}

if ! home=$(find_java); then
  kind=$([ "$need" = jre ] && echo jre || echo jdk)
  package=default-$kind-headless
  for version in 17 21; do
    apt-cache show "openjdk-$version-$kind-headless" >/dev/null 2>&1 && { package=openjdk-$version-$kind-headless; break; }
  done
  install_packages "Java 17 or later was not found (JAVA_HOME=${JAVA_HOME:-not set})." "$package"
  home=$(find_java) || die "Java was installed, and is still not found. Set JAVA_HOME to a Java 17 or later."
fi
export JAVA_HOME=$home PATH=$home/bin:$PATH

if [ "$need" != jre ] && ! command -v mvn >/dev/null; then
  # Maven brings the jars of the broker that tests talk to; without it those tests are skipped, and say so.
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    install_packages "Maven was not found." maven
  else
    say "Maven was not found: the tests with a real broker will be skipped. To have them:  sudo apt-get install -y maven"
  fi
fi
exec "$@"
