"""Access control lists, delegation tokens, SCRAM credentials."""

from kafkawire.schema import Bytes, Int8, Int16, Int32, Int64, Request, Response, String, Struct, field


class DescribeAclsRequest(Request, key=29, versions="0-3", flexible="2+"):
    """Find access rules that match a filter; null matches everything."""

    resource_type_filter: Int8 = field()
    resource_name_filter: String | None = field()
    pattern_type_filter: Int8 = field("1+", default=3)  # 1 any, 2 match, 3 literal, 4 prefixed
    principal_filter: String | None = field()
    host_filter: String | None = field()
    operation: Int8 = field()
    permission_type: Int8 = field()  # 2 deny, 3 allow


class DescribeAclsResponse(Response, key=29, versions="0-3", flexible="2+"):
    """The access rules found, by resource."""

    class Resource(Struct):
        class Acl(Struct):
            principal: String = field()
            host: String = field()
            operation: Int8 = field()
            permission_type: Int8 = field()  # 2 deny, 3 allow

        resource_type: Int8 = field()
        resource_name: String = field()
        pattern_type: Int8 = field("1+", default=3)  # 3 literal, 4 prefixed
        acls: list[Acl] = field()

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field()
    resources: list[Resource] = field()


class CreateAclsRequest(Request, key=30, versions="0-3", flexible="2+"):
    """Add access rules."""

    class Creation(Struct):
        resource_type: Int8 = field()
        resource_name: String = field()
        resource_pattern_type: Int8 = field("1+", default=3)  # 3 literal, 4 prefixed
        principal: String = field()
        host: String = field()
        operation: Int8 = field()
        permission_type: Int8 = field()  # 2 deny, 3 allow

    creations: list[Creation] = field()


class CreateAclsResponse(Response, key=30, versions="0-3", flexible="2+"):
    """Whether each rule was added, in the order of the request."""

    class Result(Struct):
        error_code: Int16 = field()
        error_message: String | None = field()

    throttle_time_ms: Int32 = field()
    results: list[Result] = field()


class DeleteAclsRequest(Request, key=31, versions="0-3", flexible="2+"):
    """Remove the access rules that match filters."""

    class Filter(Struct):
        resource_type_filter: Int8 = field()
        resource_name_filter: String | None = field()
        pattern_type_filter: Int8 = field("1+", default=3)  # 1 any, 2 match, 3 literal, 4 prefixed
        principal_filter: String | None = field()
        host_filter: String | None = field()
        operation: Int8 = field()
        permission_type: Int8 = field()  # 2 deny, 3 allow

    filters: list[Filter] = field()


class DeleteAclsResponse(Response, key=31, versions="0-3", flexible="2+"):
    """The rules that each filter removed."""

    class FilterResult(Struct):
        class MatchingAcl(Struct):
            error_code: Int16 = field()
            error_message: String | None = field()
            resource_type: Int8 = field()
            resource_name: String = field()
            pattern_type: Int8 = field("1+", default=3)  # 3 literal, 4 prefixed
            principal: String = field()
            host: String = field()
            operation: Int8 = field()
            permission_type: Int8 = field()  # 2 deny, 3 allow

        error_code: Int16 = field()
        error_message: String | None = field()
        matching_acls: list[MatchingAcl] = field()

    throttle_time_ms: Int32 = field()
    filter_results: list[FilterResult] = field()


class CreateDelegationTokenRequest(Request, key=38, versions="0-3", flexible="2+"):
    """Ask for a delegation token (KIP-48)."""

    class Renewer(Struct):
        principal_type: String = field()
        principal_name: String = field()

    owner_principal_type: String | None = field("3+")
    owner_principal_name: String | None = field("3+")
    renewers: list[Renewer] = field()
    max_lifetime_ms: Int64 = field()


