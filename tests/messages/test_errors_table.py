"""The table of error codes against the Java client's."""

from __future__ import annotations

import pickle

import pytest

from kafkawire.messages import ERRORS, BrokerError, error_class, errors_table, raise_for_code
from tests.messages.vectors import rows


def test_table() -> None:
    expected = {row["code"]: row for row in rows("errors.jsonl")}
    assert set(ERRORS) == set(expected) == set(range(-1, 137))
    for code, row in expected.items():
        found = ERRORS[code]
        assert (found.code, found.name) == (code, row["name"])
        assert (found.retriable, found.invalid_metadata) == (row["retriable"], row["invalid_metadata"]), row["name"]
        assert found.message.endswith(".")


def test_raise_for_code() -> None:
    raise_for_code(0)
    with pytest.raises(
        errors_table.NotLeaderOrFollowerError, match=r"NOT_LEADER_OR_FOLLOWER \(6\): elsewhere"
    ) as caught:
        raise_for_code(6, "elsewhere")
    error = caught.value
    assert isinstance(error, BrokerError)
    assert (error.code, error.retriable, error.invalid_metadata) == (6, True, True)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and again.args == error.args and again.message == "elsewhere"
    with pytest.raises(BrokerError, match="The user may not do this to the topic"):
        raise_for_code(29)


def test_every_code_has_a_class_of_its_own() -> None:
    classes = {error_class(code) for code in ERRORS}
    assert len({cls.__name__ for cls in classes}) == len(ERRORS)
    for code in ERRORS:
        if code:
            assert getattr(errors_table, error_class(code).__name__) is error_class(code)
    with pytest.raises(AttributeError):
        errors_table.NoSuchError  # noqa: B018


def test_an_unknown_code_keeps_its_number() -> None:
    with pytest.raises(BrokerError, match="UNKNOWN_ERROR_CODE_999") as caught:
        raise_for_code(999)
    assert caught.value.code == 999 and 999 not in ERRORS
