"""What is fuzzed: each target takes bytes, feeds both twins, and raises Broken where a promise is broken.

The promises: any input gives a result or a WireError (never another exception), and the compiled twin gives what the
pure one gives, in values, error classes, words and positions. Where a target wants a choice (a codec, a message and
its version) the first bytes make it; the rest is the input.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from tests import twins
from tests.hostile.generate import COMPRESS
from tests.records.surgery import mend, seal, seal_wrapper

Seen = tuple[Any, ...]


class Broken(AssertionError):
    """A promise was broken; the message says which, and with what."""


def seen(kw: ModuleType, read: Callable[[], Any]) -> Seen:
    """What ``read`` gives, or all there is to an error of ours; other exceptions are nobody's promise."""
    try:
        return ("read", read())
    except kw.WireError as error:
        names = ("position", "inner_position", "offset", "expected", "missing")
        return (type(error).__name__, str(error), *(getattr(error, name, None) for name in names))


def both() -> Iterator[ModuleType]:
    for name in twins.NAMES:
        package = twins.load(name)
        with twins.using(package):
            yield package


def agree(look: Callable[[ModuleType], Any]) -> None:
    """Look with each twin, and hold them together."""
    found = [look(kw) for kw in both()]
    if any(other != found[0] for other in found[1:]):
        raise Broken("the twins differ:\n" + "\n".join(repr(one)[:2000] for one in found))


def fields(record: Any) -> tuple[Any, ...]:
    return record.offset, record.timestamp, record.timestamp_type, record.key, record.value, record.headers


def chosen(data: bytes) -> tuple[bytes, bool]:
    """Batches from the input: the first byte says whether checksums are looked at, and whether the first batch gets
    a length and a checksum that are right, without which few inputs would come further."""
    how, data = data[0] if data else 0, data[1:]
    if len(data) > 61 and data[16] <= 2:
        if how & 4:
            data = recompressed(data)
        elif how & 2:
            data = mend(data)
    return data, bool(how & 1)


def recompressed(data: bytes) -> bytes:
    """The first batch, whose records stand in the input as they are, compressed as its attributes say."""
    magic = data[16]
    codec = (data[22] if magic == 2 else data[17]) & 7
    if codec not in COMPRESS:
        return mend(data)
    if magic == 2:
        return seal(data[:61], COMPRESS[codec](data[61:]))
    start = 18 + 8 * magic
    time = int.from_bytes(data[18:26], "big", signed=True)
    return seal_wrapper(
        int.from_bytes(data[:8], "big", signed=True), magic, data[17], time, COMPRESS[codec](data[start:])
    )


def shown(message: Any) -> str:
    """The repr of a message; its memoryviews without their addresses, which their bytes make up for elsewhere."""
    return re.sub("<memory at 0x[0-9a-f]+>", "<memory>", repr(message))


def limits(kw: ModuleType) -> Any:
    return kw.Limits(decompressed=1 << 18, zstd_window=1 << 20, depth=4)


# ---- the targets ----


def records(data: bytes) -> None:
    """Splitting, headers, and records as objects and as lists."""
    data, check_crc = chosen(data)

    def look(kw: ModuleType) -> Any:
        def gather() -> list[Any]:
            return [fields(record) for batch in kw.read_batches(data, check_crc, limits(kw)) for record in batch]

        def lists() -> list[Any]:
            batches = kw.read_batches(data, check_crc, limits(kw))
            return [fields(record) for batch in batches for record in batch.records()]

        one, many = seen(kw, gather), seen(kw, lists)
        if one != many:
            raise Broken(f"{kw.BACKEND}: records one by one and as a list differ: {one!r:.800} {many!r:.800}")
        return seen(kw, lambda: tuple(kw.split(data))), one

    agree(look)


def columns(data: bytes) -> None:
    """All columns, some of them, and a range of offsets."""
    data, check_crc = chosen(data)

    def look(kw: ModuleType) -> Any:
        def read(**options: Any) -> Seen:
            def all_of_it() -> Any:
                found = kw.read_columns(data, check_crc, limits=limits(kw), control=True, **options)
                arrow = found.to_arrow()
                arrow.validate(full=True)
                place = arrow.schema.get_field_index("timestamp")
                if place >= 0:
                    arrow = arrow.set_column(place, "timestamp", arrow.column(place).cast("int64"))
                return arrow.to_pydict(), found.complete, found.skipped

            return seen(kw, all_of_it)

        return (
            read(columns=list(kw.records.columns.COLUMNS)),
            read(columns=["offset"], on_corrupt="skip"),
            read(start_offset=3, end_offset=100),
        )

    agree(look)


