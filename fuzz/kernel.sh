#!/usr/bin/env bash
# kernel.sh SECONDS [LIBFUZZER-ARGUMENT...]: libFuzzer around the compiled kernels, built by clang with coverage,
# AddressSanitizer and UndefinedBehaviorSanitizer in a copy of the sources below build/. Needs clang with compiler-rt
# (Debian: apt-get install clang-16 libclang-rt-16-dev) and an environment with the dependencies: VENV=...
# The corpus grows in build/kernel-fuzz/corpus, from the seeds of fuzz/seeds.py; what is found stays beside it.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/system.sh

seconds=${1:-60}
shift || true
python=$(realpath -s "${VENV:-.venv}/bin/python")
tree=build/kernel-fuzz
clang=${CLANG:-}
for name in clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14; do
  [ -n "$clang" ] || ! command -v "$name" >/dev/null || clang=$name
done
[ -n "$clang" ] || die "there is no clang: apt-get install clang-16 libclang-rt-16-dev, or CLANG=..."
[ -x "$python" ] || die "no interpreter $python: make fuzz makes one, or VENV=..."

say "building the kernels with $clang in $tree"
mkdir -p "$tree/corpus" "$tree/findings"
rm -rf "$tree/kafkawire" "$tree/tests" "$tree/fuzz"
cp -r kafkawire tests fuzz setup.py pyproject.toml README.md LICENSE "$tree"
find "$tree/kafkawire" -name '*.so' -delete
for unit in "$tree"/kafkawire/*.pyx; do rm -f "${unit%.pyx}.c"; done
checks="address,undefined"
flags="-O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=undefined -fsanitize=fuzzer-no-link,$checks"
(cd "$tree" && CC="$clang" LDSHARED="$clang -shared" KAFKAWIRE_CFLAGS="$flags" \
  "$python" setup.py -q build_ext --inplace >build.log 2>&1) || { tail -n 30 "$tree/build.log" >&2; die "see above"; }

config=$("$python" -c 'import sys, sysconfig
get = sysconfig.get_config_var
version = get("LDVERSION") or "%d.%d" % sys.version_info[:2]
where = [get("LIBDIR"), get("LIBPL")]
print("-I" + sysconfig.get_path("include"), *("-L" + path for path in where), "-Wl,-rpath," + where[0], "-lpython" + version, get("LIBS"), get("SYSLIBS"))')
# The kernels find the runtimes of coverage and sanitizers in the executable.
# shellcheck disable=SC2086
"$clang" -O1 -g -fsanitize=fuzzer,$checks -Wl,--export-dynamic fuzz/kernel.c $config -o "$tree/kernel"

if [ -z "$(ls -A "$tree/corpus")" ]; then
  "$python" -m fuzz.kernel_seeds "$tree/corpus"
fi
say "fuzzing for $seconds seconds"
cd "$tree"
PYTHONPATH=. PYTHONMALLOC=malloc KAFKAWIRE_FUZZ_PYTHON="$python" \
  ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=16:${ASAN_OPTIONS:-}" \
  UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1:${UBSAN_OPTIONS:-}" \
  ./kernel corpus -max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=3072 -print_final_stats=1 \
  -artifact_prefix=findings/ "$@"
