"""What kernel.c feeds: the compiled kernels alone, without the pure twin beside them, so that many inputs get through.

The first byte of an input chooses the target, the next ones as in fuzz/targets.py. An exception that is not of the
family ends the process, and so does what the sanitizers find.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

import kafkawire as kw
from fuzz.targets import chosen, limits, message_choice, message_table
from kafkawire.records.columns import COLUMNS

assert kw.BACKEND == "compiled", "the kernels are not built"

LIMITS = limits(kw)
ALL = list(COLUMNS)
VARINTS = (
    kw.varint.decode_varint,
    kw.varint.decode_varlong,
    kw.varint.decode_unsigned_varint,
    kw.varint.decode_unsigned_varlong,
)


def plain(data: memoryview) -> None:
    """Batches as they are: the input's own memory is read."""
    with suppress(kw.WireError):
        kw.split(data)
    with suppress(kw.WireError):
        for batch in kw.read_batches(data, False, LIMITS):
            batch.records()
    with suppress(kw.WireError):
        kw.read_columns(data, False, ALL, limits=LIMITS, control=True)


def records(data: memoryview) -> None:
    """Batches with lengths and checksums made right, or compressed before, as the next byte says."""
    made, check_crc = chosen(bytes(data))
    with suppress(kw.WireError):
        for batch in kw.read_batches(made, check_crc, LIMITS):
            for record in batch:
                repr(record)
    with suppress(kw.WireError):
        kw.read_columns(made, check_crc, ALL, limits=LIMITS, control=True, on_corrupt="skip")


def messages(data: memoryview) -> None:
    if len(data) < 3:
        return
    name, version = message_choice(data[0] | (data[1] & 3) << 8, data[2])
    with suppress(kw.WireError):
        message = getattr(kw.messages, name).decode(data[3:], version)
        message.encode(version)


def ancient(data: memoryview) -> None:
    with suppress(kw.WireError):
        for message in kw.ancient.v07.read_messages(data, limits=LIMITS, check_crc=False):
            repr(message)
    with suppress(kw.WireError):
        kw.ancient.v07.read_columns(data, limits=LIMITS, check_crc=False)


def varints(data: memoryview) -> None:
    for decode in VARINTS:
        with suppress(kw.WireError):
            decode(data)


TARGETS: tuple[Callable[[memoryview], None], ...] = (plain, records, messages, ancient, varints)
# A run on one of them: its name.
_only = os.environ.get("KAFKAWIRE_FUZZ_TARGET")
if _only:
    TARGETS = tuple(target for target in TARGETS if target.__name__ == _only)
    assert TARGETS, f"KAFKAWIRE_FUZZ_TARGET={_only}: no such target"
message_table()


def feed(data: memoryview) -> None:
    """One input; all that was made of it is gone when this returns, since its memory is."""
    if len(data):
        TARGETS[data[0] % len(TARGETS)](data[1:])
