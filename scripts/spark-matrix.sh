#!/usr/bin/env bash
# spark-matrix.sh [VERSION...]: tests/spark/matrix.py on each of these versions of PySpark (3.5 4.0 4.1 4.2 4.3), against
# a real broker. kafkawire is built once, as the wheel that users get, and installed into an environment for each
# version: VENVS=.venv-spark/VERSION. PYTHON=... names the interpreter; PySpark 3.5 runs on 3.11 and earlier.
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/system.sh

versions=("$@")
[ $# -gt 0 ] || versions=(3.5 4.0 4.1 4.2 4.3)
venvs=${VENVS:-.venv-spark}
work=$PWD/build/spark-matrix

python=${PYTHON:-}
for candidate in python3.11 python3.10 python3.12; do
  [ -n "$python" ] || ! "$candidate" -c 'import venv, ensurepip' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || die "no Python that all versions of PySpark run on was found; PYTHON=... names one, best a 3.11."

rm -rf "$work"
mkdir -p "$work/wheel" "$venvs"
pip() { "$1/bin/python" -m pip --disable-pip-version-check install -q "${@:2}" >>"$work/install.log" 2>&1; }

# The suite runs in a copy of the tests, where the only kafkawire is the installed one.
cp -r tests pyproject.toml "$work"
failed=()
for version in "${versions[@]}"; do
  venv=$venvs/$version
  say "PySpark $version: installing into $venv"
  [ -x "$venv/bin/python" ] || "$python" -m venv "$venv" || die "$python -m venv $venv failed, see above."
  if [ -z "$(ls "$work/wheel")" ]; then
    pip "$venv" "pip>=25.1"
    "$venv/bin/python" -m pip wheel -q --no-deps --wheel-dir "$work/wheel" . >>"$work/install.log" 2>&1 ||
      { tail -n 25 "$work/install.log" >&2; die "the wheel could not be built, see above"; }
  fi
  if ! pip "$venv" "pyspark==$version.*" "pyarrow>=15" "pandas>=2.2,<3" pytest hypothesis cryptography ||
    ! pip "$venv" --force-reinstall --no-deps "$work"/wheel/*.whl || ! pip "$venv" "$work"/wheel/*.whl; then
    tail -n 25 "$work/install.log" >&2
    failed+=("$version (installation)")
    continue
  fi
  say "PySpark $version: $("$venv/bin/python" -c 'import pyspark, pyarrow, sys; print(pyspark.__version__, "pyarrow", pyarrow.__version__, "Python", sys.version.split()[0])')"
  python_path=$(cd "$venv" && pwd)/bin/python
  CI=true scripts/with-java.sh jdk+maven bash -c 'cd "$1" && "$2" -m pytest -q -p no:cacheprovider tests/spark/matrix.py' \
    - "$work" "$python_path" || failed+=("$version")
done
[ ${#failed[@]} -eq 0 ] || die "failed: ${failed[*]}"
say "all is well with PySpark ${versions[*]}"
