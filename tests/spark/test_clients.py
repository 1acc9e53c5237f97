"""Clients that stay open between tasks. Nothing connects here: a client does so at its first operation."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

pytest.importorskip("pyspark")

from kafkawire.client import Client, ClientConfig, RefusedError
from kafkawire.messages import error_class
from kafkawire.spark import clients
from kafkawire.spark.clients import borrowed


def config(name: str) -> ClientConfig:
    return ClientConfig(("127.0.0.1:1",), client_id=name, sasl_password="secret")


@pytest.fixture(autouse=True)
def closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Client]]:
    """The clients that were closed, in that order; every test begins without any."""
    clients.close_all()
    found: list[Client] = []
    close = Client.close

    def noted(client: Client) -> None:
        found.append(client)
        close(client)

    monkeypatch.setattr(Client, "close", noted)
    yield found
    clients.close_all()


def test_the_same_configuration_gets_the_same_client() -> None:
    with borrowed(config("a")) as first, borrowed(config("a")) as beside, borrowed(config("b")) as other:
        assert len({first, beside, other}) == 3
    with borrowed(config("a")) as again:
        assert again in (first, beside)
    with borrowed(config("b")) as again:
        assert again is other


def test_a_client_that_failed_is_closed(closed: list[Client]) -> None:
    with pytest.raises(RuntimeError, match="task"), borrowed(config("a")) as failed:
        raise RuntimeError("task")
    assert closed == [failed]

    def task() -> Iterator[Client]:
        with borrowed(config("a")) as client:
            yield client

    running = task()
    abandoned = next(running)
    running.close()  # type: ignore[attr-defined]
    assert closed == [failed, abandoned]
    with borrowed(config("a")) as fresh:
        assert fresh not in closed


def test_the_cause_of_an_error_is_in_its_message() -> None:
    """PySpark drops what is chained to an exception of a worker."""
    with pytest.raises(RefusedError) as caught, borrowed(config("a")):
        raise RefusedError("no", topic="t") from error_class(3)()
    assert str(caught.value).startswith("no (t): UNKNOWN_TOPIC_OR_PARTITION (3)")
    assert caught.value.__cause__ is None and caught.value.__suppress_context__


def test_idle_clients_are_closed(closed: list[Client], monkeypatch: pytest.MonkeyPatch) -> None:
    with borrowed(config("a")) as old:
        pass
    monkeypatch.setattr(clients, "MAX_IDLE", -1.0)
    with borrowed(config("a")) as new:
        assert closed == [old]
    assert closed == [old, new]


def test_few_are_kept(closed: list[Client], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "MAX_KEPT", 2)
    used = []
    for name in "abc":
        with borrowed(config(name)) as client:
            used.append(client)
    assert closed == used[:1]
    clients.close_all()
    assert closed == used


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_a_fork_gets_clients_of_its_own() -> None:
    with borrowed(config("a")) as parents:
        pass
    child = os.fork()
    if child == 0:
        code = 1
        try:
            with borrowed(config("a")) as client:
                code = 0 if client is not parents else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
