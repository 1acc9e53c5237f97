"""Fetch sessions (KIP-227): after the first request to a broker, name only what changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from kafkawire.client.cluster import TopicPartition
from kafkawire.messages import FetchRequest, FetchResponse
from kafkawire.schema import ZERO_UUID

_LARGEST_EPOCH = 0x7FFFFFFF
_NO_SESSION_EPOCH = -1


class Wanted(NamedTuple):
    """What to fetch of a partition: from where on, how much (bytes), and the leader's epoch that the client knows."""

    offset: int
    max_bytes: int
    leader_epoch: int
    topic_id: UUID


@dataclass
class FetchSession:
    """One broker's session. The broker may refuse it (id 0): then every request names all partitions.

    ``enabled``: False asks for none.
    """

    enabled: bool = True
    session_id: int = 0
    epoch: int = 0

    def __post_init__(self) -> None:
        self._partitions: dict[TopicPartition, Wanted] = {}

    def fill(self, request: FetchRequest, wanted: dict[TopicPartition, Wanted], with_ids: bool) -> None:
        """Write the topics of a request, all of them or those that changed.

        ``with_ids``: whether its version names topics by id. Ids come and go with a topic: a changed one is another
        topic.
        """
        forgotten: list[tuple[TopicPartition, Wanted]] = []
        named = wanted
        if self.enabled and self.epoch > 0:
            named = {at: one for at, one in wanted.items() if self._partitions.get(at) != one}
            forgotten = [
                (at, old)
                for at, old in self._partitions.items()
                if at not in wanted or (with_ids and wanted[at].topic_id != old.topic_id)
            ]
        topics: dict[str, FetchRequest.Topic] = {}
        for at, one in named.items():
            topic = topics.setdefault(at.topic, FetchRequest.Topic(topic=at.topic, topic_id=one.topic_id))
            topic.partitions.append(
                FetchRequest.Topic.Partition(
                    partition=at.partition,
                    current_leader_epoch=one.leader_epoch,
                    fetch_offset=one.offset,
                    partition_max_bytes=one.max_bytes,
                )
            )
        dropped: dict[tuple[str, UUID], FetchRequest.ForgottenTopicsData] = {}
        for at, old in forgotten:
            key = (at.topic, old.topic_id)
            gone = dropped.setdefault(key, FetchRequest.ForgottenTopicsData(topic=at.topic, topic_id=old.topic_id))
            gone.partitions.append(at.partition)
        request.topics = list(topics.values())
        request.forgotten_topics_data = list(dropped.values())
        request.session_id = self.session_id if self.enabled else 0
        request.session_epoch = self.epoch if self.enabled else _NO_SESSION_EPOCH
        self._partitions = dict(wanted)

    def answered(self, response: FetchResponse) -> None:
        """Go on to the next epoch, or without a session where the broker gave none."""
        if not self.enabled or response.session_id == 0:
            self.reset()
        else:
            self.session_id = response.session_id
            self.epoch = 1 if self.epoch == _LARGEST_EPOCH else self.epoch + 1

    def reset(self) -> None:
        """Begin anew with a full request: after an error, or when the connection broke."""
        self.session_id, self.epoch = 0, 0
        self._partitions = {}

    def name_of(self, topic_id: UUID) -> str | None:
        """The topic of an id in this session."""
        if topic_id == ZERO_UUID:
            return None
        return next((at.topic for at, one in self._partitions.items() if one.topic_id == topic_id), None)
