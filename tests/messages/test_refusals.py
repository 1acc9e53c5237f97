"""What encode, to_json and from_json refuse, and what they let through, as Kafka's generated classes do."""

from __future__ import annotations

import copy
import pickle
import uuid
from types import ModuleType
from typing import Any

import pytest

from kafkawire import messages as m
from kafkawire.errors import EncodeError, UnsupportedError

Partition = m.FetchRequest.Topic.Partition


@pytest.mark.parametrize("version", [-1, 19, 32767, "12", None])
def test_version_out_of_range(kernel: ModuleType, version: Any) -> None:
    for act in (
        lambda: m.FetchRequest().encode(version),
        lambda: m.FetchRequest.decode(b"", version),
        lambda: m.FetchRequest().to_json(version),
        lambda: m.FetchRequest.from_json({}, version),
    ):
        with pytest.raises(UnsupportedError, match=r"FetchRequest has no version .*0-18"):
            act()


def refused(message: m.Message, version: int) -> str:
    """The message of the error that both encode and to_json raise."""
    with pytest.raises(EncodeError) as from_encode:
        message.encode(version)
    with pytest.raises(EncodeError) as from_json:
        message.to_json(version)
    assert str(from_encode.value) == str(from_json.value)
    return str(from_encode.value)


def test_a_field_that_the_version_lacks(kernel: ModuleType) -> None:
    request = m.FetchRequest(forgotten_topics_data=[m.FetchRequest.ForgottenTopicsData(topic="t")])
    assert "FetchRequest.forgotten_topics_data: [" in refused(request, 6)
    request.encode(7)
    nested = m.FetchRequest(topics=[m.FetchRequest.Topic(partitions=[Partition(), Partition(last_fetched_epoch=3)])])
    assert refused(nested, 11) == (
        "FetchRequest.topics[0].partitions[1].last_fetched_epoch: 3 in a field that version 11 does not have, "
        "expected the default, or version 12+"
    )
    nested.encode(12)


def test_an_ignorable_field_that_the_version_lacks_is_dropped(kernel: ModuleType) -> None:
    assert m.FetchRequest(rack_id="a").encode(10) == m.FetchRequest().encode(10)
    assert "rackId" not in m.FetchRequest(rack_id="a").to_json(10)


def test_a_default_in_a_field_that_the_version_lacks_is_fine(kernel: ModuleType) -> None:
    assert m.FetchRequest(replica_state=m.FetchRequest.ReplicaState()).encode(4)
    assert "replica_state" in refused(m.FetchRequest(replica_state=m.FetchRequest.ReplicaState(replica_id=1)), 4)
    assert m.FetchRequest(forgotten_topics_data=()).encode(4)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("error_code", 32768, "32768 is out of range, expected int16, -32768 to 32767"),
        ("error_code", -32769, "-32769 is out of range"),
        ("error_code", 1 << 80, "is out of range"),
        ("error_code", "0", "a str cannot be written here, expected int16"),
        ("error_code", 0.0, "a float cannot be written here"),
        ("error_code", None, "None where this version has no null, expected int16"),
        ("throttle_time_ms", 1 << 31, "is out of range, expected int32"),
        ("finalized_features_epoch", 1 << 63, "is out of range, expected int64"),
        ("zk_migration_ready", 1, "a int cannot be written here, expected a bool"),
        ("api_keys", None, "None where this version has no null, expected a list or a tuple"),
        ("api_keys", {}, "a dict cannot be written here, expected a list or a tuple"),
        ("supported_features", [m.ApiVersionsResponse.ApiKey()], "[0]: a ApiKey cannot be written here"),
    ],
)
def test_wrong_values(kernel: ModuleType, name: str, value: Any, text: str) -> None:
    message = m.ApiVersionsResponse()
    setattr(message, name, value)
    found = refused(message, 3)
    assert found.startswith(f"ApiVersionsResponse.{name}")
    assert text in found


def test_wrong_strings_bytes_and_uuids(kernel: ModuleType) -> None:
    topic = m.MetadataRequest.Topic
    assert "topics[0].name: a bytes cannot be written here" in refused(m.MetadataRequest(topics=[topic(name=b"x")]), 0)  # type: ignore[arg-type]
    assert "a string of 32768 bytes" in refused(m.MetadataRequest(topics=[topic(name="x" * 32768)]), 12)
    m.MetadataRequest(topics=[topic(name="x" * 32767)]).encode(12)
    with pytest.raises(EncodeError, match="lone surrogates"):
        m.MetadataRequest(topics=[topic(name="\ud800")]).encode(12)
    assert "a str cannot be written here, expected a uuid" in refused(
        m.MetadataRequest(topics=[topic(topic_id="a")]),
        12,  # type: ignore[arg-type]
    )
    assert "auth_bytes: a str cannot" in refused(m.SaslAuthenticateRequest(auth_bytes="a"), 1)  # type: ignore[arg-type]
    assert "auth_bytes: None where" in refused(m.SaslAuthenticateRequest(auth_bytes=None), 1)  # type: ignore[arg-type]


def test_null_only_where_the_version_has_it(kernel: ModuleType) -> None:
    request = m.MetadataRequest(topics=None)
    assert "topics: None where this version has no null" in refused(request, 0)
    assert request.encode(1) == b"\xff\xff\xff\xff"
    assert m.MetadataRequest.decode(b"\xff\xff\xff\xff", 1).topics is None


def test_an_unset_field(kernel: ModuleType) -> None:
    message = m.HeartbeatRequest()
    del message.member_id
    with pytest.raises(EncodeError, match=r"HeartbeatRequest.member_id: the field is not set"):
        message.encode(0)


