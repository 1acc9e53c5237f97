#!/usr/bin/env bash
# sanitize.sh [PYTEST-ARGUMENT...]: the tests of the codec against kernels built with AddressSanitizer and
# UndefinedBehaviorSanitizer, in a copy of the sources below build/, so that the usual build stays as it is.
# Any report ends the run with an error. PYTHON=... names the interpreter, VENV=... the environment.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/system.sh

venv=$(realpath -sm "${VENV:-.venv-sanitize}")
tree=build/sanitize
tests=(tests/hostile tests/records tests/log tests/ancient tests/messages tests/test_varint.py tests/test_crc.py)
[ $# -eq 0 ] || tests=("$@")

command -v gcc >/dev/null || install_packages "there is no C compiler." gcc libc6-dev
asan=$(gcc -print-file-name=libasan.so) ubsan=$(gcc -print-file-name=libubsan.so)
[ -e "$asan" ] && [ -e "$ubsan" ] || die "gcc's sanitizer libraries are missing: install libasan and libubsan."

# The dependencies only: the package itself is built in the copy.
if [ ! -x "$venv/bin/python" ]; then
  "${PYTHON:-python3}" -m venv "$venv"
  say "installing the tests' dependencies into $venv; the first time takes some minutes"
  "$venv/bin/python" -m pip install -q --upgrade "pip>=25.1"
fi
"$venv/bin/python" - >"$venv/requirements.txt" <<'END'
import sys
if sys.version_info < (3, 11):
    sys.exit("make sanitize needs Python 3.11 or later: PYTHON=python3.13 make sanitize")
import tomllib
project = tomllib.load(open("pyproject.toml", "rb"))
print(*project["project"]["dependencies"], *project["build-system"]["requires"], *project["dependency-groups"]["test"], sep="\n")
END
"$venv/bin/python" -m pip install -q -r "$venv/requirements.txt"

say "building the kernels with the sanitizers in $tree"
rm -rf "$tree"
mkdir -p "$tree"
cp -r kafkawire tests bench docs examples fuzz setup.py pyproject.toml README.md LICENSE "$tree"
for unit in "$tree"/kafkawire/*.pyx; do rm -f "${unit%.pyx}.c"; done
rm -rf "$tree/fuzz/corpus" "$tree/fuzz/findings"
find "$tree" -name '*.so' -delete
flags="-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined"
(cd "$tree" && CC=gcc LDSHARED="gcc -shared" KAFKAWIRE_CFLAGS="$flags" KAFKAWIRE_LDFLAGS="-fsanitize=address,undefined" \
  "$venv/bin/python" setup.py -q build_ext --inplace >build.log 2>&1) ||
  { tail -n 30 "$tree/build.log" >&2; die "the build failed, see above"; }

# PYTHONMALLOC=malloc: every bytes object is a block of its own, so that reading past it is seen.
# Left out: the pure twin and the test that asks it, a test that measures seconds, those that make allocations fail in
# the interpreter, and the one that runs Java, which the sanitizers do not go with.
# A leak check at the end would report the interpreter's own; tests/hostile looks for ours.
say "running the tests with the sanitizers: ${tests[*]}"
cd "$tree"
LD_PRELOAD="$asan $ubsan" PYTHONMALLOC=malloc \
  ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=16:${ASAN_OPTIONS:-}" \
  UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1:${UBSAN_OPTIONS:-}" KAFKAWIRE_SANITIZED=1 \
  "$venv/bin/python" -m pytest -q -p no:cacheprovider "${tests[@]}" -k "not pure" \
  --deselect tests/records/test_compression.py::test_bombs \
  --deselect tests/hostile/test_short_of_memory.py \
  --deselect tests/hostile/test_against_java.py::test_same_verdict_and_values \
  --deselect tests/hostile/test_inputs.py::test_twins_agree
