"""The extensions only; everything else about the project is in pyproject.toml.

A build that cannot compile stops with a message that says what to do: nobody gets the slow path unaware.
``KAFKAWIRE_PURE_PYTHON=1`` asks for the pure-Python wheel.
"""

import os
import sys
from glob import glob

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

PURE = os.environ.get("KAFKAWIRE_PURE_PYTHON", "") not in ("", "0")

NO_COMPILER = """
kafkawire: the compiled kernel could not be built.

  {error}

It needs a C compiler and Python's headers (Debian: apt-get install gcc python3-dev; Fedora: dnf install gcc
python3-devel; macOS: xcode-select --install; Windows: the Visual C++ build tools).
The pure-Python wheel, some twenty times slower, is built by: KAFKAWIRE_PURE_PYTHON=1 pip install .
"""


class BuildExtensions(build_ext):
    """build_ext that explains a missing compiler instead of printing a traceback."""

    def run(self) -> None:
        try:
            super().run()
        except Exception as error:
            sys.stderr.write(NO_COMPILER.format(error=error))
            raise SystemExit(1) from None


def extensions() -> list[Extension]:
    from Cython.Build import cythonize

    flags = [] if sys.platform == "win32" else ["-O3", "-fno-strict-aliasing", "-fvisibility=hidden"]
    # For coverage, sanitizers and profilers: KAFKAWIRE_CFLAGS="-O1 -g -fsanitize=address".
    flags += os.environ.get("KAFKAWIRE_CFLAGS", "").split()
    link = os.environ.get("KAFKAWIRE_LDFLAGS", "").split()
    native: dict[str, list[str]] = {
        "_varint": ["kafkawire/_native_crc.c"],
        "_ancient": [],
        "_buffers": [],
        "_codec": ["kafkawire/_native_record.c"],
        "_columns": [],
        "_message": [],
        "_message_plan": [],
        "_message_writer": [],
        "_partitioner": [],
        "_writer": [],
    }
    return cythonize(
        [
            Extension(
                f"kafkawire.{name}",
                [f"kafkawire/{name}.pyx", *sources],
                depends=sorted(glob("kafkawire/*.h") + glob("kafkawire/*.pxd")),
                extra_compile_args=flags,
                extra_link_args=link,
            )
            for name, sources in native.items()
        ],
        compiler_directives={
            "language_level": "3",
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "freethreading_compatible": True,
            # Cython would pickle pointers as C strings; what is to be pickled says so itself.
            "auto_pickle": False,
            "embedsignature": True,
        },
    )


setup(ext_modules=[] if PURE else extensions(), cmdclass={"build_ext": BuildExtensions})
