"""Stores as Java's keytool makes them, read by us and used against a real broker."""

from __future__ import annotations

import builtins
import importlib
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import pkcs12

from kafkawire.client import BrokerAuthenticationError, Client, ClientConfig
from kafkawire.client.security import ssl_context
from tests.broker.fixtures import made_or_skipped
from tests.broker.kraft import Broker
from tests.broker.process import find_tool
from tests.broker.security import Certificates, make_certificates

STORE, KEY = "store-hunter2", "key-hunter2"
KINDS = ("PKCS12", "JKS", "JCEKS")


def make_stores(certificates: Certificates, directory: Path) -> None:
    """``trust.*`` with the authority, ``key.*`` with the client's key, and ``other.*`` with a password of the key's
    own, where the format has that."""

    def keytool(*arguments: str) -> None:
        command = [tool, "-J-XX:TieredStopAtLevel=1", *arguments, "-noprompt"]
        subprocess.run(command, check=True, capture_output=True, timeout=60)

    tool = made_or_skipped(lambda: find_tool("keytool"))
    key = serialization.load_pem_private_key(certificates.client_key.read_bytes(), None)
    cert = x509.load_pem_x509_certificate(certificates.client_cert.read_bytes())
    source = directory / "key.PKCS12"
    protection = serialization.BestAvailableEncryption(STORE.encode())
    source.write_bytes(pkcs12.serialize_key_and_certificates(b"me", key, cert, None, protection))  # type: ignore[arg-type]
    for kind in KINDS:
        place = ("-keystore", str(directory / f"trust.{kind}"), "-storetype", kind, "-storepass", STORE)
        keytool("-importcert", "-alias", "ca", "-file", str(certificates.ca), *place)
    for kind in KINDS[1:]:
        for name, password in (("key", STORE), ("other", KEY)):
            target = ("-destkeystore", str(directory / f"{name}.{kind}"), "-deststoretype", kind)
            passwords = ("-srcstorepass", STORE, "-deststorepass", STORE, "-srcalias", "me", "-destkeypass", password)
            keytool("-importkeystore", "-srckeystore", str(source), "-srcstoretype", "PKCS12", *target, *passwords)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("stores")
    make_stores(make_certificates(directory), directory)
    return directory


def context_of(**properties: str) -> Any:
    names = {name.replace("_", "."): value for name, value in properties.items()}
    return ssl_context(ClientConfig.from_properties({"bootstrap.servers": "a:1", **names}))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("given", [None, "JKS", "PKCS12", "the kind"])
def test_trust(stores: Path, kind: str, given: str | None) -> None:
    """Java too reads JKS and PKCS12 whichever of the two is said."""
    named = {} if given is None else {"ssl_truststore_type": kind if given == "the kind" else given}
    place = {"ssl_truststore_location": str(stores / f"trust.{kind}"), **named}
    found = context_of(**place, ssl_truststore_password=STORE).get_ca_certs()
    assert [dict(pair for (pair,) in one["subject"]) for one in found] == [{"commonName": "kafkawire test authority"}]
    with pytest.raises(ValueError, match=r"ssl\.truststore\.(location or its|password)") as caught:
        context_of(**place, ssl_truststore_password="wrong-one")
    assert "wrong-one" not in str(caught.value)
    if kind != "PKCS12":  # unverified, as in Java
        assert context_of(**place).get_ca_certs() == found


@pytest.mark.parametrize("kind", KINDS)
def test_keys(stores: Path, kind: str) -> None:
    place = {"ssl_keystore_location": str(stores / f"key.{kind}")}
    context_of(**place, ssl_keystore_password=STORE)
    with pytest.raises(ValueError, match=r"ssl\.keystore\.(location or its|password)") as caught:
        context_of(**place, ssl_keystore_password="wrong-one")
    assert "wrong-one" not in str(caught.value)
    # A key's certificate is trusted, too, where that is where to look.
    trust = {"ssl_truststore_location": str(stores / f"key.{kind}"), "ssl_truststore_password": STORE}
    assert len(context_of(**trust).cert_store_stats()) and context_of(**trust).cert_store_stats()["x509"] == 1
    if kind == "PKCS12":
        return
    other = {"ssl_keystore_location": str(stores / f"other.{kind}"), "ssl_keystore_password": STORE}
    context_of(**other, ssl_key_password=KEY)
    for wrong in ({}, {"ssl_key_password": "wrong-one"}):
        with pytest.raises(ValueError, match=r"ssl\.key\.password") as caught:
            context_of(**other, **wrong)
        assert "wrong-one" not in str(caught.value) and STORE not in str(caught.value)
    with pytest.raises(ValueError, match="no private key"):
        context_of(ssl_keystore_location=str(stores / f"trust.{kind}"), ssl_keystore_password=STORE)


@pytest.mark.parametrize("kind", KINDS[1:])
def test_broken_files(stores: Path, kind: str, tmp_path: Path) -> None:
    """Whatever is wrong with a store, it is a ValueError that names the option."""
    whole = (stores / f"key.{kind}").read_bytes()
    cuts = [whole[:end] for end in range(4, len(whole), 37)]
    flips = [whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :] for at in range(4, len(whole), 23)]
    for data in cuts + flips:
        (tmp_path / "broken").write_bytes(data)
        with pytest.raises(ValueError, match=r"ssl\.keystore\.location|no private key|certificate"):
            context_of(ssl_keystore_location=str(tmp_path / "broken"), ssl_keystore_password=STORE)


@pytest.mark.parametrize(("kind", "package", "extra"), [("JKS", "jks", "jks"), ("PKCS12", "cryptography", "pkcs12")])
def test_packages_that_are_missing(
    stores: Path, kind: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(real: Any) -> Any:
        def load(name: str, *arguments: Any, **options: Any) -> Any:
            if name.split(".")[0] == package:
                raise ImportError(name)
            return real(name, *arguments, **options)

        return load

    monkeypatch.setattr(builtins, "__import__", gone(builtins.__import__))
    monkeypatch.setattr(importlib, "import_module", gone(importlib.import_module))
    with pytest.raises(ValueError, match=rf"{kind} stores need more packages: .*kafkawire\[{extra}\]"):
        context_of(ssl_truststore_location=str(stores / f"trust.{kind}"), ssl_truststore_password=STORE)


@pytest.mark.parametrize("kind", KINDS)
def test_live(secure_broker: Broker, tmp_path_factory: pytest.TempPathFactory, kind: str) -> None:
    certificates = secure_broker.certificates
    assert certificates is not None
    directory = certificates.ca.parent
    if not (directory / "trust.JKS").exists():
        make_stores(certificates, directory)
    trust = {
        "security.protocol": "SSL",
        "ssl.truststore.location": str(directory / f"trust.{kind}"),
        "ssl.truststore.password": STORE,
    }
    with Client({"bootstrap.servers": secure_broker.address("SSL"), **trust}) as client:
        assert client.metadata([]).nodes
    mutual = {"bootstrap.servers": secure_broker.address("MTLS"), **trust}
    key = {"ssl.keystore.location": str(directory / f"key.{kind}"), "ssl.keystore.password": STORE}
    with Client({**mutual, **key}) as client:
        assert client.metadata([]).nodes
    with Client(mutual) as client, pytest.raises(BrokerAuthenticationError, match=r"(?i)certificate"):
        client.api_versions()