@pytest.mark.parametrize(
    "tags",
    [
        ((5, b""), (5, b"")),
        ((6, b""), (5, b"")),
        ((0, b""),),
        ((-1, b""),),
        ((1 << 32, b""),),
        ((5, "text"),),
        ((5,),),
        (5,),
        {5: b""},
    ],
)
def test_unknown_tags_that_cannot_be_written(kernel: ModuleType, tags: Any) -> None:
    message = m.ApiVersionsResponse(unknown_tags=tags)
    with pytest.raises(EncodeError, match=r"ApiVersionsResponse.unknown_tags"):
        message.encode(3)


def test_unknown_tags_stand_among_the_known_ones(kernel: ModuleType) -> None:
    tags = ((4, b"\x01"), (300, bytes(200)))
    message = m.ApiVersionsResponse(finalized_features_epoch=7, zk_migration_ready=True, unknown_tags=tags)
    body = message.encode(3)
    assert m.ApiVersionsResponse.decode(body, 3) == message
    assert m.ApiVersionsResponse(unknown_tags=list(tags)).encode(3) == m.ApiVersionsResponse(unknown_tags=tags).encode(
        3
    )  # type: ignore[arg-type]
    assert "which has no tagged fields" in refused(message.__class__(unknown_tags=tags), 2)


def test_a_long_tagged_field(kernel: ModuleType) -> None:
    """The size before a tagged field takes more than a byte from 128 on."""
    feature = m.ApiVersionsResponse.SupportedFeature
    for size in (100, 113, 114, 115, 127, 128, 16383, 32767):
        message = m.ApiVersionsResponse(supported_features=[feature(name="x" * size, max_version=1)])
        assert m.ApiVersionsResponse.decode(message.encode(3), 3) == message


def test_a_list_that_shrinks_while_it_is_written(kernel: ModuleType) -> None:
    message = m.ApiVersionsResponse()

    class Shrinks(bytes):
        def __eq__(self, other: object) -> bool:
            message.api_keys.clear()
            return True

        __hash__ = None  # type: ignore[assignment]

    message.api_keys = [m.ApiVersionsResponse.ApiKey() for _ in range(100)]
    message.finalized_features_epoch = Shrinks()  # type: ignore[assignment]
    message.encode(3)


def test_construct() -> None:
    with pytest.raises(TypeError, match="FetchRequest has no field 'bogus'"):
        m.FetchRequest(bogus=1)  # type: ignore[call-arg]
    first, second = m.FetchRequest(), m.FetchRequest()
    assert first.topics is not second.topics and first.replica_state is not second.replica_state
    assert first.replica_id == -1 and first.max_bytes == 0x7FFFFFFF and first.cluster_id is None


def test_equality_repr_copy_pickle(kernel: ModuleType) -> None:
    request = m.FetchRequest(max_wait_ms=5, topics=[m.FetchRequest.Topic(topic="t")])
    assert request == m.FetchRequest(max_wait_ms=5, topics=[m.FetchRequest.Topic(topic="t")])
    assert request != m.FetchRequest(max_wait_ms=5) and request != 5
    assert m.FetchRequest(unknown_tags=((9, b""),)) != m.FetchRequest()
    assert repr(request) == "FetchRequest(max_wait_ms=5, topics=[FetchRequest.Topic(topic='t')])"
    assert copy.copy(request) == pickle.loads(pickle.dumps(request)) == copy.deepcopy(request) == request
    with pytest.raises(TypeError):
        hash(request)
    with pytest.raises(AttributeError):
        request.bogus = 1  # type: ignore[attr-defined]


def test_repr_of_records(kernel: ModuleType) -> None:
    response = m.FetchSnapshotResponse.Topic.Partition(unaligned_records=memoryview(b"abc"))
    assert repr(response) == "FetchSnapshotResponse.Topic.Partition(unaligned_records=<3 bytes>)"


def test_json_of_uuid_bytes_and_null() -> None:
    request = m.MetadataRequest(topics=[m.MetadataRequest.Topic(topic_id=uuid.UUID(int=1), name=None)])
    assert request.to_json(12)["topics"] == [{"topicId": "AAAAAAAAAAAAAAAAAAAAAQ", "name": None}]
    assert m.SaslAuthenticateRequest(auth_bytes=b"\xff\xfe").to_json(0) == {"authBytes": "//4="}


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ({}, "group_id: the field is missing"),
        ({"groupId": "g", "generationId": 1, "memberId": "m", "bogus": 1}, "bogus: the field is not known"),
        ({"groupId": None, "generationId": 1, "memberId": "m"}, "group_id: None where"),
        ({"groupId": "g", "generationId": 1 << 31, "memberId": "m"}, "generation_id: 2147483648 is out of range"),
        ({"groupId": "g", "generationId": "1", "memberId": "m"}, "generation_id: a str cannot"),
        ([], "HeartbeatRequest: a list cannot"),
    ],
)
def test_from_json_refuses(document: Any, text: str) -> None:
    with pytest.raises(EncodeError) as caught:
        m.HeartbeatRequest.from_json(document, 0)
    assert text in str(caught.value)


def test_from_json_refuses_what_is_no_base64() -> None:
    with pytest.raises(EncodeError, match="auth_bytes"):
        m.SaslAuthenticateRequest.from_json({"authBytes": "*"}, 0)
    with pytest.raises(EncodeError, match="topic_id"):
        m.MetadataRequest.from_json(
            {
                "topics": [{"topicId": "AA", "name": None}],
                "allowAutoTopicCreation": True,
                "includeTopicAuthorizedOperations": False,
            },
            12,
        )
