"""The same produce and the same fetch three times: as 0.7 spoke, as was proposed, and as 0.8 came to speak.

Two messages go to partition 3 of the topic "events", are stored at offset 1024 in bytes (0.7, the proposal) or as
records 7 and 8 (0.8), and are fetched again. Every frame is encoded, decoded, taken apart field by field and printed in
three columns, one a protocol: the fields that mean the same on one line, in the order of 0.8 where the orders differ.

    python examples/three_protocols.py
"""

from __future__ import annotations

import kafkawire as kw
from kafkawire import messages as v08
from kafkawire.ancient import proposal, v07
from kafkawire.frames import frame

TOPIC, PARTITION, CLIENT, CORRELATION_ID = "events", 3, "demo", 42
VALUES = [b"hello", b"world"]
BYTE_OFFSET, RECORD_OFFSET = 1024, 7

COLUMNS = ("0.7", "proposal", "0.8")
WIDTH = 32

#: A frame in parts: (name, size in bytes, None for all the rest).
Layout = list[tuple[str, "int | None"]]
_topic: Layout = [("topic", 2 + len(TOPIC))]
_request: Layout = [
    ("length", 4), ("type", 2), ("version", 2), ("correlation_id", 4), ("client_id", 2 + len(CLIENT)),
]
_set: Layout = [("messages length", 4), ("messages", None)]


def message_sets() -> tuple[bytes, bytes]:
    """The two messages as 0.7 has them (the proposal kept that), and as 0.8 does, with offsets and keys."""
    builder = kw.RecordBatchBuilder(magic=0, base_offset=RECORD_OFFSET)
    for value in VALUES:
        builder.append(key=None, value=value)
    return v07.write_messages(VALUES), builder.build()


OLD_SET, NEW_SET = message_sets()


def of_08(request: v08.ProduceRequest | v08.FetchRequest) -> bytes:
    """A request of 0.8, version 0, with its header."""
    header = v08.RequestHeader(
        request_api_key=request.API_KEY, request_api_version=0, correlation_id=CORRELATION_ID, client_id=CLIENT
    )
    return header.encode(version=1) + request.encode(version=0)


def answer_of_08(response: v08.ProduceResponse | v08.FetchResponse) -> bytes:
    return v08.ResponseHeader(correlation_id=CORRELATION_ID).encode(version=0) + response.encode(version=0)


def produce_requests() -> list[tuple[bytes, Layout]]:
    old = v07.ProduceRequest(TOPIC, PARTITION, OLD_SET)
    middle = proposal.ProduceRequest(
        CORRELATION_ID, CLIENT, 1, 1000, [proposal.TopicData(TOPIC, [proposal.PartitionData(PARTITION, OLD_SET)])]
    )
    part = v08.ProduceRequest.TopicData.PartitionData(index=PARTITION, records=NEW_SET)
    topic = v08.ProduceRequest.TopicData(name=TOPIC, partition_data=[part])
    new = v08.ProduceRequest(acks=1, timeout_ms=1000, topic_data=[topic])
    assert v07.decode_request(old.encode()) == old
    assert proposal.ProduceRequest.decode(middle.encode()) == middle
    assert v08.ProduceRequest.decode(new.encode(version=0), version=0) == new
    nested: Layout = [("topics", 2), *_topic, ("partitions", 2), ("partition", 4), *_set]
    wide: Layout = [("topics", 4), *_topic, ("partitions", 4), ("partition", 4), *_set]
    return [
        (old.encode(), [("length", 4), ("type", 2), *_topic, ("partition", 4), *_set]),
        (middle.encode(), [*_request, ("required acks", 1), ("timeout", 4), *nested]),
        (of_08(new), [*_request, ("required acks", 2), ("timeout", 4), *wide]),
    ]


def produce_responses() -> list[tuple[bytes, Layout]]:
    middle = proposal.ProduceResponse(CORRELATION_ID, 0, [proposal.NO_ERRORS], [BYTE_OFFSET])
    part = v08.ProduceResponse.Topic.PartitionResponse(index=PARTITION, error_code=0, base_offset=RECORD_OFFSET)
    new = v08.ProduceResponse(responses=[v08.ProduceResponse.Topic(name=TOPIC, partition_responses=[part])])
    assert proposal.ProduceResponse.decode(middle.encode()) == middle
    assert v08.ProduceResponse.decode(new.encode(version=0), version=0) == new
    return [
        (b"", []),
        (middle.encode(), [
            ("length", 4), ("correlation_id", 4), ("version", 2), ("error", 2), ("errors", 2), ("partition's error", 2),
            ("offsets", 2), ("offset", 8),
        ]),
        (answer_of_08(new), [
            ("length", 4), ("correlation_id", 4), ("topics", 4), *_topic, ("partitions", 4), ("partition", 4),
            ("partition's error", 2), ("offset", 8),
        ]),
    ]


