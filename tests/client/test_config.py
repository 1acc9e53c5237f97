"""Options with Kafka's names."""

from __future__ import annotations

import dataclasses
import socket
import ssl
import warnings
from pathlib import Path

import pytest

from kafkawire.client import ClientConfig, UnknownPropertyWarning, UnusedPropertyWarning
from kafkawire.client.config import parse_address, property_name
from kafkawire.client.security import sasl_credentials, ssl_context
from kafkawire.client.stores import normalized_pem
from kafkawire.client.waiting import Deadline
from kafkawire.client.without_effect import WITHOUT_EFFECT
from kafkawire.connection import OAuthBearer, Plain, Scram
from tests.broker.java import Java
from tests.broker.security import Certificates, make_certificates

JAAS = 'org.apache.kafka.common.security.scram.ScramLoginModule required username="alice" password="hunter2"'


# Where our default is not Kafka's, on purpose; and those whose default is to find out.
DEFAULTS_OF_OUR_OWN = {
    "client.id",
    "receive.buffer.bytes",
    "send.buffer.bytes",
    "ssl.keystore.type",
    "ssl.truststore.type",
    "batch.size",
    "compression.gzip.level",
    "compression.lz4.level",
    "compression.zstd.level",
}


def config(**properties: object) -> ClientConfig:
    names = {name.replace("_", "."): value for name, value in properties.items()}
    return ClientConfig.from_properties({"bootstrap.servers": "a:1", **names})


def test_types_and_defaults() -> None:
    made = ClientConfig.from_properties(
        {
            "bootstrap.servers": " one:9092 , SSL://two:9093,[::1]:9094,",
            "request.timeout.ms": " 1500 ",
            "acks": "all",
            "security.protocol": "sasl_ssl",
            "allow.auto.create.topics": "False",
            "isolation.level": "READ_COMMITTED",
            "client.rack": None,
            "fetch.max.bytes": 12345,
        }
    )
    assert made.bootstrap_servers == ("one:9092", "SSL://two:9093", "[::1]:9094")
    assert [parse_address(one) for one in made.bootstrap_servers] == [("one", 9092), ("two", 9093), ("::1", 9094)]
    assert (made.request_timeout_ms, made.acks, made.security_protocol) == (1500, -1, "SASL_SSL")
    assert (made.allow_auto_create_topics, made.isolation_level) == (False, "read_committed")
    assert (made.client_rack, made.fetch_max_bytes, made.retries) == ("", 12345, 2**31 - 1)
    assert made.uses_tls and made.uses_sasl and not config().uses_tls


def test_what_a_builder_of_batches_reads() -> None:
    made = config()
    assert (made.compression_type, made.compression_level, made.batch_size) == ("none", None, None)
    assert (made.enable_idempotence, made.transactional_id, made.partitioner_ignore_keys) == (True, None, False)
    made = config(
        compression_type="ZSTD",
        compression_zstd_level="7",
        compression_lz4_level="9",
        batch_size="100000",
        linger_ms="0",
        enable_idempotence="true",
        transactional_id="t",
        partitioner_ignore_keys="true",
    )
    assert (made.compression_type, made.compression_level, made.batch_size) == ("zstd", 7, 100_000)
    assert (made.enable_idempotence, made.transactional_id, made.partitioner_ignore_keys) == (True, "t", True)
    assert config(compression_type="snappy").compression_level is None
    assert config(compression_type="gzip", compression_gzip_level="-1").compression_level is None  # zlib's own


def test_for_ever() -> None:
    """Java's longs; what waits on them waits as long as the system can."""
    longest = str(2**63 - 1)
    made = config(connections_max_idle_ms="-1", metadata_max_age_ms=longest, retry_backoff_max_ms=longest)
    assert (made.connections_max_idle_ms, made.metadata_max_age_ms) == (-1, 2**63 - 1)
    with socket.socket() as sock:
        sock.settimeout(Deadline(made.metadata_max_age_ms / 1000).remaining)


def test_idempotence_as_in_java() -> None:
    assert config(acks="all", enable_idempotence="true").enable_idempotence is True
    assert config(enable_idempotence="false").enable_idempotence is False
    for against, reason in (({"acks": "1"}, "acks is not all"), ({"retries": "0"}, "retries is 0")):
        assert config(**against).enable_idempotence is False  # quietly, where nobody asked for it
        with pytest.raises(ValueError, match=f"enable.idempotence is true, but {reason}"):
            config(**against, enable_idempotence="true")
        with pytest.raises(ValueError, match=r"transactional\.id needs enable\.idempotence"):
            config(**against, transactional_id="t")
    with pytest.raises(ValueError, match=r"transactional\.id needs enable\.idempotence"):
        config(enable_idempotence="false", transactional_id="t")


