"""TLS and SASL against a real broker's listeners."""

from __future__ import annotations

import pickle
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from kafkawire.client import BrokerAuthenticationError, BrokerProtocolError, Client, ClientError, TopicPartition
from kafkawire.errors import AuthenticationError
from tests.broker.kraft import Broker
from tests.broker.security import MECHANISMS, make_certificates, oauth_token
from tests.client.records import batch, values_from


def properties(broker: Broker, listener: str, mechanism: str = "SCRAM-SHA-256", **more: object) -> dict[str, object]:
    """The Java client's own, as they are."""
    return {
        "bootstrap.servers": broker.address(listener),
        **broker.client_properties(listener, mechanism),
        **{name.replace("_", "."): value for name, value in more.items()},
    }


LISTENERS = ["SSL", "MTLS", *(f"{name} {by}" for name in ("SASL_SSL", "SASL_PLAINTEXT") for by in MECHANISMS)]


@pytest.mark.parametrize("listener", LISTENERS)
def test_produce_and_fetch(secure_broker: Broker, listener: str) -> None:
    at = TopicPartition(f"client-{listener.replace(' ', '-')}", 0)
    with Client(properties(secure_broker, *listener.split())) as client:
        values = [bytes([number % 256]) * 3000 for number in range(300)]
        client.produce({at: batch(values)})
        assert values_from(client, at) == values
        assert client.find_coordinator("g").node_id == 1


def test_pem_strings(secure_broker: Broker) -> None:
    certificates = secure_broker.certificates
    assert certificates is not None
    given = {
        "bootstrap.servers": secure_broker.address("MTLS"),
        "security.protocol": "SSL",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": certificates.ca.read_text(),
        "ssl.keystore.type": "PEM",
        "ssl.keystore.key": certificates.client_key.read_text(),
        "ssl.keystore.certificate.chain": certificates.client_cert.read_text(),
    }
    with Client(given) as client:
        assert client.metadata([]).nodes


@pytest.mark.parametrize("provider", [False, True])
def test_oauthbearer(secure_broker: Broker, provider: bool) -> None:
    given = properties(secure_broker, "SASL_SSL") | {"sasl.mechanism": "OAUTHBEARER", "sasl.jaas.config": None}
    with Client(given | {"sasl.oauth.token": oauth_token if provider else oauth_token()}) as client:
        assert client.metadata([]).nodes
    with (
        Client(given | {"sasl.oauth.token": oauth_token(lifetime=-10)}) as client,
        pytest.raises(BrokerAuthenticationError, match="OAUTHBEARER"),
    ):
        client.metadata([])


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_wrong_password(secure_broker: Broker, mechanism: str) -> None:
    given = secure_broker.client_properties("SASL_SSL", mechanism, password="hunter2")
    began = time.monotonic()
    with (
        Client({"bootstrap.servers": secure_broker.address("SASL_SSL"), **given}) as client,
        pytest.raises(BrokerAuthenticationError, match=mechanism) as caught,
    ):
        client.metadata([])
    assert time.monotonic() - began < 10  # at once: trying again does not help
    assert isinstance(caught.value.__cause__, AuthenticationError)
    shown = str(caught.value) + repr(caught.value) + str(pickle.loads(pickle.dumps(caught.value)))
    assert "hunter2" not in shown and secure_broker.address("SASL_SSL") in shown


def test_mechanism_that_the_broker_lacks(secure_broker: Broker) -> None:
    given = properties(secure_broker, "SASL_SSL", sasl_mechanism="GSSAPI")
    with pytest.raises(ValueError, match="GSSAPI is not supported"):
        Client(given)


def test_raw_tokens(secure_broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """SaslHandshake v0, which brokers still take: no SaslAuthenticate."""
    from kafkawire.client import broker as module
    from kafkawire.connection import Connection

    monkeypatch.setattr(module, "Connection", lambda **options: Connection(caps={17: 0}, **options))
    for mechanism in MECHANISMS:
        with Client(properties(secure_broker, "SASL_PLAINTEXT", mechanism)) as client:
            assert client.metadata([]).nodes
    given = secure_broker.client_properties("SASL_PLAINTEXT", "PLAIN", password="hunter2")
    with (
        Client({"bootstrap.servers": secure_broker.address("SASL_PLAINTEXT"), **given}) as client,
        pytest.raises(BrokerAuthenticationError, match="hung up"),
    ):
        client.metadata([])


def test_certificate_of_somebody_else(secure_broker: Broker, tmp_path: Path) -> None:
    other = make_certificates(tmp_path)
    given = properties(secure_broker, "SSL", ssl_truststore_location=str(other.ca))
    with Client(given) as client, pytest.raises(BrokerAuthenticationError, match="certificate verify failed"):
        client.metadata([])
    given = properties(secure_broker, "MTLS", ssl_keystore_location=str(other.client_store))
    with Client(given) as client, pytest.raises(ClientError) as caught:
        client.api_versions()
    assert isinstance(caught.value, BrokerAuthenticationError), caught.value


def test_certificate_of_another_name(secure_broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that leads to the broker, but is not in its certificate."""
    real = socket.getaddrinfo

    def resolve(host: str, *arguments: Any, **options: Any) -> Any:
        return real("127.0.0.1" if host == "broker.example" else host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    port = secure_broker.address("SSL").rpartition(":")[2]
    given = properties(secure_broker, "SSL", bootstrap_servers=f"broker.example:{port}")
    with Client(given) as client, pytest.raises(BrokerAuthenticationError, match="Hostname mismatch"):
        client.api_versions()
    with Client(given | {"ssl.endpoint.identification.algorithm": ""}) as client:
        assert client.api_versions()


def test_no_client_certificate(secure_broker: Broker) -> None:
    given = properties(secure_broker, "MTLS", ssl_keystore_location=None)
    with Client(given) as client, pytest.raises(BrokerAuthenticationError, match=r"(?i)certificate"):
        client.api_versions()


def test_tls_where_there_is_none_and_the_reverse(secure_broker: Broker) -> None:
    plain_to_tls = {"bootstrap.servers": secure_broker.address("SSL"), "default.api.timeout.ms": 1500}
    with Client(plain_to_tls) as client, pytest.raises(BrokerProtocolError, match="speaks TLS"):
        client.metadata([])
    tls_to_plain = properties(secure_broker, "SSL", bootstrap_servers=secure_broker.bootstrap)
    with Client(tls_to_plain | {"default.api.timeout.ms": 1500}) as client, pytest.raises(ClientError):
        client.metadata([])


def test_authenticates_again_before_the_session_ends() -> None:
    """A broker that ends sessions after 2 seconds (KIP-368) hangs up on who does not come back in time."""
    from tests.broker.fixtures import made_or_skipped

    limit = {"connections.max.reauth.ms": "2000"}
    with (
        made_or_skipped(lambda: Broker(secure=True, properties=limit)) as broker,
        Client(properties(broker, "SASL_SSL", "SCRAM-SHA-512")) as client,
    ):
        client.metadata([])
        connection = next(iter(client._cluster._brokers.values()))
        assert connection._connection.session_lifetime_ms == 2000
        first = connection._socket
        end = time.monotonic() + 5
        while time.monotonic() < end:
            client.metadata([])
            time.sleep(0.1)
        assert connection._socket is first  # never hung up, never connected anew
