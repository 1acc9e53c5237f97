"""python -m fuzz [TARGET...] [--seconds N]: each target in a process of its own for so many seconds, one by one.

With atheris (guided by the coverage of the pure twin, which does what the compiled one does) where it is installed,
else with a plain mutator. What breaks a promise is kept in fuzz/findings and makes the exit status 1.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
from pathlib import Path

from fuzz.targets import TARGETS

HERE = Path(__file__).parent
GRACE = 120  # seconds for imports, seeds and the last input


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", choices=[[], *TARGETS], metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=60, help="how long each target runs")
    parser.add_argument("--plain", action="store_true", help="the plain mutator, even where atheris is installed")
    given = parser.parse_args()
    guided = importlib.util.find_spec("atheris") is not None and not given.plain
    if not guided:
        print("atheris is not installed: mutating without guidance")
    broken = []
    for target in given.targets or TARGETS:
        (HERE / "findings").mkdir(exist_ok=True)
        module = "fuzz.guided" if guided else "fuzz.plain"
        print(f"---- {target}, {given.seconds} s, {module}", flush=True)
        done = subprocess.run(
            [sys.executable, "-m", module, target, str(given.seconds)], cwd=HERE.parent, timeout=given.seconds + GRACE
        )
        if done.returncode:
            broken.append(target)
    print("broken: " + ", ".join(broken) if broken else "nothing found")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
