"""Control records: the markers that end transactions, and those of Raft.

A control batch is a batch v2 with the control bit; its record's key is a version and a type, its value depends on the
type. Source: KIP-98 (transaction markers), KIP-595 and KIP-630 (Raft), and ControlRecordType's numbers.
"""

from __future__ import annotations

from struct import Struct
from typing import NamedTuple

from kafkawire.errors import CorruptError, EncodeError

_KEY = Struct(">hh")
_END = Struct(">hi")

#: Names of the control types; others may come and are kept.
CONTROL_TYPES = {
    0: "abort",
    1: "commit",
    2: "leader_change",
    3: "snapshot_header",
    4: "snapshot_footer",
    5: "kraft_version",
    6: "kraft_voters",
}


class ControlRecord(NamedTuple):
    """What a control record says.

    ``version``: of the key. ``type``: Kafka's number, ``name``: its name, "unknown" for one that is not known.
    ``coordinator_epoch``: of a transaction marker, else None. ``value``: the bytes as they stand, which for Raft's
    types are a message of their own.
    """

    version: int
    type: int
    name: str
    coordinator_epoch: int | None
    value: bytes | None


def parse_control_record(key: bytes | None, value: bytes | None) -> ControlRecord:
    """Read the key and value of a record of a control batch.

    Raises CorruptError for a key or a transaction marker that is too short or of a negative version. Later versions,
    with more bytes, and types that are not known are kept.
    """
    if key is None or len(key) < _KEY.size:
        raise CorruptError("the key of a control record is too short", expected="a version and a type: 4 bytes")
    version, kind = _KEY.unpack_from(key)
    if version < 0:
        raise CorruptError(f"a control record's key of version {version}", expected="a version from 0")
    name = CONTROL_TYPES.get(kind, "unknown")
    epoch = None
    if kind in (0, 1):
        if value is None or len(value) < _END.size:
            raise CorruptError("a transaction marker is too short", expected="a version and an epoch: 6 bytes")
        value_version, epoch = _END.unpack_from(value)
        if value_version < 0:
            raise CorruptError(f"a transaction marker of version {value_version}", expected="a version from 0")
    return ControlRecord(version, kind, name, epoch, value)


def end_transaction_marker(commit: bool, coordinator_epoch: int) -> tuple[bytes, bytes]:
    """Key and value of the record that commits or aborts a transaction. Raises EncodeError outside of int32."""
    if not -0x80000000 <= coordinator_epoch <= 0x7FFFFFFF:
        raise EncodeError(f"the coordinator epoch {coordinator_epoch}", expected="an int32")
    return _KEY.pack(0, int(commit)), _END.pack(0, coordinator_epoch)
