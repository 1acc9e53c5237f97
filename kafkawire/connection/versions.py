"""Which version of each API to speak: what both sides know, and what the caller allows.

Source: KIP-35 (ApiVersions), KIP-511 (its fallback). Every choice is a table from API key to (lowest, highest) version.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from kafkawire.errors import RemoteProtocolError, UnsupportedError
from kafkawire.messages import ApiKey, ApiVersionsResponse, request_class

#: API key to (lowest, highest) version.
VersionTable = Mapping[int, tuple[int, int]]

#: What brokers speak that are too old for ApiVersions (they hang up when they see it), for ``versions=``.
BEFORE_API_VERSIONS: Mapping[str, VersionTable] = {
    "0.8.0": {0: (0, 0), 1: (0, 0), 2: (0, 0), 3: (0, 0), 8: (0, 0), 9: (0, 0)},
    "0.8.2": {0: (0, 0), 1: (0, 0), 2: (0, 0), 3: (0, 0), 8: (0, 1), 9: (0, 1), 10: (0, 0)},
    "0.9.0": {
        **{0: (0, 1), 1: (0, 1), 2: (0, 0), 3: (0, 0), 8: (0, 2), 9: (0, 1), 10: (0, 0)},
        **{key: (0, 0) for key in range(11, 17)},  # groups
    },
}


@cache
def known_versions() -> VersionTable:
    """All that this library can read and write."""
    return {int(key): (request_class(key).VERSIONS.lowest, request_class(key).VERSIONS.highest) for key in ApiKey}


def table_of(response: ApiVersionsResponse) -> VersionTable:
    """The broker's table; RemoteProtocolError where it contradicts itself."""
    table: dict[int, tuple[int, int]] = {}
    for row in response.api_keys:
        if not 0 <= row.min_version <= row.max_version:
            raise RemoteProtocolError(f"{api_name(row.api_key)}: versions {row.min_version} to {row.max_version}")
        if row.api_key in table:
            raise RemoteProtocolError(f"{api_name(row.api_key)} stands twice in the table of versions")
        table[row.api_key] = (row.min_version, row.max_version)
    return table


def highest_common(
    api_key: int, theirs: VersionTable, ours: VersionTable, cap: int | None = None, *, versions_of: str = "the broker"
) -> int:
    """The highest version of an API that both tables have, and that ``cap`` allows where there is one.

    Raises UnsupportedError, naming all three, where there is none.
    """
    name = api_name(api_key)
    if api_key not in ours:
        raise UnsupportedError(f"{name} is not known here")
    low, high = ours[api_key]
    if cap is not None:
        high = min(high, cap)
    if api_key not in theirs:
        raise UnsupportedError(f"{versions_of} does not have {name}")
    their_low, their_high = theirs[api_key]
    common = min(high, their_high)
    if common < max(low, their_low):
        allowed = "" if cap is None else f" and up to {cap} is allowed"
        raise UnsupportedError(
            f"no common version of {name}: {versions_of} has {their_low} to {their_high}",
            expected=f"one of {ours[api_key][0]} to {ours[api_key][1]}, which this library has{allowed}",
        )
    return common


def api_name(api_key: int) -> str:
    """The API's name for a message to a person: "Metadata"; "API 99" for one that is not known."""
    try:
        return request_class(api_key).__name__.removesuffix("Request")
    except UnsupportedError:
        return f"API {api_key}"
