"""Run a command that ends when its parent does: ``python launch.py PARENT_PID COMMAND [ARGUMENT ...]``.

A test run that is killed with SIGKILL cannot clean up, and a broker left behind holds ports and memory for good. On
Linux the kernel is asked to do it; elsewhere the command simply runs. This is a program and not a ``preexec_fn``
because Python code between fork and exec is unsafe where threads run, as they do beside Spark and asyncio.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    parent, command = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before the request was made
            raise SystemExit(1)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
