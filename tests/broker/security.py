"""Certificates and users of the secure listeners, and what a Java client must be told to use them."""

from __future__ import annotations

import base64
import datetime
import ipaddress
import json
import ssl
import time
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from tests.broker.process import HOST

# Each user exists in PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512, with the same password.
USERS = {"alice": "alice-secret", "bob": "bob-secret"}
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
_VALID = datetime.timedelta(days=30)
_OAUTH_MODULE = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"
_LOGIN_MODULES = {
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule",
}


@dataclass(frozen=True)
class Certificates:
    """PEM files: the authority that both sides trust, and a certificate with its key for the broker and for a client.

    The ``*_store`` files hold key and certificate together, as Kafka's PEM key stores want them.
    """

    ca: Path
    server_cert: Path
    server_key: Path
    server_store: Path
    client_cert: Path
    client_key: Path
    client_store: Path

    def client_context(self, with_certificate: bool = False) -> ssl.SSLContext:
        """What a Python client needs to trust the broker, and with a certificate to be let in by the MTLS listener."""
        context = ssl.create_default_context(cafile=str(self.ca))
        if with_certificate:
            context.load_cert_chain(str(self.client_cert), str(self.client_key))
        return context


def make_certificates(directory: Path) -> Certificates:
    """Make all files anew in a directory; the certificates are for 127.0.0.1 and localhost and hold for 30 days."""
    directory.mkdir(parents=True, exist_ok=True)
    ca_key = ec.generate_private_key(ec.SECP256R1())
    ca = _certificate("kafkawire test authority", ca_key, None, ca_key)
    paths = {"ca": directory / "ca.pem"}
    paths["ca"].write_bytes(ca.public_bytes(serialization.Encoding.PEM))
    for side in ("server", "client"):
        key = ec.generate_private_key(ec.SECP256R1())
        cert_pem = _certificate(side, key, ca, ca_key).public_bytes(serialization.Encoding.PEM)
        key_pem = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        for name, content in (("cert", cert_pem), ("key", key_pem), ("store", key_pem + cert_pem)):
            paths[f"{side}_{name}"] = directory / f"{side}-{name}.pem"
            paths[f"{side}_{name}"].write_bytes(content)
    return Certificates(**paths)


def _certificate(
    name: str, key: ec.EllipticCurvePrivateKey, issuer: x509.Certificate | None, signing_key: ec.EllipticCurvePrivateKey
) -> x509.Certificate:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.timezone.utc)
    is_ca = issuer is None
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject if issuer is None else issuer.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + _VALID)
        .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signing_key.public_key()), critical=False)
        # Python 3.13 verifies strictly: it refuses an authority without keyCertSign and a leaf without key identifiers.
        .add_extension(_key_usage(is_ca), critical=True)
    )
    if not is_ca:
        names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address(HOST))]
        usages = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        builder = builder.add_extension(x509.ExtendedKeyUsage(usages), critical=False)
    return builder.sign(signing_key, hashes.SHA256())


def _key_usage(is_ca: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=is_ca,
        crl_sign=is_ca,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def broker_properties(certificates: Certificates) -> dict[str, str]:
    """What the broker's own configuration gains: its stores, who must show a certificate, and the users of PLAIN."""
    users = " ".join(f'user_{name}="{password}"' for name, password in USERS.items())
    properties = {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(certificates.server_store),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(certificates.ca),
        "ssl.client.auth": "none",
        "listener.name.mtls.ssl.client.auth": "required",
        "sasl.enabled.mechanisms": ",".join([*MECHANISMS, "OAUTHBEARER"]),
    }
    for listener in ("sasl_ssl", "sasl_plaintext"):
        oauth_module = f'{_OAUTH_MODULE} required unsecuredLoginStringClaim_sub="broker";'
        properties[f"listener.name.{listener}.oauthbearer.sasl.jaas.config"] = oauth_module
        for mechanism, module in _LOGIN_MODULES.items():
            options = f" {users}" if mechanism == "PLAIN" else ""
            properties[f"listener.name.{listener}.{mechanism.lower()}.sasl.jaas.config"] = (
                f"{module} required{options};"
            )
    return properties


def oauth_token(user: str = "alice", lifetime: float = 3600.0) -> str:
    """A token for OAUTHBEARER that holds for so many seconds: unsigned, which the broker of the tests accepts."""
    now = time.time()
    parts = ({"alg": "none"}, {"sub": user, "iat": now - 1000, "exp": now + lifetime})
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts) + "."


def scram_arguments() -> list[str]:
    """Arguments with which the storage tool writes the SCRAM users into an empty broker."""
    return [
        argument
        for name, password in USERS.items()
        for mechanism in MECHANISMS[1:]
        for argument in ("--add-scram", f"{mechanism}=[name={name},password={password}]")
    ]


def client_properties(
    certificates: Certificates, listener: str, mechanism: str = "SCRAM-SHA-256", user: str = "alice", password: str = ""
) -> dict[str, str]:
    """Kafka's own client options for one of the secure listeners, with the user's password unless another is given."""
    properties = {"security.protocol": "SSL" if listener == "MTLS" else listener}
    if listener in ("SSL", "MTLS", "SASL_SSL"):
        properties["ssl.truststore.type"] = "PEM"
        properties["ssl.truststore.location"] = str(certificates.ca)
    if listener == "MTLS":
        properties["ssl.keystore.type"] = "PEM"
        properties["ssl.keystore.location"] = str(certificates.client_store)
    if listener.startswith("SASL_"):
        properties["sasl.mechanism"] = mechanism
        properties["sasl.jaas.config"] = (
            f'{_LOGIN_MODULES[mechanism]} required username="{user}" password="{password or USERS[user]}";'
        )
    return properties
