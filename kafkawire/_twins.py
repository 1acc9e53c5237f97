"""The one place that chooses between a compiled kernel and its pure twin; nothing else imports a kernel.

The compiled kernels are taken where they were built. ``KAFKAWIRE_PURE_PYTHON=1`` asks for the pure twins. A package
without the compiled kernels says so once, loudly: the pure twins are some twenty times slower.
"""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkawire import _ancient_py as ancient
    from kafkawire import _codec_py as codec
    from kafkawire import _columns_py as columns
    from kafkawire import _message_py as message
    from kafkawire import _partitioner_py as partitioner
    from kafkawire import _varint_py as varint
    from kafkawire import _writer_py as writer

    BACKEND: str
else:
    BACKEND = "pure"
    if os.environ.get("KAFKAWIRE_PURE_PYTHON", "") in ("", "0"):
        try:
            from kafkawire import _ancient as ancient
            from kafkawire import _codec as codec
            from kafkawire import _columns as columns
            from kafkawire import _message as message
            from kafkawire import _partitioner as partitioner
            from kafkawire import _varint as varint
            from kafkawire import _writer as writer

            BACKEND = "compiled"
        except ImportError as error:
            warnings.warn(
                f"kafkawire runs without its compiled kernel ({error}) and is some twenty times slower; "
                "KAFKAWIRE_PURE_PYTHON=1 says that this is meant",
                RuntimeWarning,
                stacklevel=2,
            )
    if BACKEND == "pure":
        from kafkawire import _ancient_py as ancient
        from kafkawire import _codec_py as codec
        from kafkawire import _columns_py as columns
        from kafkawire import _message_py as message
        from kafkawire import _partitioner_py as partitioner
        from kafkawire import _varint_py as varint
        from kafkawire import _writer_py as writer

__all__ = ["BACKEND", "ancient", "codec", "columns", "message", "partitioner", "varint", "writer"]