def fetch_requests() -> list[tuple[bytes, Layout]]:
    old = v07.FetchRequest(TOPIC, PARTITION, BYTE_OFFSET, 65536)
    middle = proposal.FetchRequest(
        CORRELATION_ID, CLIENT, proposal.NO_REPLICA, 100, 1, [proposal.OffsetData(TOPIC, [PARTITION], [BYTE_OFFSET])]
    )
    part = v08.FetchRequest.Topic.Partition(
        partition=PARTITION, fetch_offset=RECORD_OFFSET, partition_max_bytes=65536
    )
    new = v08.FetchRequest(
        replica_id=-1, max_wait_ms=100, min_bytes=1, topics=[v08.FetchRequest.Topic(topic=TOPIC, partitions=[part])]
    )
    assert v07.decode_request(old.encode()) == old
    assert proposal.FetchRequest.decode(middle.encode()) == middle
    assert v08.FetchRequest.decode(new.encode(version=0), version=0) == new
    waiting: Layout = [("replica_id", 4), ("max_wait", 4), ("min_bytes", 4)]
    return [
        (old.encode(), [("length", 4), ("type", 2), *_topic, ("partition", 4), ("offset", 8), ("max_size", 4)]),
        (middle.encode(), [
            *_request, *waiting, ("topics", 2), *_topic, ("partitions", 2), ("partition", 4), ("offsets", 2),
            ("offset", 4),
        ]),
        (of_08(new), [
            *_request, *waiting, ("topics", 4), *_topic, ("partitions", 4), ("partition", 4), ("offset", 8),
            ("max_size", 4),
        ]),
    ]


def fetch_responses() -> list[tuple[bytes, Layout]]:
    old = v07.FetchResponse(0, OLD_SET)
    middle = proposal.FetchResponse(
        CORRELATION_ID, 0, [proposal.TopicData(TOPIC, [proposal.PartitionData(PARTITION, OLD_SET)])]
    )
    part = v08.FetchResponse.Topic.Partition(
        partition_index=PARTITION, error_code=0, high_watermark=RECORD_OFFSET + len(VALUES), records=NEW_SET
    )
    new = v08.FetchResponse(responses=[v08.FetchResponse.Topic(topic=TOPIC, partitions=[part])])
    return [
        (old.encode(), [("length", 4), ("error", 2), ("messages", None)]),
        (middle.encode(), [
            ("length", 4), ("correlation_id", 4), ("version", 2), ("error", 2), ("topics", 2), *_topic,
            ("partitions", 2), ("partition", 4), *_set,
        ]),
        (answer_of_08(new), [
            ("length", 4), ("correlation_id", 4), ("topics", 4), *_topic, ("partitions", 4), ("partition", 4),
            ("partition's error", 2), ("high watermark", 8), *_set,
        ]),
    ]


def one_message() -> list[tuple[bytes, Layout]]:
    """The first message of each set; its length stands in front, or behind the offset."""
    old = OLD_SET[: v07.split(OLD_SET).batches[0].size]
    new = NEW_SET[: kw.split(NEW_SET).batches[0].size]
    ancient: Layout = [("length", 4), ("magic", 1), ("attributes", 1), ("crc", 4), ("value", None)]
    modern: Layout = [
        ("offset", 8), ("length", 4), ("crc", 4), ("magic", 1), ("attributes", 1), ("key length", 4),
        ("value length", 4), ("value", None),
    ]
    return [(old, ancient), (old, ancient), (new, modern)]


def fetched_values() -> list[list[tuple[int, bytes]]]:
    """(offset, value) of what the three fetch responses bring: each read by its own protocol."""
    old, middle, new = (data for data, _ in fetch_responses())
    of_old = v07.FetchResponse.decode(old).messages
    of_middle = proposal.FetchResponse.decode(middle).data[0].partition_data[0].messages
    of_new = v08.FetchResponse.decode(new[4:], version=0).responses[0].partitions[0].records
    return [
        *([(m.start, m.value) for m in v07.read_messages(data, BYTE_OFFSET)] for data in (of_old, of_middle)),
        [(record.offset, record.value or b"") for batch in kw.read_batches(of_new) for record in batch],
    ]


def take_apart(data: bytes, layout: Layout) -> dict[str, bytes]:
    """The parts of a frame by their names; they fill it."""
    parts, at = {}, 0
    for name, size in layout:
        end = len(data) if size is None else at + size
        parts[name] = data[at:end]
        at = end
    assert at == len(data), (layout, at, len(data))
    return parts


def in_order(layouts: list[Layout]) -> list[str]:
    """All names, each behind those that it stands behind in some layout."""
    names: list[str] = []
    for layout in reversed(layouts):
        at = 0
        for name, _ in layout:
            if name in names:
                at = names.index(name) + 1
            else:
                names.insert(at, name)
                at += 1
    return names


def shown(part: bytes | None) -> str:
    if part is None:
        return "·"
    return part.hex() if 2 * len(part) <= WIDTH - 2 else f"{part[:8].hex()}... ({len(part)} bytes)"


def print_side_by_side(title: str, columns: list[tuple[bytes, Layout]], framed: bool = True) -> None:
    frames = [(frame(data) if framed and layout else data, layout) for data, layout in columns]
    parts = [take_apart(data, layout) for data, layout in frames]
    sizes = (f"{len(data)} bytes" if layout else "no response" for data, layout in frames)
    heads = (f"{name + ', ' + size:<{WIDTH}}" for name, size in zip(COLUMNS, sizes, strict=True))
    print((f"\n{title:<20}" + "".join(heads)).rstrip())
    for name in in_order([layout for _, layout in frames]):
        print((f"  {name:<18}" + "".join(f"{shown(found.get(name)):<{WIDTH}}" for found in parts)).rstrip())


def main() -> None:
    print_side_by_side("PRODUCE", produce_requests())
    print_side_by_side("its response", produce_responses())
    print_side_by_side("FETCH", fetch_requests())
    print_side_by_side("its response", fetch_responses())
    print_side_by_side("a message", one_message(), framed=False)
    print("\nfetched")
    for name, values in zip(COLUMNS, fetched_values(), strict=True):
        print(f"  {name:<18}" + ", ".join(f"{value.decode()} at offset {offset}" for offset, value in values))


if __name__ == "__main__":
    main()
