"""From options to an SSLContext and to SASL credentials."""

from __future__ import annotations

import base64
import json
import os
import re
import secrets
import ssl
import tempfile
import time
from pathlib import Path

from kafkawire.client.config import ClientConfig
from kafkawire.client.jaas import parse_jaas
from kafkawire.connection import OAuthBearer, Plain, SaslCredentials, Scram

MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")

_PEM = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]*)-----END \1-----")
_VERSIONS = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}


def ssl_context(config: ClientConfig) -> ssl.SSLContext:
    """The context of ``ssl.*``. Raises ValueError, with the option's name, for stores that cannot be read.

    A broker's certificate is always verified; its name too, unless ssl.endpoint.identification.algorithm is "".
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = config.ssl_endpoint_identification_algorithm == "https"
    versions = [_VERSIONS[name] for name in config.ssl_enabled_protocols if name in _VERSIONS]
    if not versions:
        raise ValueError("ssl.enabled.protocols has neither TLSv1.2 nor TLSv1.3")
    context.minimum_version, context.maximum_version = min(versions), max(versions)
    if config.ssl_cipher_suites:
        context.set_ciphers(":".join(config.ssl_cipher_suites))
    _load_trust(context, config)
    _load_key(context, config)
    return context


def sasl_credentials(config: ClientConfig) -> SaslCredentials:
    """The credentials of ``sasl.*``. Raises ValueError for a mechanism that is not known or lacks its options."""
    mechanism = config.sasl_mechanism.upper()
    if mechanism not in MECHANISMS:
        raise ValueError(f"sasl.mechanism {config.sasl_mechanism} is not supported: {', '.join(MECHANISMS)} are")
    options = parse_jaas(config.sasl_jaas_config).options if config.sasl_jaas_config else {}
    if mechanism == "OAUTHBEARER":
        extensions = {
            name.removeprefix("unsecuredLoginExtension_"): value
            for name, value in options.items()
            if name.startswith("unsecuredLoginExtension_")
        }
        if config.sasl_oauth_token is not None:
            return OAuthBearer(config.sasl_oauth_token, extensions)
        if "unsecuredLoginStringClaim_sub" not in options:
            raise ValueError("OAUTHBEARER needs sasl.oauth.token: a token, or a function that gives one")
        return OAuthBearer(lambda: _unsecured_token(options), extensions)
    username = config.sasl_username if config.sasl_username is not None else options.get("username")
    password = config.sasl_password if config.sasl_password is not None else options.get("password")
    if username is None or password is None:
        raise ValueError(
            f"{mechanism} needs a username and a password: sasl.jaas.config, or sasl.username and sasl.password"
        )
    if mechanism == "PLAIN":
        return Plain(username, password)
    return Scram(mechanism, username, password, token_auth=options.get("tokenauth", "").lower() == "true")


def _unsecured_token(options: dict[str, str]) -> str:
    """An unsigned token of the claims in ``unsecuredLogin...`` options, for tests, as Kafka's own client makes it."""
    now = int(time.time())
    lifetime = int(options.get("unsecuredLoginLifetimeSeconds", "3600"))
    claims: dict[str, object] = {"iat": now, "exp": now + lifetime}
    for name, value in options.items():
        if name.startswith("unsecuredLoginStringClaim_"):
            claims[name.removeprefix("unsecuredLoginStringClaim_")] = value
        elif name.startswith("unsecuredLoginNumberClaim_"):
            claims[name.removeprefix("unsecuredLoginNumberClaim_")] = float(value)
        elif name.startswith("unsecuredLoginListClaim_") and value:
            claims[name.removeprefix("unsecuredLoginListClaim_")] = value[1:].split(value[0])
    parts = (json.dumps(part, separators=(",", ":")).encode() for part in ({"alg": "none"}, claims))
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts) + "."


# ---- stores ----


