"""A stream of topics: offsets that Spark keeps in its checkpoint, tasks that read what lies between two of them.

The order of Spark's calls, all of them in one process on the driver that lives as long as a run of the query:

- a new query: ``initialOffset``, ``latestOffset`` (4.0 and 4.1 in the other order), ``partitions``;
- from a checkpoint: ``partitions(o, o)`` with the end ``o`` of the last batch, then, if that batch was not done,
  ``partitions`` for it (the first one's start is asked for again by ``initialOffset``: a checkpoint has only ends);
- for each batch ``latestOffset``, after all before it is done; then ``commit`` of the one before; then ``partitions``;
- ``prepareForTriggerAvailableNow`` before all of these. 4.0 and 4.1 have one batch for AvailableNow; with
  spark.sql.streaming.triggerAvailableNowWrapper.enabled they call ``latestOffset`` here, and keep what it gives.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from kafkawire.client import Client, TopicPartition
from kafkawire.spark.admission import Patience, at_most
from kafkawire.spark.consume import read_range
from kafkawire.spark.given import OptionError
from kafkawire.spark.group import GroupOffsets
from kafkawire.spark.live_options import LATEST, LiveOptions
from kafkawire.spark.planning import OffsetRange, Offsets, Planner, divide, report_data_loss

if TYPE_CHECKING:
    from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, SupportsTriggerAvailableNow
else:
    try:
        from pyspark.sql.streaming.datasource import ReadAllAvailable, SupportsTriggerAvailableNow
    except ImportError:  # before 4.2, which asks for neither

        class ReadAllAvailable: ...

        class SupportsTriggerAvailableNow: ...


def to_json(offsets: Mapping[TopicPartition, int]) -> dict[str, dict[str, int]]:
    """Offsets as Spark's own Kafka source writes them into checkpoints; equal ones make equal text."""
    found: dict[str, dict[str, int]] = {}
    for at in sorted(offsets):
        found.setdefault(at.topic, {})[str(at.partition)] = offsets[at]
    return found


def from_json(found: Mapping[str, Mapping[str, int]]) -> Offsets:
    """The same back; raises OptionError for what is not of this form."""
    try:
        return {
            TopicPartition(topic, int(partition)): int(offset)
            for topic, partitions in found.items()
            for partition, offset in partitions.items()
        }
    except (AttributeError, TypeError, ValueError):
        raise OptionError(f'checkpoint: {found!r} are no offsets of topics, such as {{"topic": {{"0": 23}}}}') from None


def live_stream_reader(options: LiveOptions) -> DataSourceStreamReader:
    """The reader, for every version of PySpark."""
    return LiveStreamReader(options)


class LiveStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """What PySpark asks of a stream; in one process on the driver, but for ``read``."""

    def __init__(self, options: LiveOptions) -> None:
        self.options = options
        self._client: Client | None = None  # opened when first needed: this object travels to the executors for read
        self._group = GroupOffsets(options.config, options.group) if options.group is not None else None
        self._patience = Patience(options.min_offsets_per_trigger, options.max_trigger_delay_ms)
        #: Where a new query starts, and where its first batch ends at most.
        self._initial: Offsets | None = None
        self._first_ends: Offsets | None = None
        #: The end of the last batch that was planned.
        self._planned: Offsets | None = None
        #: Where the partitions ended when they were last asked.
        self._latest: Offsets | None = None
        #: Where a run with the trigger AvailableNow ends.
        self._target: Offsets | None = None

    # ---- what Spark asks, by its names ----

    def initialOffset(self) -> dict[str, Any]:
        """Where a new query starts. Always the same in one run.

        Where it starts at the latest offset, its first batch is empty: it would start elsewhere if it had to be done
        again after a crash, and what came in between would be lost.
        """
        if self._initial is None:
            if self._first_ends is None:
                self._first_ends = self._ask_latest({})
            ends = self._first_ends
            starts = self._planner().starting(list(ends))
            self._initial = {at: min(start, ends[at]) if self._floats(at) else start for at, start in starts.items()}
        return to_json(self._initial)

    def latestOffset(self, start: dict[str, Any] | None = None, limit: ReadLimit | None = None) -> dict[str, Any]:
        """Where the next batch ends. Before 4.2 Spark gives no start: it is the end of the batch that was planned last,
        and without one (the first call of a run) nothing limits the batch."""
        done = self._planned if start is None else from_json(start)
        if done is None:
            ends = self._ask_latest({})
            if self._first_ends is None:
                self._first_ends = ends
            return to_json(ends)
        if done != self._initial:
            self._commit(done)
        ends = self._ask_latest(done)
        if start is not None and self._first_ends is not None:
            if done == self._initial:
                ends = self._first_ends
            self._first_ends = None
        self._check(done, ends)
        if isinstance(limit, ReadAllAvailable):
            return to_json(ends)
        return to_json(self._limited(done, ends, getattr(limit, "max_rows", self.options.max_offsets_per_trigger)))

    def getDefaultReadLimit(self) -> ReadLimit:
        """What Spark gives to latestOffset (4.2), if not the trigger Once asks for everything."""
        from pyspark.sql.streaming.datasource import ReadMaxRows, ReadMinRows

        if self.options.max_offsets_per_trigger is not None:
            return ReadMaxRows(self.options.max_offsets_per_trigger)
        if self.options.min_offsets_per_trigger is not None:
            return ReadMinRows(self.options.min_offsets_per_trigger)
        return ReadAllAvailable()

    def reportLatestOffset(self) -> dict[str, Any] | None:
        """Where the partitions ended when latestOffset asked, for the progress of the query."""
        return None if self._latest is None else to_json(self._latest)

    def prepareForTriggerAvailableNow(self) -> None:
        """What is there now is what this run reads."""
        planner = self._planner()
        self._target = planner.latest(planner.partitions(), {})

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """The tasks of a batch."""
        starts, ends = from_json(start), from_json(end)
        self._planned = ends
        if starts == ends:
            return []
        if starts == self._initial:
            # The first batch, maybe once more after a crash: partitions that came in between, and those that started
            # at the latest offset then (see initialOffset), are none of it.
            later = [at for at in starts if at not in ends or (starts[at] > ends[at] and self._floats(at))]
            starts = {at: starts[at] for at in starts if at not in later}
            ends = {at: ends[at] for at in ends if at not in later}
        starts |= self._added([at for at in ends if at not in starts])
        self._check(starts, ends)
        ranges = [OffsetRange(*at, starts[at], ends[at]) for at in sorted(ends.keys() & starts.keys())]
        return [InputPartition(part) for part in divide(ranges, self.options)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a task; on an executor."""
        return read_range(partition.value, self.options)

    def commit(self, end: dict[str, Any]) -> None:
        """Everything before ``end`` is done."""
        self._commit(from_json(end))

    def stop(self) -> None:
        """Close the connections."""
        if self._group is not None:
            self._group.close()
        if self._client is not None:
            self._client.close()
            self._client = None

    # ---- inside ----

    def _planner(self) -> Planner:
        if self._client is None:
            self._client = Client(self.options.config)
        return Planner(self._client, self.options)

    def _ask_latest(self, done: Offsets) -> Offsets:
        planner = self._planner()
        if self._target is None:
            self._latest = planner.latest(planner.partitions(), done)
        else:
            # A broker that was behind when the run was prepared: what is done was there already.
            behind = [at for at, end in self._target.items() if end < done.get(at, 0)]
            if behind:
                self._target |= planner.latest(behind, done)
            self._latest = self._target
        return dict(self._latest)

    def _limited(self, done: Offsets, ends: Offsets, most: int | None) -> Offsets:
        least = self.options.min_offsets_per_trigger
        if most is None and least is None:
            return ends
        new = [at for at in ends if at not in done]
        starts = {**done, **(self._planner().earliest(new) if new else {})}
        # A run that reads what is there has nothing to wait for.
        if self._target is None and self._patience.waits(starts, ends):
            return done
        return ends if most is None else at_most(most, starts, ends)

    def _floats(self, at: TopicPartition) -> bool:
        """Whether the start of a new query is another one when it is asked for later."""
        starting = self.options.starting
        if starting.offsets is not None:
            return starting.offsets.get(at) == LATEST
        return starting.moment != "earliest"

    def _check(self, starts: Offsets, ends: Offsets) -> None:
        """Report data loss where partitions, or offsets of them, are gone."""
        gone = sorted(starts.keys() - ends.keys())
        if gone:
            report_data_loss(self.options, f"{_names(gone)}: gone, deleted or not among the topics to read any more")
        for at in sorted(starts.keys() & ends.keys()):
            if ends[at] < starts[at]:
                report_data_loss(
                    self.options,
                    f"{at.topic}-{at.partition} ends at the offset {ends[at]}, before {starts[at]} where this stream "
                    "stands (the topic was created anew, or an unclean leader election cut it)",
                )

    def _added(self, new: Collection[TopicPartition]) -> Offsets:
        """Where partitions start that were not there before; from their first record on, else data is lost."""
        if not new:
            return {}
        planner = self._planner()
        there = set(planner.partitions())
        gone = sorted(set(new) - there)
        if gone:
            report_data_loss(self.options, f"{_names(gone)}: new, and gone before they were read")
        found = planner.earliest([at for at in new if at in there])
        for at in sorted(found):
            if found[at]:
                report_data_loss(
                    self.options, f"{at.topic}-{at.partition}: new, but starts at the offset {found[at]} and not at 0"
                )
        return found

    def _commit(self, done: Offsets) -> None:
        if self._group is not None and done:
            self._group.commit(done)


def _names(partitions: Collection[TopicPartition]) -> str:
    return ", ".join(f"{at.topic}-{at.partition}" for at in partitions)
