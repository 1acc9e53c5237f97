"""Reads over TLS and SASL through Spark's options, and that no secret comes to light on the way."""

from __future__ import annotations

import contextlib
import io
import logging
import pickle
import warnings
from pathlib import Path

import pytest

pytest.importorskip("pyspark.sql.datasource")

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import pkcs12
from pyspark.sql import DataFrame, SparkSession

from kafkawire.client import BrokerAuthenticationError, Client, TopicPartition
from tests.broker.kraft import Broker
from tests.spark.live import batch, create, offsets, reader

TOPIC = "live-secure"
VALUES = [b"%d" % number for number in range(20)]


@pytest.fixture(scope="module", autouse=True)
def topic(secure_broker: Broker) -> None:
    with Client({"bootstrap.servers": secure_broker.bootstrap}) as client:
        create(client, TOPIC)
        client.produce({TopicPartition(TOPIC, 0): batch(VALUES, compression="lz4")})


def options(broker: Broker, listener: str, *arguments: str, **more: str) -> dict[str, str]:
    """Spark's options for a listener; ``more``: of the client, with underscores for dots."""
    given = broker.client_properties(listener, *arguments)
    given |= {"bootstrap.servers": broker.address(listener)}
    given |= {name.replace("_", "."): value for name, value in more.items()}
    return {"subscribe": TOPIC, **{f"kafka.{name}": value for name, value in given.items()}}


def read(spark: SparkSession, given: dict[str, str]) -> DataFrame:
    return spark.read.format("kafkawire").options(**given).load()


def values(df: DataFrame) -> list[bytes]:
    return [bytes(row.value) for row in df.sort("offset").collect()]


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-512"])
def test_sasl_ssl(spark: SparkSession, secure_broker: Broker, mechanism: str) -> None:
    assert values(read(spark, options(secure_broker, "SASL_SSL", mechanism))) == VALUES


def test_certificates_in_strings(spark: SparkSession, secure_broker: Broker) -> None:
    certificates = secure_broker.certificates
    assert certificates is not None
    given = {
        "subscribe": TOPIC,
        "kafka.bootstrap.servers": secure_broker.address("MTLS"),
        "kafka.security.protocol": "SSL",
        "kafka.ssl.truststore.type": "PEM",
        "kafka.ssl.truststore.certificates": certificates.ca.read_text(),
        "kafka.ssl.keystore.type": "PEM",
        "kafka.ssl.keystore.key": certificates.client_key.read_text(),
        "kafka.ssl.keystore.certificate.chain": certificates.client_cert.read_text(),
    }
    assert values(read(spark, given)) == VALUES


def test_mtls(secure_broker: Broker, tmp_path: Path) -> None:
    """PEM files and a PKCS12 store; what Spark runs, without Spark around it."""
    certificates = secure_broker.certificates
    assert certificates is not None
    key = serialization.load_pem_private_key(certificates.client_key.read_bytes(), None)
    cert = x509.load_pem_x509_certificate(certificates.client_cert.read_bytes())
    store = tmp_path / "client.p12"
    encryption = serialization.BestAvailableEncryption(b"hunter2")
    store.write_bytes(pkcs12.serialize_key_and_certificates(b"me", key, cert, None, encryption))  # type: ignore[arg-type]
    plain = options(secure_broker, "MTLS")
    in_store = {
        **plain,
        "kafka.ssl.keystore.type": "PKCS12",
        "kafka.ssl.keystore.location": str(store),
        "kafka.ssl.keystore.password": "hunter2",
    }
    for given in (plain, in_store):
        assert offsets(reader("", **given)) == list(range(20))


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256"])
def test_wrong_password(spark: SparkSession, secure_broker: Broker, mechanism: str) -> None:
    given = options(secure_broker, "SASL_SSL", mechanism, "alice", "hunter2")
    with pytest.raises(Exception, match="BrokerAuthenticationError") as caught:
        read(spark, given).collect()
    assert mechanism in str(caught.value) and "hunter2" not in str(caught.value)


def test_one_try(secure_broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong password is not tried again and again: accounts get locked."""
    tries = []
    real = Client.metadata

    def counted(*arguments: object, **more: object) -> object:
        tries.append(arguments)
        return real(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Client, "metadata", counted)
    given = options(secure_broker, "SASL_SSL", "PLAIN", "alice", "hunter2")
    with pytest.raises(BrokerAuthenticationError):
        reader("", **given).partitions()
    assert len(tries) == 1


def test_secrets_stay_secret(spark: SparkSession, secure_broker: Broker, caplog: pytest.LogCaptureFixture) -> None:
    """Not in plans of any kind, errors, log lines and warnings, nor in the repr of what travels."""
    certificates = secure_broker.certificates
    assert certificates is not None
    key = certificates.client_key.read_text()
    given = {
        **options(secure_broker, "SASL_SSL", "SCRAM-SHA-256"),
        "kafka.ssl.keystore.key": key,
        "kafka.ssl.keystore.certificate.chain": certificates.client_cert.read_text(),
        "kafka.unknown.password": "hunter2",  # even one that we warn of
    }
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        df = read(spark, given).where("offset > 3")
        for mode in ("simple", "extended", "codegen", "cost", "formatted"):
            df.explain(mode=mode)
        assert df.count() == 16
        execution = df._jdf.queryExecution()  # type: ignore[operator]
        print(repr(df), execution.toString(), execution.logical().treeString(), execution.executedPlan().treeString())
        with pytest.raises(Exception, match="UNKNOWN_TOPIC_OR_PARTITION") as refused:
            read(spark, {**given, "subscribe": "no-such-topic"}).collect()
        print(refused.value)
    assert "offset" in written.getvalue()
    with caplog.at_level(logging.DEBUG), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        found = reader("", **given)
        copy = pickle.loads(pickle.dumps(found))
        parts = found.partitions()
        assert offsets(copy, parts) == list(range(20))
    assert any("unknown.password" in str(one.message) for one in warned)
    shown = [written.getvalue(), caplog.text, *map(str, warned), repr(found), repr(copy.options), repr(vars(found))]
    shown += [repr(part.value) for part in parts]
    for secret in ("alice-secret", "hunter2", key.splitlines()[1]):
        assert [text for text in shown if secret in text] == []
