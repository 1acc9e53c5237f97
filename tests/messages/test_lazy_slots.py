"""The compiled reader puts off lists of broker ids and default structs until they are asked for; nobody may notice."""

from __future__ import annotations

import contextlib
import gc
import tracemalloc
from types import ModuleType

import pytest

from kafkawire import messages as m
from kafkawire.errors import EncodeError

Partition = m.MetadataResponse.Topic.Partition


def decoded(count: int = 3) -> m.MetadataResponse:
    rows = [Partition(partition_index=i, replica_nodes=[1, 2, 300], isr_nodes=[1, 2, 300]) for i in range(count)]
    body = m.MetadataResponse(topics=[m.MetadataResponse.Topic(name="t", partitions=rows)]).encode(9)
    return m.MetadataResponse.decode(body, 9)


def test_each_has_a_list_of_its_own(kernel: ModuleType) -> None:
    first, second, _ = decoded().topics[0].partitions
    assert type(first.replica_nodes) is list
    assert first.replica_nodes == second.replica_nodes == first.isr_nodes == [1, 2, 300]
    assert first.replica_nodes is first.replica_nodes
    first.replica_nodes.append(4)
    assert first.replica_nodes == [1, 2, 300, 4]
    assert first.isr_nodes == second.replica_nodes == [1, 2, 300]
    assert first.offline_replicas == [] and first.offline_replicas is not second.offline_replicas


def test_what_was_not_asked_for_encodes_as_it_came(kernel: ModuleType) -> None:
    response = decoded()
    body = response.encode(9)
    assert body == decoded().encode(9)
    response.topics[0].partitions[1].isr_nodes.clear()
    changed = m.MetadataResponse.decode(response.encode(9), 9)
    assert [p.isr_nodes for p in changed.topics[0].partitions] == [[1, 2, 300], [], [1, 2, 300]]


def test_a_list_that_an_older_version_lacks_counts_by_its_content(kernel: ModuleType) -> None:
    partition = m.AlterPartitionRequest.Topic.Partition
    body = m.AlterPartitionRequest(
        topics=[m.AlterPartitionRequest.Topic(partitions=[partition(new_isr=[1, 2])])]
    ).encode(2)
    with pytest.raises(EncodeError, match=r"new_isr: \[1, 2\] in a field that version 3"):
        m.AlterPartitionRequest.decode(body, 2).encode(3)
    empty = m.AlterPartitionRequest(topics=[m.AlterPartitionRequest.Topic(partitions=[partition()])]).encode(2)
    assert m.AlterPartitionRequest.decode(empty, 2).encode(3)


def test_default_structs_are_not_shared(kernel: ModuleType) -> None:
    partition = m.FetchResponse.Topic.Partition
    body = m.FetchResponse(responses=[m.FetchResponse.Topic(partitions=[partition(), partition()])]).encode(12)
    response = m.FetchResponse.decode(body, 12)
    first, second = response.responses[0].partitions
    assert first.current_leader == m.FetchResponse.Topic.Partition.CurrentLeader()
    assert first.current_leader is first.current_leader
    assert first.current_leader is not second.current_leader
    first.current_leader.leader_id = 7
    assert second.current_leader.leader_id == -1
    again = m.FetchResponse.decode(response.encode(12), 12)
    assert [p.current_leader.leader_id for p in again.responses[0].partitions] == [7, -1]
    assert m.FetchResponse.decode(body, 12) == m.FetchResponse.decode(body, 12)
    assert m.FetchResponse.decode(body, 12).encode(12) == body


def test_a_default_struct_that_a_newer_version_carries(kernel: ModuleType) -> None:
    """Decoded where the field is absent, encoded where it stands on the wire."""
    old = m.FetchRequest.decode(m.FetchRequest(max_wait_ms=1).encode(4), 4)
    assert old.encode(15) == m.FetchRequest(max_wait_ms=1).encode(15)
    update = m.UpdateRaftVoterRequest.decode(m.UpdateRaftVoterRequest().encode(0), 0)
    assert update.encode(0) == m.UpdateRaftVoterRequest().encode(0)


def test_assignment_and_deletion_are_those_of_a_slot(kernel: ModuleType) -> None:
    partition = decoded().topics[0].partitions[0]
    partition.replica_nodes = (5, 6)  # type: ignore[assignment]
    assert partition.replica_nodes == (5, 6)
    del partition.replica_nodes
    with pytest.raises(AttributeError):
        partition.replica_nodes  # noqa: B018
    with pytest.raises(TypeError):
        type(partition).__dict__["replica_nodes"].__get__(object(), object)


def test_no_trace_of_it_in_copies_and_comparisons(kernel: ModuleType) -> None:
    response = decoded()
    assert response == decoded()
    assert "replica_nodes=[1, 2, 300]" in repr(decoded())
    assert decoded().to_json(9)["topics"][0]["partitions"][0]["replicaNodes"] == [1, 2, 300]


def test_decoding_again_and_again_keeps_no_memory(kernel: ModuleType) -> None:
    body = decoded(200).encode(9)

    def turn() -> None:
        for _ in range(5):
            response = m.MetadataResponse.decode(body, 9)
            for partition in response.topics[0].partitions:
                partition.replica_nodes.append(1)
            response.encode(9)
            for damaged in (body[:-30], body + b"x"):
                with contextlib.suppress(ValueError):
                    m.MetadataResponse.decode(damaged, 9)

    turn()
    gc.collect()
    tracemalloc.start()
    try:
        turn()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(5):
            turn()
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 20_000
    finally:
        tracemalloc.stop()
