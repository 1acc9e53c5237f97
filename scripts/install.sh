#!/usr/bin/env bash
# install.sh VENV STAMP GROUP...: a virtual environment with kafkawire compiled in place and these dependency groups.
# PINS=requirements/ci.txt: what that file says instead of the groups, checked by hashes (see make pins).
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/system.sh

venv=$1 stamp=$2
shift 2
python=${PYTHON:-python3}

command -v "$python" >/dev/null || die "$python was not found. Python 3.10 or later is needed; PYTHON=... names another."
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
  die "$("$python" --version) is too old, 3.10 or later is needed. PYTHON=... names another: make demo PYTHON=python3.12"

if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  "$python" -c 'import venv, ensurepip' 2>/dev/null ||
    install_packages "Python $version cannot make virtual environments." "python$version-venv"
  say "making the virtual environment $venv with $("$python" --version)"
  "$python" -m venv --clear "$venv" || die "$python -m venv $venv failed, see above."
fi

if [ "${KAFKAWIRE_PURE_PYTHON:-0}" = 0 ]; then
  cc=$("$venv/bin/python" -c 'import os, sysconfig; print((os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0])')
  if ! command -v "$cc" >/dev/null; then
    command -v gcc >/dev/null || install_packages "there is no C compiler." gcc libc6-dev
    command -v "$cc" >/dev/null || export CC=gcc # Python was built with a compiler that is not here
  fi
  header=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h
  [ -e "$header" ] || install_packages "Python's C headers are missing." \
    "$("$venv/bin/python" -c 'import sys; print("python%d.%d-dev" % sys.version_info[:2])')"
fi

groups=()
for group in "$@"; do groups+=(--group "$group"); done
say "installing kafkawire ($*) into $venv; the first time takes some minutes"
log=$venv/install.log
run() { "$venv/bin/python" -m pip --disable-pip-version-check install "$@" >>"$log" 2>&1 || {
  grep -v '^ *$' "$log" | tail -n 25 >&2
  die "the installation failed, see above; all of it is in $log"
}; }
: >"$log"
run --upgrade "pip>=25.1" # the first that knows dependency groups
if [ -n "${PINS:-}" ]; then
  # What others publish meanwhile does not come in: every package as it was when `make pins` was run.
  run --require-hashes --requirement "$PINS"
  run --no-deps --no-build-isolation --editable .
else
  run --editable . "${groups[@]}"
fi
touch "$stamp"
