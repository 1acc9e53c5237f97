"""Every error code of the protocol: its name, whether to try again, and an exception for it on request.

``retriable`` and ``invalid_metadata`` are those of the Java client's exceptions: the first says that the same request
may succeed later, the second that the client should ask for metadata before.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple


class ErrorCode(NamedTuple):
    """A row of the table. ``name`` is Kafka's; ``message`` says in a sentence what it means."""

    code: int
    name: str
    retriable: bool
    invalid_metadata: bool
    message: str


class BrokerError(Exception):
    """An error code in a response; each code has a class of its own, see :func:`error_class`."""

    code: int = -1
    name: str = "UNKNOWN_SERVER_ERROR"
    retriable: bool = False
    invalid_metadata: bool = False

    def __init__(self, message: str | None = None) -> None:
        super().__init__(f"{self.name} ({self.code}): {message or ERRORS[self.code].message}")
        self.message = message

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.code, self.message)


def _rebuild(code: int, message: str | None) -> BrokerError:
    return error_class(code)(message)


class _Errors(dict[int, ErrorCode]):
    """The table; a code that it lacks gets a row that says so."""

    def __missing__(self, code: int) -> ErrorCode:
        return ErrorCode(code, f"UNKNOWN_ERROR_CODE_{code}", False, False, "This library does not know the code.")


@cache
def error_class(code: int) -> type[BrokerError]:
    """The exception class of a code: for 6 it is NotLeaderOrFollowerError, an attribute of this module too."""
    row = ERRORS[code]
    return type(_class_name(row), (BrokerError,), {"__module__": __name__, "__doc__": row.message, **row._asdict()})


def _class_name(row: ErrorCode) -> str:
    words = row.name.removesuffix("_EXCEPTION").removesuffix("_ERROR")
    return words.title().replace("_", "") + "Error"


def raise_for_code(code: int, message: str | None = None) -> None:
    """Raise the exception of a code, with the broker's ``message`` if it sent one; 0 raises nothing."""
    if code != 0:
        raise error_class(code)(message)


def __getattr__(name: str) -> type[BrokerError]:
    if name.endswith("Error"):
        for row in ERRORS.values():
            if row.code and _class_name(row) == name:
                return error_class(row.code)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_RETRY = "retry"
_REFRESH = "retry with new metadata"

