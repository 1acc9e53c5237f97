"""Group coordination: the classic protocol of consumers, Connect and others, and listing groups."""

from kafkawire.schema import Bool, Bytes, Int8, Int16, Int32, Request, Response, String, Struct, field


class FindCoordinatorRequest(Request, key=10, versions="0-6", flexible="3+"):
    """Ask which broker coordinates a group, a transactional id or a share partition."""

    key: String = field("0-3")
    key_type: Int8 = field("1+")  # 0 group, 1 transaction, 2 share partition
    coordinator_keys: list[String] = field("4+")


class FindCoordinatorResponse(Response, key=10, versions="0-6", flexible="3+"):
    """The coordinator's address; from version 4 on one for each key."""

    class Coordinator(Struct):
        key: String = field()
        node_id: Int32 = field()
        host: String = field()
        port: Int32 = field()
        error_code: Int16 = field()
        error_message: String | None = field(ignorable=True)

    throttle_time_ms: Int32 = field("1+", ignorable=True)
    error_code: Int16 = field("0-3")
    error_message: String | None = field("1-3", ignorable=True)
    node_id: Int32 = field("0-3")
    host: String = field("0-3")
    port: Int32 = field("0-3")
    coordinators: list[Coordinator] = field("4+")


class JoinGroupRequest(Request, key=11, versions="0-9", flexible="6+"):
    """Enter a group, or a new round of it: the first step of the classic rebalance."""

    class Protocol(Struct):
        name: String = field()
        metadata: Bytes = field()

    group_id: String = field()
    session_timeout_ms: Int32 = field()
    rebalance_timeout_ms: Int32 = field("1+", default=-1, ignorable=True)
    member_id: String = field()
    group_instance_id: String | None = field("5+", default=None)  # set by static members (KIP-345)
    protocol_type: String = field()
    protocols: list[Protocol] = field()
    reason: String | None = field("8+", default=None, ignorable=True)


class JoinGroupResponse(Response, key=11, versions="0-9", flexible="6+"):
    """The new generation; for the leader also everyone's metadata, from which it computes the assignment."""

    class Member(Struct):
        member_id: String = field()
        group_instance_id: String | None = field("5+", default=None, ignorable=True)  # set by static members (KIP-345)
        metadata: Bytes = field()

    throttle_time_ms: Int32 = field("2+", ignorable=True)
    error_code: Int16 = field()
    generation_id: Int32 = field(default=-1)  # the round of the rebalance that the member is in
    protocol_type: String | None = field("7+", default=None, ignorable=True)
    protocol_name: String | None = field(nullable="7+")
    leader: String = field()
    skip_assignment: Bool = field("9+")  # a leader that rejoins need not assign again
    member_id: String = field()
    members: list[Member] = field()


class SyncGroupRequest(Request, key=14, versions="0-5", flexible="4+"):
    """The second step of the rebalance: the leader hands in all assignments, the others none."""

    class Assignment(Struct):
        member_id: String = field()
        assignment: Bytes = field()

    group_id: String = field()
    generation_id: Int32 = field()  # the round of the rebalance that the member is in
    member_id: String = field()
    group_instance_id: String | None = field("3+", default=None)  # set by static members (KIP-345)
    protocol_type: String | None = field("5+", default=None, ignorable=True)
    protocol_name: String | None = field("5+", default=None, ignorable=True)
    assignments: list[Assignment] = field()


class SyncGroupResponse(Response, key=14, versions="0-5", flexible="4+"):
    """The assignment of the member that asked."""

    throttle_time_ms: Int32 = field("1+", ignorable=True)
    error_code: Int16 = field()
    protocol_type: String | None = field("5+", default=None, ignorable=True)
    protocol_name: String | None = field("5+", default=None, ignorable=True)
    assignment: Bytes = field()


class HeartbeatRequest(Request, key=12, versions="0-4", flexible="4+"):
    """Tell the coordinator that a member lives, and hear whether a rebalance has begun."""

    group_id: String = field()
    generation_id: Int32 = field()  # the round of the rebalance that the member is in
    member_id: String = field()
    group_instance_id: String | None = field("3+", default=None)  # set by static members (KIP-345)


class HeartbeatResponse(Response, key=12, versions="0-4", flexible="4+"):
    """NONE, or REBALANCE_IN_PROGRESS, upon which the member joins again."""

    throttle_time_ms: Int32 = field("1+", ignorable=True)
    error_code: Int16 = field()


class LeaveGroupRequest(Request, key=13, versions="0-5", flexible="4+"):
    """Leave a group; from version 3 on several members at once, by member or instance id."""

    class Member(Struct):
        member_id: String = field()
        group_instance_id: String | None = field(default=None)  # set by static members (KIP-345)
        reason: String | None = field("5+", default=None, ignorable=True)

    group_id: String = field()
    member_id: String = field("0-2")
    members: list[Member] = field("3+")


class LeaveGroupResponse(Response, key=13, versions="0-5", flexible="4+"):
    """Whether each member was removed."""

    class Member(Struct):
        member_id: String = field()
        group_instance_id: String | None = field()  # set by static members (KIP-345)
        error_code: Int16 = field()

    throttle_time_ms: Int32 = field("1+", ignorable=True)
    error_code: Int16 = field()
    members: list[Member] = field("3+")


class DescribeGroupsRequest(Request, key=15, versions="0-6", flexible="5+"):
    """Ask for the state and members of classic groups."""

    groups: list[String] = field()
    include_authorized_operations: Bool = field("3+")


class DescribeGroupsResponse(Response, key=15, versions="0-6", flexible="5+"):
    """State, protocol and members of each group."""

    class Group(Struct):
        class Member(Struct):
            member_id: String = field()
            # set by static members (KIP-345)
            group_instance_id: String | None = field("4+", default=None, ignorable=True)
            client_id: String = field()
            client_host: String = field()
            member_metadata: Bytes = field()
            member_assignment: Bytes = field()

        error_code: Int16 = field()
        error_message: String | None = field("6+", default=None)
        group_id: String = field()
        group_state: String = field()
        protocol_type: String = field()
        protocol_data: String = field()
        members: list[Member] = field()
        # a bit for each operation allowed, -2147483648 if not asked for
        authorized_operations: Int32 = field("3+", default=-2147483648)

    throttle_time_ms: Int32 = field("1+", ignorable=True)
    groups: list[Group] = field()


class ListGroupsRequest(Request, key=16, versions="0-5", flexible="3+"):
    """List the groups that a broker coordinates."""

    states_filter: list[String] = field("4+")
    types_filter: list[String] = field("5+")


class ListGroupsResponse(Response, key=16, versions="0-5", flexible="3+"):
    """Id, type and state of each group."""

    class Group(Struct):
        group_id: String = field()
        protocol_type: String = field()
        group_state: String = field("4+", ignorable=True)
        group_type: String = field("5+", ignorable=True)

    throttle_time_ms: Int32 = field("1+", ignorable=True)
    error_code: Int16 = field()
    groups: list[Group] = field()


class DeleteGroupsRequest(Request, key=42, versions="0-3", flexible="2+"):
    """Delete groups that are empty, with their offsets."""

    groups_names: list[String] = field()


class DeleteGroupsResponse(Response, key=42, versions="0-3", flexible="2+"):
    """Whether each group was deleted."""

    class Result(Struct):
        group_id: String = field()
        error_code: Int16 = field()
        error_message: String | None = field("3+", default=None, ignorable=True)

    throttle_time_ms: Int32 = field()
    results: list[Result] = field()
