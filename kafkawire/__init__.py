"""kafkawire: every Kafka wire and log format, for Python; see the README."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from kafkawire import varint
from kafkawire._twins import BACKEND
from kafkawire._twins import varint as _varint
from kafkawire._version import __version__
from kafkawire.errors import (
    AuthenticationError,
    ChecksumError,
    CorruptError,
    EncodeError,
    LimitError,
    LocalProtocolError,
    MissingLibraryError,
    RemoteProtocolError,
    TruncatedError,
    UnsupportedError,
    WireError,
)
from kafkawire.partitioner import key_partitions, murmur2
from kafkawire.records.batch import BatchSlice, Record, RecordBatch, Split, read_batches, split
from kafkawire.records.builder import RecordBatchBuilder, write_batches, write_columns
from kafkawire.records.columns import Columns, iter_columns, read_columns
from kafkawire.records.committed import committed_batches
from kafkawire.records.control import ControlRecord, end_transaction_marker, parse_control_record
from kafkawire.records.limits import Limits

if TYPE_CHECKING:
    from kafkawire import ancient, client, connection, frames, log, messages, spark
    from kafkawire.connection import Connection, ServerConnection

crc32c = _varint.crc32c

#: Subpackages that are loaded when they are first used: importing kafkawire stays cheap.
_LAZY = ("ancient", "client", "connection", "frames", "log", "messages", "spark")


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return importlib.import_module(f"kafkawire.{name}")
    if name in ("Connection", "ServerConnection"):
        return getattr(importlib.import_module("kafkawire.connection"), name)
    if name == "errors_table":
        return importlib.import_module("kafkawire.messages.errors_table")
    raise AttributeError(f"module 'kafkawire' has no attribute {name!r}")


__all__ = [
    "BACKEND",
    "AuthenticationError",
    "BatchSlice",
    "ChecksumError",
    "Columns",
    "Connection",
    "ControlRecord",
    "CorruptError",
    "EncodeError",
    "LimitError",
    "Limits",
    "LocalProtocolError",
    "MissingLibraryError",
    "Record",
    "RecordBatch",
    "RecordBatchBuilder",
    "RemoteProtocolError",
    "ServerConnection",
    "Split",
    "TruncatedError",
    "UnsupportedError",
    "WireError",
    "__version__",
    "ancient",
    "client",
    "committed_batches",
    "connection",
    "crc32c",
    "end_transaction_marker",
    "frames",
    "iter_columns",
    "key_partitions",
    "log",
    "messages",
    "murmur2",
    "parse_control_record",
    "read_batches",
    "read_columns",
    "spark",
    "split",
    "varint",
    "write_batches",
    "write_columns",
]
