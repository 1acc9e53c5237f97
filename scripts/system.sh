# Sourced by the other scripts: what they say, and system packages.

say() { printf 'kafkawire: %s\n' "$*" >&2; }

die() { say "$@"; exit 1; }

# install_packages WHY PACKAGE...: through apt-get where that is allowed, else the one command to run is said.
install_packages() {
  local why=$1
  shift
  if ! command -v apt-get >/dev/null; then
    die "$why Install it with the system's package manager (on Debian: apt-get install $*), then run this again."
  fi
  if [ "$(id -u)" != 0 ]; then
    die "$why Run this, then try again:  sudo apt-get install -y $*"
  fi
  say "$why Installing $* ..."
  local log
  log=$(mktemp)
  if ! { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; } >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    rm -f "$log"
    die "apt-get could not install them. Run it by hand, then try again:  apt-get install -y $*"
  fi
  rm -f "$log"
}
