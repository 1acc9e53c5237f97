"""``commitOffsets``: the offsets that a stream has read, committed to a consumer group, for Kafka's tools to show lag.

They are for people only: a stream starts again where Spark's checkpoint says.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import replace

from kafkawire.client import Client, ClientConfig, ClientError, TopicPartition
from kafkawire.errors import UnsupportedError

log = logging.getLogger(__name__)

_TIMEOUT_MS = 10_000
_PAUSE = 60.0  # seconds until the next try after one that failed
_UNKNOWN_MEMBER_ID = 25


class GroupOffsets:
    """Commits for one group. What goes wrong is a warning in the log, and tried again a minute later at the earliest:
    a query does not fail or wait for it."""

    def __init__(self, config: ClientConfig, group: str) -> None:
        timeout = min(config.default_api_timeout_ms, _TIMEOUT_MS)
        self._config = replace(
            config, default_api_timeout_ms=timeout, request_timeout_ms=min(config.request_timeout_ms, timeout)
        )
        self._group = group
        self._client: Client | None = None
        self._committed: Mapping[TopicPartition, int] = {}
        self._not_before = 0.0

    def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Commit these, of which everything before has been processed."""
        if offsets == self._committed or time.monotonic() < self._not_before:
            return
        try:
            if self._client is None:
                self._client = Client(self._config)
            self._client.commit_offsets(self._group, offsets)
        except (ClientError, UnsupportedError) as error:
            hint = ""
            if isinstance(error, ClientError) and error.code == _UNKNOWN_MEMBER_ID:
                hint = "; the group has active members, consumers of its own: give this query a group for itself"
            log.warning("commitOffsets: the offsets were not committed, the query goes on: %s%s", error, hint)
            self._not_before = time.monotonic() + _PAUSE
        else:
            self._committed = dict(offsets)

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()
            self._client = None
