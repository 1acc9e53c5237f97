"""The API keys, and from a key to its classes and header versions."""

from __future__ import annotations

from enum import IntEnum

from kafkawire import messages
from kafkawire.errors import UnsupportedError
from kafkawire.schema import Request, Response


class ApiKey(IntEnum):
    """Kafka's name of each API. Those from LEADER_AND_ISR to CONTROLLED_SHUTDOWN, 4 to 7, ended with Kafka 3.9."""

    PRODUCE = 0
    FETCH = 1
    LIST_OFFSETS = 2
    METADATA = 3
    LEADER_AND_ISR = 4
    STOP_REPLICA = 5
    UPDATE_METADATA = 6
    CONTROLLED_SHUTDOWN = 7
    OFFSET_COMMIT = 8
    OFFSET_FETCH = 9
    FIND_COORDINATOR = 10
    JOIN_GROUP = 11
    HEARTBEAT = 12
    LEAVE_GROUP = 13
    SYNC_GROUP = 14
    DESCRIBE_GROUPS = 15
    LIST_GROUPS = 16
    SASL_HANDSHAKE = 17
    API_VERSIONS = 18
    CREATE_TOPICS = 19
    DELETE_TOPICS = 20
    DELETE_RECORDS = 21
    INIT_PRODUCER_ID = 22
    OFFSET_FOR_LEADER_EPOCH = 23
    ADD_PARTITIONS_TO_TXN = 24
    ADD_OFFSETS_TO_TXN = 25
    END_TXN = 26
    WRITE_TXN_MARKERS = 27
    TXN_OFFSET_COMMIT = 28
    DESCRIBE_ACLS = 29
    CREATE_ACLS = 30
    DELETE_ACLS = 31
    DESCRIBE_CONFIGS = 32
    ALTER_CONFIGS = 33
    ALTER_REPLICA_LOG_DIRS = 34
    DESCRIBE_LOG_DIRS = 35
    SASL_AUTHENTICATE = 36
    CREATE_PARTITIONS = 37
    CREATE_DELEGATION_TOKEN = 38
    RENEW_DELEGATION_TOKEN = 39
    EXPIRE_DELEGATION_TOKEN = 40
    DESCRIBE_DELEGATION_TOKEN = 41
    DELETE_GROUPS = 42
    ELECT_LEADERS = 43
    INCREMENTAL_ALTER_CONFIGS = 44
    ALTER_PARTITION_REASSIGNMENTS = 45
    LIST_PARTITION_REASSIGNMENTS = 46
    OFFSET_DELETE = 47
    DESCRIBE_CLIENT_QUOTAS = 48
    ALTER_CLIENT_QUOTAS = 49
    DESCRIBE_USER_SCRAM_CREDENTIALS = 50
    ALTER_USER_SCRAM_CREDENTIALS = 51
    VOTE = 52
    BEGIN_QUORUM_EPOCH = 53
    END_QUORUM_EPOCH = 54
    DESCRIBE_QUORUM = 55
    ALTER_PARTITION = 56
    UPDATE_FEATURES = 57
    ENVELOPE = 58
    FETCH_SNAPSHOT = 59
    DESCRIBE_CLUSTER = 60
    DESCRIBE_PRODUCERS = 61
    BROKER_REGISTRATION = 62
    BROKER_HEARTBEAT = 63
    UNREGISTER_BROKER = 64
    DESCRIBE_TRANSACTIONS = 65
    LIST_TRANSACTIONS = 66
    ALLOCATE_PRODUCER_IDS = 67
    CONSUMER_GROUP_HEARTBEAT = 68
    CONSUMER_GROUP_DESCRIBE = 69
    CONTROLLER_REGISTRATION = 70
    GET_TELEMETRY_SUBSCRIPTIONS = 71
    PUSH_TELEMETRY = 72
    ASSIGN_REPLICAS_TO_DIRS = 73
    LIST_CONFIG_RESOURCES = 74
    DESCRIBE_TOPIC_PARTITIONS = 75
    SHARE_GROUP_HEARTBEAT = 76
    SHARE_GROUP_DESCRIBE = 77
    SHARE_FETCH = 78
    SHARE_ACKNOWLEDGE = 79
    ADD_RAFT_VOTER = 80
    REMOVE_RAFT_VOTER = 81
    UPDATE_RAFT_VOTER = 82
    INITIALIZE_SHARE_GROUP_STATE = 83
    READ_SHARE_GROUP_STATE = 84
    WRITE_SHARE_GROUP_STATE = 85
    DELETE_SHARE_GROUP_STATE = 86
    READ_SHARE_GROUP_STATE_SUMMARY = 87
    STREAMS_GROUP_HEARTBEAT = 88
    STREAMS_GROUP_DESCRIBE = 89
    DESCRIBE_SHARE_GROUP_OFFSETS = 90
    ALTER_SHARE_GROUP_OFFSETS = 91
    DELETE_SHARE_GROUP_OFFSETS = 92
    STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE = 93
    UNREGISTER_CONTROLLER = 94


def _class_name(api_key: int, suffix: str) -> str:
    try:
        name = ApiKey(api_key).name
    except ValueError:
        raise UnsupportedError(f"API key {api_key}", expected=f"0 to {max(ApiKey)}") from None
    return name.title().replace("_", "") + suffix


def request_class(api_key: int) -> type[Request]:
    """The request of an API; UnsupportedError for a key that there is not."""
    cls: type[Request] = getattr(messages, _class_name(api_key, "Request"))
    return cls


def response_class(api_key: int) -> type[Response]:
    """The response of an API; UnsupportedError for a key that there is not."""
    cls: type[Response] = getattr(messages, _class_name(api_key, "Response"))
    return cls


def request_header_version(api_key: int, version: int) -> int:
    """The version of the RequestHeader before a request: 2 in flexible versions, else 1.

    ControlledShutdown v0 alone, which had no client id, has 0. Raises UnsupportedError for an unknown key or version.
    """
    cls = request_class(api_key)
    _check(cls, version)
    if api_key == ApiKey.CONTROLLED_SHUTDOWN and version == 0:
        return 0
    return 2 if version in cls.FLEXIBLE else 1


def response_header_version(api_key: int, version: int) -> int:
    """The version of the ResponseHeader before a response: 1 in flexible versions, else 0.

    ApiVersions always has 0 (KIP-511): its client cannot know yet what the broker speaks. Raises UnsupportedError for
    an unknown key or version.
    """
    cls = response_class(api_key)
    _check(cls, version)
    return 1 if version in cls.FLEXIBLE and api_key != ApiKey.API_VERSIONS else 0


def _check(cls: type[Request] | type[Response], version: int) -> None:
    if version not in cls.VERSIONS:
        raise UnsupportedError(f"{cls.__name__} has no version {version}", expected=f"version {cls.VERSIONS}")