def test_every_option_of_java_is_known(java: Java) -> None:
    defaults = java.config_defaults()
    fields = {property_name(each.name) for each in dataclasses.fields(ClientConfig)}
    assert len(defaults) > 130
    assert defaults.keys() - fields == WITHOUT_EFFECT & defaults.keys()
    assert not fields & WITHOUT_EFFECT
    assert {"acks", "fetch.max.bytes", "ssl.keystore.key", "compression.lz4.level"} <= fields & defaults.keys()
    # Those that are given twice have another default in the producer, say.
    ours = config()
    for name in sorted(fields & defaults.keys() - DEFAULTS_OF_OUR_OWN - {"bootstrap.servers"}):
        as_in_java = [
            ours if value is None else ClientConfig.from_properties({"bootstrap.servers": "a:1", name: value})
            for value in defaults[name]
        ]
        assert ours in as_in_java, (name, defaults[name])


def test_unknown_options_are_named() -> None:
    with (
        pytest.warns(UnknownPropertyWarning, match=r"ignored: fetch\.max\.byte$"),
        pytest.warns(UnusedPropertyWarning, match=r"no effect here: group\.id, max\.poll\.records$"),
    ):
        config(max_poll_records="5", group_id="g", fetch_max_byte="1")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        config(
            **{each.name: each.default for each in dataclasses.fields(ClientConfig) if each.name != "bootstrap_servers"}
        )


