"""A small blocking client: sockets, TLS, SASL, retries, around :mod:`kafkawire.connection`.

::

    from kafkawire.client import Client, TopicPartition

    with Client({"bootstrap.servers": "localhost:9092"}) as client:
        at = TopicPartition("events", 0)
        start = client.list_offsets({at: "earliest"})[at].offset
        for batch in kafkawire.read_batches(client.fetch({at: start})[at].records):
            ...

It is what Spark's executors and the command line use. Group membership (joining, heartbeats, rebalances) is not here.
"""

from kafkawire.client.admin import NewTopic
from kafkawire.client.client import Client
from kafkawire.client.cluster import ClusterMetadata, Node, PartitionMetadata, TopicMetadata, TopicPartition
from kafkawire.client.config import ClientConfig, UnknownPropertyWarning, UnusedPropertyWarning
from kafkawire.client.errors import (
    BrokerAuthenticationError,
    BrokerConnectionError,
    BrokerProtocolError,
    ClientError,
    ClosedError,
    DeadlineError,
    OffsetOutOfRangeError,
    PartitionError,
    RefusedError,
    RequestTimeoutError,
)
from kafkawire.client.fetching import FetchedPartition, Fetcher, StartedFetch
from kafkawire.client.jaas import JaasEntry, parse_jaas
from kafkawire.client.offsets import CommittedOffset, OffsetAndTimestamp
from kafkawire.client.producing import Produced
from kafkawire.client.transactions import BatchSettings, IdempotentProducer, ProducerId

__all__ = [
    "BatchSettings",
    "BrokerAuthenticationError",
    "BrokerConnectionError",
    "BrokerProtocolError",
    "Client",
    "ClientConfig",
    "ClientError",
    "ClosedError",
    "ClusterMetadata",
    "CommittedOffset",
    "DeadlineError",
    "FetchedPartition",
    "Fetcher",
    "IdempotentProducer",
    "JaasEntry",
    "NewTopic",
    "Node",
    "OffsetAndTimestamp",
    "OffsetOutOfRangeError",
    "PartitionError",
    "PartitionMetadata",
    "Produced",
    "ProducerId",
    "RefusedError",
    "RequestTimeoutError",
    "StartedFetch",
    "TopicMetadata",
    "TopicPartition",
    "UnknownPropertyWarning",
    "UnusedPropertyWarning",
    "parse_jaas",
]