def decompression(data: bytes) -> None:
    """Each codec: the whole content within the limit, or an error."""
    if len(data) < 2:
        return
    codec, magic = data[0] % 4 + 1, data[1] % 3
    body = memoryview(data)[2:]

    def look(kw: ModuleType) -> Any:
        found = seen(kw, lambda: bytes(kw.records.compression.decompress(codec, magic, body, limits(kw))))
        if found[0] == "read" and len(found[1]) > 1 << 18:
            raise Broken(f"{len(found[1])} bytes with a limit of {1 << 18}")
        return found

    agree(look)


def messages(data: bytes) -> None:
    """A request or response of any API and version; what was read can be written, and reads the same again."""
    if len(data) < 3:
        return
    name, version = message_choice(data[0] | (data[1] & 3) << 8, data[2])
    body = data[3:]

    def look(kw: ModuleType) -> Any:
        cls = getattr(kw.messages, name)
        found = seen(kw, lambda: cls.decode(body, version))
        if found[0] != "read":
            return found
        message = found[1]
        again = cls.decode(message.encode(version), version)
        if shown(again) != shown(message):
            raise Broken(f"{name} v{version} reads otherwise once written: {message!r:.800} {again!r:.800}")
        return "read", shown(message), message.encode(version)

    agree(look)


def message_table() -> list[tuple[str, list[int]]]:
    """The messages that there are, and their versions: what the choice of the messages target is made from."""
    if not _table:
        kw = twins.load(twins.NAMES[0])
        with twins.using(kw):
            for key in range(200):
                for find in (kw.messages.request_class, kw.messages.response_class):
                    try:
                        cls = find(key)
                    except (kw.WireError, LookupError, ValueError):
                        continue
                    _table.append((cls.__name__, sorted(version for version in range(40) if version in cls.VERSIONS)))
    return _table


_table: list[tuple[str, list[int]]] = []


def message_choice(name: int, version: int) -> tuple[str, int]:
    table = message_table()
    chosen_name, versions = table[name % len(table)]
    return chosen_name, versions[version % len(versions)]


def ancient(data: bytes) -> None:
    """The 0.6 and 0.7 format: messages as objects and columns, and frames of requests."""
    how, data = data[0] if data else 0, data[1:]

    def look(kw: ModuleType) -> Any:
        v07, crc = kw.ancient.v07, bool(how & 1)
        if how & 2:
            request = seen(kw, lambda: v07.decode_request(data))
            return (shown(request[1]), request[1].encode()) if request[0] == "read" else request
        return (
            seen(kw, lambda: [tuple(one) for one in v07.read_messages(data, check_crc=crc, limits=limits(kw))]),
            seen(kw, lambda: v07.read_columns(data, check_crc=crc, limits=limits(kw)).to_arrow().to_pydict()),
            seen(kw, lambda: tuple(v07.split(data))),
        )

    agree(look)


def frames(data: bytes) -> None:
    """A stream gives the same frames however it is cut."""
    step, data = (data[0] if data else 0) or 1, data[1:]

    def look(kw: ModuleType) -> Any:
        def take(chunks: list[bytes]) -> Any:
            reader, taken = kw.frames.FrameReader(1 << 16), []

            def drain() -> None:
                while (one := reader.next_frame()) is not None:
                    taken.append(bytes(one))

            for chunk in chunks:
                reader.feed(chunk)
            return seen(kw, drain), taken, reader.partial, reader.missing

        whole = take([data])
        pieces = take([data[at : at + step] for at in range(0, len(data), step)])
        if whole != pieces:
            raise Broken(f"frames depend on the chunks: {whole!r:.800} {pieces!r:.800}")
        return whole

    agree(look)


TARGETS: dict[str, Callable[[bytes], None]] = {
    one.__name__: one for one in (records, columns, messages, decompression, ancient, frames)
}