@pytest.mark.parametrize(
    ("name", "value", "match"),
    [
        ("bootstrap.servers", "", "bootstrap.servers is empty"),
        ("bootstrap.servers", "host", "'host' is not host:port"),
        ("bootstrap.servers", "host:99999", "not host:port"),
        ("bootstrap.servers", "::1:9092", "not host:port"),
        ("request.timeout.ms", "1s", "request.timeout.ms is not a whole number"),
        ("request.timeout.ms", "-1", "request.timeout.ms is not between"),
        ("security.protocol", "TLS", "security.protocol is none of 'PLAINTEXT'"),
        ("acks", "2", "acks is none of"),
        ("isolation.level", "serializable", "isolation.level is none of"),
        ("allow.auto.create.topics", "yes", "is true or false"),
        ("receive.buffer.bytes", "-2", "receive.buffer.bytes is not between -1"),
        ("compression.type", "brotli", "compression.type is none of 'none'"),
        ("compression.gzip.level", "0", "compression.gzip.level is not between"),
        ("compression.lz4.level", "18", "compression.lz4.level is not between 1 and 17"),
        ("batch.size", "-1", "batch.size is not between"),
        ("transactional.id", "", "transactional.id is empty"),
        ("fetch.min.bytes", 1.5, "fetch.min.bytes is not a whole number"),
        ("retries", True, "retries is not a whole number"),
        ("enable.idempotence", 1, "enable.idempotence is true or false"),
        ("ssl.endpoint.identification.algorithm", "LDAPS", "is none of 'https', ''"),
    ],
)
def test_values_that_cannot_be(name: str, value: object, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        ClientConfig.from_properties({"bootstrap.servers": "a:1", name: value})
    with pytest.raises(ValueError, match="missing"):
        ClientConfig.from_properties({})


def test_secrets_are_not_shown() -> None:
    secret = [each.name for each in dataclasses.fields(ClientConfig) if not each.repr]
    made = config(**dict.fromkeys(secret, "hunter2"))
    assert "hunter2" not in repr(made)
    assert {property_name(name) for name in secret} == {
        "sasl.jaas.config",
        "sasl.password",
        "sasl.oauth.token",
        "ssl.truststore.password",
        "ssl.truststore.certificates",
        "ssl.keystore.password",
        "ssl.keystore.key",
        "ssl.keystore.certificate.chain",
        "ssl.key.password",
    }


def test_credentials() -> None:
    jaas = f"{JAAS};"
    assert sasl_credentials(config(sasl_mechanism="PLAIN", sasl_jaas_config=jaas)) == Plain("alice", "hunter2")
    scram = config(sasl_mechanism="scram-sha-512", sasl_jaas_config=jaas)
    assert sasl_credentials(scram) == Scram("SCRAM-SHA-512", "alice", "hunter2")
    token = config(sasl_mechanism="SCRAM-SHA-256", sasl_jaas_config=f"{JAAS} tokenauth=true;")
    assert sasl_credentials(token) == Scram("SCRAM-SHA-256", "alice", "hunter2", token_auth=True)
    bare = config(sasl_mechanism="PLAIN", sasl_username="bob", sasl_password="pw")
    assert sasl_credentials(bare) == Plain("bob", "pw")
    assert sasl_credentials(config(sasl_mechanism="OAUTHBEARER", sasl_oauth_token="t")) == OAuthBearer("t")
    unsecured = config(
        sasl_mechanism="OAUTHBEARER",
        sasl_jaas_config='X required unsecuredLoginStringClaim_sub="a" unsecuredLoginExtension_e="1";',
    )
    made = sasl_credentials(unsecured)
    assert isinstance(made, OAuthBearer) and made.extensions == {"e": "1"}
    assert next(made.exchange()).endswith(b".\x01e=1\x01\x01")


@pytest.mark.parametrize(
    ("properties", "match"),
    [
        ({}, "GSSAPI is not supported: PLAIN"),
        ({"sasl_mechanism": "PLAIN"}, "needs a username and a password"),
        ({"sasl_mechanism": "PLAIN", "sasl_username": "a"}, "needs a username and a password"),
        ({"sasl_mechanism": "OAUTHBEARER"}, "needs sasl.oauth.token"),
    ],
)
def test_credentials_that_lack_something(properties: dict[str, str], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        sasl_credentials(config(**properties))


# ---- TLS ----


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


def test_context() -> None:
    context = ssl_context(config(security_protocol="SSL"))
    assert context.check_hostname and context.verify_mode is ssl.CERT_REQUIRED
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2
    context = ssl_context(config(ssl_endpoint_identification_algorithm="", ssl_enabled_protocols="TLSv1.3"))
    assert not context.check_hostname and context.verify_mode is ssl.CERT_REQUIRED
    assert context.minimum_version is context.maximum_version is ssl.TLSVersion.TLSv1_3
    with pytest.raises(ValueError, match=r"ssl\.enabled\.protocols"):
        ssl_context(config(ssl_enabled_protocols="SSLv3"))


def test_cipher_suites_with_javas_names() -> None:
    def names(*suites: str) -> tuple[set[str], bool, bool]:
        context = ssl_context(config(ssl_cipher_suites=",".join(suites)))
        chosen = {one["name"] for one in context.get_ciphers() if not one["name"].startswith("TLS_")}
        return (
            chosen,
            context.minimum_version is ssl.TLSVersion.TLSv1_3,
            context.maximum_version is ssl.TLSVersion.TLSv1_2,
        )

    older = {
        "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384": "ECDHE-RSA-AES256-GCM-SHA384",
        "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256": "ECDHE-ECDSA-AES128-GCM-SHA256",
        "TLS_DHE_RSA_WITH_AES_256_GCM_SHA384": "DHE-RSA-AES256-GCM-SHA384",
        "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256": "ECDHE-RSA-CHACHA20-POLY1305",
        "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384": "ECDHE-ECDSA-AES256-SHA384",
        "TLS_RSA_WITH_AES_128_GCM_SHA256": "AES128-GCM-SHA256",
    }
    assert names(*older) == (set(older.values()), False, True)
    assert names("TLS_AES_128_GCM_SHA256")[1:] == (True, False)
    assert names("TLS_AES_128_GCM_SHA256", next(iter(older))) == ({"ECDHE-RSA-AES256-GCM-SHA384"}, False, False)
    assert names("ECDHE-RSA-AES256-GCM-SHA384") == ({"ECDHE-RSA-AES256-GCM-SHA384"}, False, False)
    with pytest.raises(ValueError, match=r"ssl\.cipher\.suites has none"):
        names("TLS_NO_SUCH_WITH_SUITE")
    with pytest.raises(ValueError, match="no version of TLS in common"):
        ssl_context(config(ssl_cipher_suites=next(iter(older)), ssl_enabled_protocols="TLSv1.3"))


def test_stores(certificates: Certificates) -> None:
    ca = certificates.ca.read_text()
    for trust in (
        {"ssl_truststore_location": str(certificates.ca), "ssl_truststore_type": "PEM"},
        {"ssl_truststore_location": str(certificates.ca)},
        {"ssl_truststore_certificates": ca},
        {"ssl_truststore_certificates": ca.replace("\n", " ")},
        {"ssl_truststore_certificates": ca.replace("\n", "\\n")},
    ):
        assert len(ssl_context(config(**trust)).get_ca_certs()) == 1
    for key in (
        {"ssl_keystore_location": str(certificates.client_store)},
        {
            "ssl_keystore_key": certificates.client_key.read_text(),
            "ssl_keystore_certificate_chain": certificates.client_cert.read_text().replace("\n", " "),
        },
    ):
        ssl_context(config(ssl_truststore_certificates=ca, **key))


def test_encrypted_keys(certificates: Certificates, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from cryptography.hazmat.primitives import serialization

    key = serialization.load_pem_private_key(certificates.client_key.read_bytes(), None)
    encrypted = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"hunter2"),
    ).decode()
    chain = certificates.client_cert.read_text()
    good = {"ssl_keystore_key": encrypted, "ssl_keystore_certificate_chain": chain}
    ssl_context(config(**good, ssl_key_password="hunter2"))
    for wrong in ({}, {"ssl_key_password": "wrong-one"}):
        with pytest.raises(ValueError, match=r"ssl\.key\.password") as caught:
            ssl_context(config(**good, **wrong))
        assert "wrong-one" not in str(caught.value)
    assert capfd.readouterr().out == ""  # OpenSSL asked for nothing


def test_pkcs12(certificates: Certificates, tmp_path: Path) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.serialization import pkcs12

    ca = x509.load_pem_x509_certificate(certificates.ca.read_bytes())
    cert = x509.load_pem_x509_certificate(certificates.client_cert.read_bytes())
    key = serialization.load_pem_private_key(certificates.client_key.read_bytes(), None)
    store = tmp_path / "client.p12"
    encryption = serialization.BestAvailableEncryption(b"hunter2")
    store.write_bytes(pkcs12.serialize_key_and_certificates(b"me", key, cert, [ca], encryption))  # type: ignore[arg-type]
    properties = {"ssl_truststore_location": str(store), "ssl_keystore_location": str(store)}
    passwords = {"ssl_truststore_password": "hunter2", "ssl_keystore_password": "hunter2"}
    context = ssl_context(config(**properties, **passwords))
    assert len(context.get_ca_certs()) >= 1
    with pytest.raises(ValueError, match="or its password") as caught:
        ssl_context(config(**properties, ssl_truststore_password="wrong-one"))
    assert "wrong-one" not in str(caught.value)


@pytest.mark.parametrize(
    ("properties", "match"),
    [
        ({"ssl_truststore_location": "/not/there"}, r"ssl\.truststore\.location.*No such file"),
        ({"ssl_truststore_certificates": "nothing"}, "holds no PEM"),
        ({"ssl_truststore_location": "JKS", "ssl_truststore_type": "BCFKS"}, "BCFKS is not supported"),
        ({"ssl_truststore_location": "JKS"}, "cannot be read: BadKeystoreFormat"),
        ({"ssl_truststore_location": "JKS", "ssl_truststore_type": "PEM"}, "holds no PEM"),
        ({"ssl_keystore_key": "x"}, "belong together"),
    ],
)
def test_stores_that_cannot_be_read(properties: dict[str, str], match: str, tmp_path: Path) -> None:
    (tmp_path / "JKS").write_bytes(b"\xfe\xed\xfe\xed\0\0\0\2")
    given = {name: str(tmp_path / value) if value == "JKS" else value for name, value in properties.items()}
    with pytest.raises(ValueError, match=match):
        ssl_context(config(**given))


def test_pem_is_not_written_where_others_read(certificates: Certificates, monkeypatch: pytest.MonkeyPatch) -> None:
    modes = []
    real = ssl.SSLContext.load_cert_chain

    def spy(self: ssl.SSLContext, path: str, **options: object) -> None:
        modes.append((path, Path(path).stat().st_mode & 0o777))
        real(self, path, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", spy)
    ssl_context(
        config(
            ssl_keystore_location=str(certificates.client_store),
            ssl_truststore_certificates=certificates.ca.read_text(),
        )
    )
    assert [mode for _, mode in modes] == [0o600]
    assert not Path(modes[0][0]).exists()
    assert normalized_pem(certificates.ca.read_text(), "x") == certificates.ca.read_text()