# (code, name, whether to retry, what it means)
_ROWS: tuple[tuple[int, str, str, str], ...] = (
    (-1, "UNKNOWN_SERVER_ERROR", "", "The broker failed in a way that has no code of its own."),
    (0, "NONE", "", "No error."),
    (1, "OFFSET_OUT_OF_RANGE", "", "The offset asked for lies outside of what the partition holds."),
    (2, "CORRUPT_MESSAGE", _RETRY, "The records are damaged: a checksum, a size or a key is wrong."),
    (3, "UNKNOWN_TOPIC_OR_PARTITION", _REFRESH, "The broker does not have this topic or partition."),
    (4, "INVALID_FETCH_SIZE", "", "The fetch size is not a legal one."),
    (5, "LEADER_NOT_AVAILABLE", _REFRESH, "The partition has no leader at the moment."),
    (6, "NOT_LEADER_OR_FOLLOWER", _REFRESH, "The broker is not the leader of the partition, or no replica of it."),
    (7, "REQUEST_TIMED_OUT", _RETRY, "The broker did not finish in the time that the request gave it."),
    (8, "BROKER_NOT_AVAILABLE", "", "The broker is down."),
    (9, "REPLICA_NOT_AVAILABLE", _REFRESH, "The replica is down, or the broker has none."),
    (10, "MESSAGE_TOO_LARGE", "", "A record or batch is larger than the topic allows."),
    (11, "STALE_CONTROLLER_EPOCH", "", "The request comes from a controller that has been replaced."),
    (12, "OFFSET_METADATA_TOO_LARGE", "", "The metadata of an offset commit is too long."),
    (13, "NETWORK_EXCEPTION", _REFRESH, "The connection broke before the answer came."),
    (14, "COORDINATOR_LOAD_IN_PROGRESS", _RETRY, "The coordinator is still loading its state."),
    (15, "COORDINATOR_NOT_AVAILABLE", _RETRY, "There is no coordinator at the moment."),
    (16, "NOT_COORDINATOR", _RETRY, "The broker does not coordinate this group or transaction."),
    (17, "INVALID_TOPIC_EXCEPTION", "", "The topic's name is illegal, or the topic may not be used so."),
    (18, "RECORD_LIST_TOO_LARGE", "", "The batch is larger than a segment may be."),
    (19, "NOT_ENOUGH_REPLICAS", _RETRY, "Too few replicas are in sync for acks=all."),
    (
        20,
        "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
        _RETRY,
        "The records were written, but then too few replicas were in sync.",
    ),
    (21, "INVALID_REQUIRED_ACKS", "", "acks is neither -1, 0 nor 1."),
    (22, "ILLEGAL_GENERATION", "", "The generation is not the group's current one."),
    (23, "INCONSISTENT_GROUP_PROTOCOL", "", "The member shares no protocol with the group, or names none."),
    (24, "INVALID_GROUP_ID", "", "The group id is not a legal one."),
    (25, "UNKNOWN_MEMBER_ID", "", "The group does not have this member."),
    (26, "INVALID_SESSION_TIMEOUT", "", "The session timeout is outside of the broker's limits."),
    (27, "REBALANCE_IN_PROGRESS", "", "The group rebalances: join it again."),
    (28, "INVALID_COMMIT_OFFSET_SIZE", "", "The offset commit is too large to be stored."),
    (29, "TOPIC_AUTHORIZATION_FAILED", "", "The user may not do this to the topic."),
    (30, "GROUP_AUTHORIZATION_FAILED", "", "The user may not do this to the group."),
    (31, "CLUSTER_AUTHORIZATION_FAILED", "", "The user may not do this to the cluster."),
    (32, "INVALID_TIMESTAMP", "", "A record's timestamp is too far from the broker's clock."),
    (33, "UNSUPPORTED_SASL_MECHANISM", "", "The broker does not offer this SASL mechanism."),
    (34, "ILLEGAL_SASL_STATE", "", "The request does not belong in this phase of authentication."),
    (35, "UNSUPPORTED_VERSION", "", "The broker does not speak this version of the API."),
    (36, "TOPIC_ALREADY_EXISTS", "", "There is already a topic of this name."),
    (37, "INVALID_PARTITIONS", "", "The number of partitions is not a legal one."),
    (38, "INVALID_REPLICATION_FACTOR", "", "The replication factor is not positive, or above the number of brokers."),
    (39, "INVALID_REPLICA_ASSIGNMENT", "", "The assignment of replicas is not a legal one."),
    (40, "INVALID_CONFIG", "", "A configuration is not a legal one."),
    (41, "NOT_CONTROLLER", _RETRY, "The broker is not the controller."),
    (42, "INVALID_REQUEST", "", "The request contradicts itself, or its version."),
    (43, "UNSUPPORTED_FOR_MESSAGE_FORMAT", "", "The topic's message format cannot do this."),
    (44, "POLICY_VIOLATION", "", "A policy of the cluster forbids this."),
    (45, "OUT_OF_ORDER_SEQUENCE_NUMBER", "", "The producer's sequence number leaves a gap."),
    (46, "DUPLICATE_SEQUENCE_NUMBER", "", "The producer's sequence number was written already."),
    (47, "INVALID_PRODUCER_EPOCH", "", "The producer's epoch is older than the one that the broker knows."),
    (48, "INVALID_TXN_STATE", "", "The transaction's state does not allow this."),
    (49, "INVALID_PRODUCER_ID_MAPPING", "", "The producer id does not belong to the transactional id."),
    (50, "INVALID_TRANSACTION_TIMEOUT", "", "The transaction timeout is above the broker's limit."),
    (51, "CONCURRENT_TRANSACTIONS", _RETRY, "Another step of the same transaction is under way."),
    (52, "TRANSACTION_COORDINATOR_FENCED", "", "The transaction coordinator has been replaced by another."),
    (53, "TRANSACTIONAL_ID_AUTHORIZATION_FAILED", "", "The user may not use this transactional id."),
    (54, "SECURITY_DISABLED", "", "The cluster has no authorizer or no security for this."),
    (55, "OPERATION_NOT_ATTEMPTED", "", "Nothing was tried, for something else in the request failed."),
    (56, "KAFKA_STORAGE_ERROR", _REFRESH, "The broker's disk failed."),
    (57, "LOG_DIR_NOT_FOUND", "", "The broker does not have this log directory."),
    (58, "SASL_AUTHENTICATION_FAILED", "", "The SASL credentials were refused."),
    (59, "UNKNOWN_PRODUCER_ID", "", "The broker knows nothing of this producer any more."),
    (60, "REASSIGNMENT_IN_PROGRESS", "", "The partition's replicas are already on the move."),
    (61, "DELEGATION_TOKEN_AUTH_DISABLED", "", "Delegation tokens are not enabled."),
    (62, "DELEGATION_TOKEN_NOT_FOUND", "", "The broker does not have this delegation token."),
    (63, "DELEGATION_TOKEN_OWNER_MISMATCH", "", "The token belongs to somebody else."),
    (64, "DELEGATION_TOKEN_REQUEST_NOT_ALLOWED", "", "Tokens cannot be had over this kind of connection."),
    (65, "DELEGATION_TOKEN_AUTHORIZATION_FAILED", "", "The user may not do this to delegation tokens."),
    (66, "DELEGATION_TOKEN_EXPIRED", "", "The delegation token has expired."),
    (67, "INVALID_PRINCIPAL_TYPE", "", "The broker does not know this kind of principal."),
    (68, "NON_EMPTY_GROUP", "", "The group still has members."),
    (69, "GROUP_ID_NOT_FOUND", "", "There is no group of this id."),
    (70, "FETCH_SESSION_ID_NOT_FOUND", _RETRY, "The broker has forgotten the fetch session."),
    (71, "INVALID_FETCH_SESSION_EPOCH", _RETRY, "The epoch of the fetch session is not the expected one."),
    (72, "LISTENER_NOT_FOUND", _REFRESH, "The leader has no endpoint of the listener that the client came through."),
    (73, "TOPIC_DELETION_DISABLED", "", "Deleting topics is disabled."),
    (74, "FENCED_LEADER_EPOCH", _REFRESH, "The leader epoch that the client knows is older than the broker's."),
    (75, "UNKNOWN_LEADER_EPOCH", _RETRY, "The leader epoch that the client knows is newer than the broker's."),
    (76, "UNSUPPORTED_COMPRESSION_TYPE", "", "The client's version cannot read the compression of these records."),
    (77, "STALE_BROKER_EPOCH", "", "The broker's registration has been replaced by another."),
    (78, "OFFSET_NOT_AVAILABLE", _RETRY, "The leader, newly elected, cannot give this offset yet."),
    (79, "MEMBER_ID_REQUIRED", "", "Join again with the member id that the coordinator gave."),
    (80, "PREFERRED_LEADER_NOT_AVAILABLE", _REFRESH, "The preferred replica cannot lead at the moment."),
    (81, "GROUP_MAX_SIZE_REACHED", "", "The group is full."),
    (82, "FENCED_INSTANCE_ID", "", "Another member has taken over the static instance id."),
    (83, "ELIGIBLE_LEADERS_NOT_AVAILABLE", _REFRESH, "No replica that may lead is up."),
    (84, "ELECTION_NOT_NEEDED", _REFRESH, "The partition has the leader that it should have."),
    (85, "NO_REASSIGNMENT_IN_PROGRESS", "", "No replica of the partition is on the move."),
    (86, "GROUP_SUBSCRIBED_TO_TOPIC", "", "The group subscribes to the topic, whose offsets therefore stay."),
    (87, "INVALID_RECORD", "", "The broker refused a record for its content."),
    (88, "UNSTABLE_OFFSET_COMMIT", _RETRY, "An open transaction has yet to settle these offsets."),
    (89, "THROTTLING_QUOTA_EXCEEDED", _RETRY, "A quota is exceeded for now."),
    (90, "PRODUCER_FENCED", "", "A newer producer has the same transactional id."),
    (91, "RESOURCE_NOT_FOUND", "", "There is no such resource."),
    (92, "DUPLICATE_RESOURCE", "", "The request names something twice."),
    (93, "UNACCEPTABLE_CREDENTIAL", "", "The credential does not meet the broker's demands."),
    (94, "INCONSISTENT_VOTER_SET", "", "Sender and receiver know different sets of voters."),
    (95, "INVALID_UPDATE_VERSION", "", "The feature's version cannot be changed so."),
    (96, "FEATURE_UPDATE_FAILED", "", "The features could not be changed."),
    (97, "PRINCIPAL_DESERIALIZATION_FAILURE", "", "The controller cannot read the principal of a forwarded request."),
    (98, "SNAPSHOT_NOT_FOUND", "", "There is no such snapshot."),
    (99, "POSITION_OUT_OF_RANGE", "", "The position lies outside of the snapshot."),
    (100, "UNKNOWN_TOPIC_ID", _REFRESH, "The broker does not have a topic of this id."),
    (101, "DUPLICATE_BROKER_REGISTRATION", "", "A broker of this id is registered already."),
    (102, "BROKER_ID_NOT_REGISTERED", "", "No broker of this id is registered."),
    (103, "INCONSISTENT_TOPIC_ID", _REFRESH, "The topic's id in the log differs from that of the request."),
    (104, "INCONSISTENT_CLUSTER_ID", "", "The request is for another cluster."),
    (105, "TRANSACTIONAL_ID_NOT_FOUND", "", "There is no transaction of this id."),
    (106, "FETCH_SESSION_TOPIC_ID_ERROR", _RETRY, "The fetch session and the request disagree on topic ids."),
    (107, "INELIGIBLE_REPLICA", "", "The replica may not be in sync now."),
    (108, "NEW_LEADER_ELECTED", "", "The change brought a new leader, the sender is none any more."),
    (109, "OFFSET_MOVED_TO_TIERED_STORAGE", "", "The offset is in remote storage only."),
    (110, "FENCED_MEMBER_EPOCH", "", "The member's epoch is too old or too new: join again."),
    (111, "UNRELEASED_INSTANCE_ID", "", "The static instance id is still in use."),
    (112, "UNSUPPORTED_ASSIGNOR", "", "The broker does not have this assignor."),
    (113, "STALE_MEMBER_EPOCH", "", "The member's epoch is old: take the new one from a heartbeat."),
    (
        114,
        "MISMATCHED_ENDPOINT_TYPE",
        "",
        "This endpoint is one of brokers where controllers are meant, or the reverse.",
    ),
    (115, "UNSUPPORTED_ENDPOINT_TYPE", "", "The endpoint type is not supported."),
    (116, "UNKNOWN_CONTROLLER_ID", "", "There is no controller of this id."),
    (117, "UNKNOWN_SUBSCRIPTION_ID", "", "The client's metrics subscription has changed."),
    (118, "TELEMETRY_TOO_LARGE", "", "The metrics are larger than the broker takes."),
    (119, "INVALID_REGISTRATION", "", "The registration of the broker or controller is not a legal one."),
    (120, "TRANSACTION_ABORTABLE", "", "The transaction must be aborted, and can then be tried again."),
    (121, "INVALID_RECORD_STATE", "", "The record's state does not allow this acknowledgement."),
    (122, "SHARE_SESSION_NOT_FOUND", _RETRY, "The broker has forgotten the share session."),
    (123, "INVALID_SHARE_SESSION_EPOCH", _RETRY, "The epoch of the share session is not the expected one."),
    (124, "FENCED_STATE_EPOCH", "", "The share partition's state epoch has moved on."),
    (125, "INVALID_VOTER_KEY", "", "The voter's id does not come with the expected directory id."),
    (126, "DUPLICATE_VOTER", "", "The voter is in the quorum already."),
    (127, "VOTER_NOT_FOUND", "", "The voter is not in the quorum."),
    (128, "INVALID_REGULAR_EXPRESSION", "", "The regular expression cannot be read."),
    (129, "REBOOTSTRAP_REQUIRED", "", "The client must begin again from its bootstrap servers."),
    (130, "STREAMS_INVALID_TOPOLOGY", "", "The topology is not a legal one."),
    (131, "STREAMS_INVALID_TOPOLOGY_EPOCH", "", "The topology's epoch is not a legal one."),
    (132, "STREAMS_TOPOLOGY_FENCED", "", "The topology's epoch is older than the group's."),
    (133, "SHARE_SESSION_LIMIT_REACHED", _RETRY, "The broker has no room for another share session."),
    (134, "GROUP_DELETION_FAILED", "", "The group could not be deleted."),
    (135, "STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED", "", "The topology's description could not be stored."),
    (136, "CONTROLLER_ID_NOT_REGISTERED", "", "No controller of this id is registered."),
)

#: The table, by code.
ERRORS: dict[int, ErrorCode] = _Errors(
    (code, ErrorCode(code, name, bool(retry), retry == _REFRESH, message)) for code, name, retry, message in _ROWS
)
