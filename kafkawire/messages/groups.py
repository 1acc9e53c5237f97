"""TODO"""

from kafkawire.schema import Bool, Bytes, Int8, Int16, Int32, Request, Response, String, Struct, field


class FindCoordinatorRequest(Request, key=10, versions="0-6", flexible="3+"):
    """TODO"""

    key: String = field("0-3")
    key_type: Int8 = field("1+")
    coordinator_keys: list[String] = field("4+")


class FindCoordinatorResponse(Response, key=10, versions="0-6", flexible="3+"):
    """TODO"""

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
    """TODO"""

    class Protocol(Struct):
        name: String = field()
        metadata: Bytes = field()

    group_id: String = field()
    session_timeout_ms: Int32 = field()
    rebalance_timeout_ms: Int32 = field("1+", default=-1, ignorable=True)
    member_id: String = field()
    group_instance_id: String | None = field("5+", default=None)
    protocol_type: String = field()
    protocols: list[Protocol] = field()
    reason: String | None = field("8+", default=None, ignorable=True)


class JoinGroupResponse(Response, key=11, versions="0-9", flexible="6+"):
    """TODO"""

    class Member(Struct):
        member_id: String = field()
        group_instance_id: String | None = field("5+", default=None, ignorable=True)
        metadata: Bytes = field()

    throttle_time_ms: Int32 = field("2+", ignorable=True)
    error_code: Int16 = field()
    generation_id: Int32 = field(default=-1)
    protocol_type: String | None = field("7+", default=None, ignorable=True)
    protocol_name: String | None = field(nullable="7+")
    leader: String = field()
    skip_assignment: Bool = field("9+")
    member_id: String = field()
    members: list[Member] = field()


class SyncGroupRequest(Request, key=14, versions="0-5", flexible="4+"):
    """TODO"""

    class Assignment(Struct):
        member_id: String = field()
        assignment: Bytes = field()

    group_id: String = field()
    generation_id: Int32 = field()
    member_id: String = field()
    group_instance_id: String | None = field("3+", default=None)
    protocol_type: String | None = field("5+", default=None, ignorable=True)
    protocol_name: String | None = field("5+", default=None, ignorable=True)
    assignments: list[Assignment] = field()


class SyncGroupResponse(Response, key=14, versions="0-5", flexible="4+"):
    """TODO"""

    throttle_time_ms: Int32 = field("1+", ignorable=True)
    error_code: Int16 = field()
    protocol_type: String | None = field("5+", default=None, ignorable=True)
    protocol_name: String | None = field("5+", default=None, ignorable=True)
    assignment: Bytes = field()


class HeartbeatRequest(Request, key=12, versions="0-4", flexible="4+"):
    """TODO"""

    group_id: String = field()
    generation_id: Int32 = field()
    member_id: String = field()
    group_instance_id: String | None = field("3+", default=None)


class HeartbeatResponse(Response, key=12, versions="0-4", flexible="4+"):
    """TODO"""

    throttle_time_ms: Int32 = field("1+", ignorable=True)
    error_code: Int16 = field()


class LeaveGroupRequest(Request, key=13, versions="0-5", flexible="4+"):
    """TODO"""

    class Member(Struct):
        member_id: String = field()
        group_instance_id: String | None = field(default=None)
        reason: String | None = field("5+", default=None, ignorable=True)

    group_id: String = field()
    member_id: String = field("0-2")
    members: list[Member] = field("3+")


class LeaveGroupResponse(Response, key=13, versions="0-5", flexible="4+"):
    """TODO"""

    class Member(Struct):
        member_id: String = field()
        group_instance_id: String | None = field()
        error_code: Int16 = field()

    throttle_time_ms: Int32 = field("1+", ignorable=True)
    error_code: Int16 = field()
    members: list[Member] = field("3+")


class DescribeGroupsRequest(Request, key=15, versions="0-6", flexible="5+"):
    """TODO"""

    groups: list[String] = field()
    include_authorized_operations: Bool = field("3+")


class DescribeGroupsResponse(Response, key=15, versions="0-6", flexible="5+"):
    """TODO"""

    class Group(Struct):
        class Member(Struct):
            member_id: String = field()
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
        authorized_operations: Int32 = field("3+", default=-2147483648)

    throttle_time_ms: Int32 = field("1+", ignorable=True)
    groups: list[Group] = field()


class ListGroupsRequest(Request, key=16, versions="0-5", flexible="3+"):
    """TODO"""

    states_filter: list[String] = field("4+")
    types_filter: list[String] = field("5+")


class ListGroupsResponse(Response, key=16, versions="0-5", flexible="3+"):
    """TODO"""

    class Group(Struct):
        group_id: String = field()
        protocol_type: String = field()
        group_state: String = field("4+", ignorable=True)
        group_type: String = field("5+", ignorable=True)

    throttle_time_ms: Int32 = field("1+", ignorable=True)
    error_code: Int16 = field()
    groups: list[Group] = field()


class DeleteGroupsRequest(Request, key=42, versions="0-3", flexible="2+"):
    """TODO"""

    groups_names: list[String] = field()


class DeleteGroupsResponse(Response, key=42, versions="0-3", flexible="2+"):
    """TODO"""

    class Result(Struct):
        group_id: String = field()
        error_code: Int16 = field()
        error_message: String | None = field("3+", default=None, ignorable=True)

    throttle_time_ms: Int32 = field()
    results: list[Result] = field()
