"""The pytest fixtures: brokers that start when the first test asks for them, and serve the whole session.

Loaded by ``pytest_plugins = ["tests.broker.fixtures"]`` in tests/conftest.py. A session shares its brokers: each test
takes topics of its own. Without Maven or Java the tests that need them are skipped with the reason, but fail where
they have to run: with CI=true or KAFKAWIRE_REQUIRE_BROKER=1 in the environment.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TypeVar

import pytest

from tests.broker.java import Java
from tests.broker.kraft import Broker, Cluster
from tests.broker.process import ToolMissingError
from tests.broker.zookeeper import OldBroker

T = TypeVar("T")


def must_run() -> bool:
    """Whether a missing tool is a failure and no reason to skip."""
    return any(os.environ.get(name, "") in ("1", "true") for name in ("CI", "KAFKAWIRE_REQUIRE_BROKER"))


def made_or_skipped(make: Callable[[], T]) -> T:
    """What ``make`` returns; where a tool is missing the test is skipped, or fails if it must run."""
    try:
        return make()
    except ToolMissingError as error:
        if must_run():
            pytest.fail(f"this test must run here: {error}", pytrace=False)
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def broker() -> Iterator[Broker]:
    """One KRaft node with a PLAINTEXT listener."""
    with made_or_skipped(Broker) as started:
        yield started


@pytest.fixture(scope="session")
def secure_broker() -> Iterator[Broker]:
    """One KRaft node with PLAINTEXT, SSL, MTLS, SASL_SSL and SASL_PLAINTEXT listeners."""
    with made_or_skipped(lambda: Broker(secure=True)) as started:
        yield started


@pytest.fixture(scope="session")
def session_cluster() -> Iterator[Cluster]:
    with made_or_skipped(Cluster) as started:
        yield started


@pytest.fixture
def cluster(session_cluster: Cluster) -> Cluster:
    """Three KRaft nodes, all of them up; the test may kill them."""
    session_cluster.restart_all()
    return session_cluster


@pytest.fixture(scope="session")
def old_broker() -> Iterator[Callable[[str], OldBroker]]:
    """Brokers with ZooKeeper, by version: ``old_broker("0.8.2.2")``, each started when first asked for."""
    started: dict[str, OldBroker] = {}
    with ExitStack() as stack:

        def get(version: str) -> OldBroker:
            if version not in started:
                started[version] = stack.enter_context(made_or_skipped(lambda: OldBroker(version)))
            return started[version]

        yield get


@pytest.fixture(scope="session")
def java() -> Java:
    """Kafka's own Java classes."""
    return made_or_skipped(Java)