class CreateDelegationTokenResponse(Response, key=38, versions="0-3", flexible="2+"):
    """The token with its secret."""

    error_code: Int16 = field()
    principal_type: String = field()
    principal_name: String = field()
    token_requester_principal_type: String = field("3+")
    token_requester_principal_name: String = field("3+")
    issue_timestamp_ms: Int64 = field()
    expiry_timestamp_ms: Int64 = field()
    max_timestamp_ms: Int64 = field()
    token_id: String = field()
    hmac: Bytes = field(secret=True)  # the secret, which is the SCRAM password
    throttle_time_ms: Int32 = field()


class RenewDelegationTokenRequest(Request, key=39, versions="0-2", flexible="2+"):
    """Put off a token's expiry."""

    hmac: Bytes = field(secret=True)  # the secret, which is the SCRAM password
    renew_period_ms: Int64 = field()


class RenewDelegationTokenResponse(Response, key=39, versions="0-2", flexible="2+"):
    """When the token expires now."""

    error_code: Int16 = field()
    expiry_timestamp_ms: Int64 = field()
    throttle_time_ms: Int32 = field()


class ExpireDelegationTokenRequest(Request, key=40, versions="0-2", flexible="2+"):
    """Bring a token's expiry forward; a negative period ends it at once."""

    hmac: Bytes = field(secret=True)  # the secret, which is the SCRAM password
    expiry_time_period_ms: Int64 = field()


class ExpireDelegationTokenResponse(Response, key=40, versions="0-2", flexible="2+"):
    """When the token expires now."""

    error_code: Int16 = field()
    expiry_timestamp_ms: Int64 = field()
    throttle_time_ms: Int32 = field()


class DescribeDelegationTokenRequest(Request, key=41, versions="0-3", flexible="2+"):
    """List tokens by owner. None as owners asks for all."""

    class Owner(Struct):
        principal_type: String = field()
        principal_name: String = field()

    owners: list[Owner] | None = field()


class DescribeDelegationTokenResponse(Response, key=41, versions="0-3", flexible="2+"):
    """The tokens with their secrets."""

    class Token(Struct):
        class Renewer(Struct):
            principal_type: String = field()
            principal_name: String = field()

        principal_type: String = field()
        principal_name: String = field()
        token_requester_principal_type: String = field("3+")
        token_requester_principal_name: String = field("3+")
        issue_timestamp: Int64 = field()
        expiry_timestamp: Int64 = field()
        max_timestamp: Int64 = field()
        token_id: String = field()
        hmac: Bytes = field(secret=True)  # the secret, which is the SCRAM password
        renewers: list[Renewer] = field()

    error_code: Int16 = field()
    tokens: list[Token] = field()
    throttle_time_ms: Int32 = field()


class DescribeUserScramCredentialsRequest(Request, key=50, versions="0", flexible="0+"):
    """Ask which SCRAM credentials users have. None, or none, asks for all users."""

    class User(Struct):
        name: String = field()

    users: list[User] | None = field()


class DescribeUserScramCredentialsResponse(Response, key=50, versions="0", flexible="0+"):
    """Mechanism and iterations of each credential; never its secret."""

    class Result(Struct):
        class CredentialInfo(Struct):
            mechanism: Int8 = field()
            iterations: Int32 = field()

        user: String = field()
        error_code: Int16 = field()
        error_message: String | None = field()
        credential_infos: list[CredentialInfo] = field()

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field()
    results: list[Result] = field()


class AlterUserScramCredentialsRequest(Request, key=51, versions="0", flexible="0+"):
    """Set or delete SCRAM credentials; the password is salted and hashed by the client."""

    class Deletion(Struct):
        name: String = field()
        mechanism: Int8 = field()

    class Upsertion(Struct):
        name: String = field()
        mechanism: Int8 = field()
        iterations: Int32 = field()
        salt: Bytes = field(secret=True)
        salted_password: Bytes = field(secret=True)

    deletions: list[Deletion] = field()
    upsertions: list[Upsertion] = field()


class AlterUserScramCredentialsResponse(Response, key=51, versions="0", flexible="0+"):
    """Whether each user was changed."""

    class Result(Struct):
        user: String = field()
        error_code: Int16 = field()
        error_message: String | None = field()

    throttle_time_ms: Int32 = field()
    results: list[Result] = field()
