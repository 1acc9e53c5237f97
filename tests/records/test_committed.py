"""Reading committed: transactions of several producers, interleaved, against a model that knows which were aborted."""

from __future__ import annotations

from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

Event = tuple[int, str]  # producer id, and what it does: "write", "plain", "commit" or "abort"

EVENTS = st.lists(
    st.tuples(st.integers(1, 3), st.sampled_from(["write", "write", "write", "plain", "commit", "abort"])), max_size=30
)


def play(kw: ModuleType, events: list[Event]) -> tuple[bytes, list[tuple[int, int]], list[bytes]]:
    """Record bytes, the aborted transactions as a broker lists them, and the values that a reader may see.

    Transactions that are still open at the end are committed there: a broker gives nothing from an open one on.
    """
    ends = [(producer, "commit") for producer in (1, 2, 3)]
    data, offset = b"", 0
    open_since: dict[int, int] = {}
    unseen: dict[int, list[tuple[int, bytes]]] = {}
    aborted: list[tuple[int, int]] = []
    seen: list[tuple[int, bytes]] = []
    for producer, event in [*events, *ends]:
        transactional = event != "plain"
        builder_settings = {"producer_id": producer, "producer_epoch": 0, "base_sequence": 0, "base_offset": offset}
        if event in ("write", "plain"):
            builder = kw.RecordBatchBuilder(is_transactional=transactional, **builder_settings)
            values = [(offset + i, b"%d" % (offset + i)) for i in range(2)]
            for _, value in values:
                builder.append(key=None, value=value, timestamp=1)
            if transactional:
                open_since.setdefault(producer, offset)
                unseen.setdefault(producer, []).extend(values)
            else:
                seen += values
            offset += 2
        else:
            if producer not in open_since:
                continue
            builder = kw.RecordBatchBuilder(
                is_transactional=True, is_control=True, **(builder_settings | {"base_sequence": -1})
            )
            key, value = kw.end_transaction_marker(event == "commit", 0)
            builder.append(key=key, value=value, timestamp=1)
            if event == "commit":
                seen += unseen.pop(producer)
            else:
                aborted.append((producer, open_since[producer]))
                unseen.pop(producer)
            del open_since[producer]
            offset += 1
        data += builder.build()
    return data, aborted, [value for _, value in sorted(seen)]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=EVENTS, max_rows=st.integers(1, 5))
def test_what_a_committed_reader_sees(both: list[ModuleType], events: list[Event], max_rows: int) -> None:
    for kw in both:
        data, aborted, expected = play(kw, events)
        batches = kw.committed_batches(kw.read_batches(data), aborted)
        assert [record.value for batch in batches if not batch.is_control for record in batch] == expected
        columns = kw.read_columns(data, columns=["value"], aborted_transactions=aborted)
        assert columns.to_arrow()["value"].to_pylist() == expected
        assert columns.complete == len(data)
        pieces = kw.iter_columns(data, max_rows, columns=["value"], aborted_transactions=aborted)
        assert [value for piece in pieces for value in piece["value"].to_pylist()] == expected


def test_the_tail_and_its_faults_are_seen_too(kw: ModuleType) -> None:
    """Behind the last committed batch: a partial batch is left alone, a corrupt one is an error at its place."""
    events = [(1, "write"), (1, "abort"), (2, "write"), (2, "commit"), (3, "write"), (3, "abort")]
    data, aborted, expected = play(kw, events)
    assert kw.read_columns(data + data[:70], aborted_transactions=aborted).complete == len(data)
    broken = bytearray(data)
    broken[-1] ^= 1  # of the last marker
    with pytest.raises(kw.ChecksumError) as caught:
        kw.read_columns(bytes(broken), aborted_transactions=aborted)
    last = kw.split(data).batches[-1]
    assert caught.value.position == last.position
    skipping = kw.read_columns(bytes(broken), on_corrupt="skip", aborted_transactions=aborted, columns=["value"])
    assert (skipping.skipped, skipping.to_arrow()["value"].to_pylist()) == ([last.position], expected)
    assert expected == [b"3", b"4"]


def test_a_marker_that_cannot_be_read(kw: ModuleType) -> None:
    common = {"producer_id": 1, "producer_epoch": 0, "is_transactional": True}
    builder = kw.RecordBatchBuilder(is_control=True, base_offset=7, **common)
    builder.append(key=b"\0", value=b"", timestamp=1)
    data = builder.build()
    with pytest.raises(kw.CorruptError) as caught:
        list(kw.committed_batches(kw.read_batches(data), [(1, 3)]))
    assert (caught.value.position, caught.value.offset) == (0, 7)