def _load_trust(context: ssl.SSLContext, config: ClientConfig) -> None:
    if config.ssl_truststore_certificates is not None:
        pem = normalized_pem(config.ssl_truststore_certificates, "ssl.truststore.certificates")
    elif config.ssl_truststore_location is None:
        context.load_default_certs(ssl.Purpose.SERVER_AUTH)
        return
    else:
        data = _read("ssl.truststore.location", config.ssl_truststore_location)
        kind = _store_type("ssl.truststore.type", config.ssl_truststore_type, data)
        if kind == "PEM":
            pem = normalized_pem(data.decode("latin-1"), "ssl.truststore.location")
        else:
            pem = _pkcs12(data, "ssl.truststore", config.ssl_truststore_password)[1]
    certificates = "".join(match.group() + "\n" for match in _PEM.finditer(pem) if match[1] == "CERTIFICATE")
    if not certificates:
        raise ValueError("the trust store holds no certificate")
    context.load_verify_locations(cadata=certificates)


def _load_key(context: ssl.SSLContext, config: ClientConfig) -> None:
    password = config.ssl_key_password
    if config.ssl_keystore_key is not None or config.ssl_keystore_certificate_chain is not None:
        if config.ssl_keystore_key is None or config.ssl_keystore_certificate_chain is None:
            raise ValueError("ssl.keystore.key and ssl.keystore.certificate.chain belong together")
        pem = normalized_pem(config.ssl_keystore_key, "ssl.keystore.key") + normalized_pem(
            config.ssl_keystore_certificate_chain, "ssl.keystore.certificate.chain"
        )
    elif config.ssl_keystore_location is None:
        return
    else:
        data = _read("ssl.keystore.location", config.ssl_keystore_location)
        if _store_type("ssl.keystore.type", config.ssl_keystore_type, data) == "PEM":
            pem = normalized_pem(data.decode("latin-1"), "ssl.keystore.location")
        else:
            # The key never lies on the disk in the clear: a password for a moment protects it.
            password = secrets.token_urlsafe(24)
            pem = _pkcs12(data, "ssl.keystore", config.ssl_keystore_password, password)[0]
    # OpenSSL through Python reads keys from files only: one that nobody else may read, and that is gone at once.
    descriptor, path = tempfile.mkstemp(suffix=".pem")
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(pem)
        # Without a password OpenSSL would ask for one on the terminal.
        context.load_cert_chain(path, password=password or "")
    except (ssl.SSLError, OSError, ValueError) as error:
        raise ValueError(f"the key store cannot be used (key, chain or ssl.key.password): {error}") from None
    finally:
        os.unlink(path)


def normalized_pem(text: str, name: str) -> str:
    """PEM blocks with the line breaks that OpenSSL wants: in properties they are spaces, or ``\\n`` in two
    characters."""
    blocks = []
    for match in _PEM.finditer(text.replace("\\n", "\n")):
        body = "".join(match[2].split())
        lines = "\n".join(body[start : start + 64] for start in range(0, len(body), 64))
        blocks.append(f"-----BEGIN {match[1]}-----\n{lines}\n-----END {match[1]}-----\n")
    if not blocks:
        raise ValueError(f"{name} holds no PEM")
    return "".join(blocks)


def _read(name: str, path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"{name}: {error}") from None


def _store_type(name: str, given: str | None, data: bytes) -> str:
    kind = given.upper() if given else "PEM" if b"-----BEGIN" in data else "JKS" if data[:4] == _JKS else "PKCS12"
    if kind not in ("PEM", "PKCS12"):
        raise ValueError(f"{name} {kind} is not supported: PEM and PKCS12 are (keytool -importkeystore converts)")
    return kind


_JKS = b"\xfe\xed\xfe\xed"


def _pkcs12(data: bytes, name: str, password: str | None, key_password: str = "") -> tuple[str, str]:
    """Key, encrypted anew, with its chain; and all certificates. Needs the ``cryptography`` package."""
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.serialization import pkcs12
    except ImportError:
        raise ValueError(f"{name}: PKCS12 needs the package cryptography: pip install cryptography") from None
    try:
        store = pkcs12.load_pkcs12(data, password.encode() if password else None)
    except ValueError as error:
        raise ValueError(f"{name}.location or its password: {error}") from None
    certificates = [one.certificate for one in (store.cert, *store.additional_certs) if one is not None]
    chain = "".join(one.public_bytes(serialization.Encoding.PEM).decode() for one in certificates)
    if not key_password:
        return "", chain
    if store.key is None:
        raise ValueError(f"{name}.location holds no private key")
    key = store.key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(key_password.encode()),
    )
    return key.decode() + chain, chain
