"""Quotas: how long a broker wants to be left alone after a response (KIP-219)."""

from __future__ import annotations

from kafkawire.schema import Response

# The first version after which the client has to wait. In those before it the broker has waited itself before it
# answered, and ``throttle_time_ms`` says how long that was. Newer APIs know the first way only.
_FIRST_TO_WAIT = {
    **{0: 6, 1: 8, 2: 3, 3: 6, 8: 4, 9: 4, 10: 2, 11: 3, 19: 3},  # Produce, Fetch, ListOffsets, Metadata, ...
    **{12: 2, 13: 2, 14: 2, 15: 2, 16: 2, 18: 2, 20: 2, 32: 2},
    **{21: 1, 22: 1, 24: 1, 25: 1, 26: 1, 28: 1, 29: 1, 30: 1, 31: 1, 33: 1, 34: 1, 35: 1, 37: 1},
    **{38: 1, 39: 1, 40: 1, 41: 1, 42: 1},
}


def throttled_ms(api_key: int, version: int, response: Response) -> int:
    """Milliseconds for which nothing should be sent to the broker that gave this response."""
    if version < _FIRST_TO_WAIT.get(api_key, 0):
        return 0
    milliseconds: int = getattr(response, "throttle_time_ms", 0)
    return max(0, milliseconds)
