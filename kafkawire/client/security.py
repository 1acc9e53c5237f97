"""From options to an SSLContext and to SASL credentials."""

from __future__ import annotations

import base64
import json
import re
import ssl
import time

from kafkawire.client.config import ClientConfig
from kafkawire.client.jaas import parse_jaas
from kafkawire.client.stores import key_and_chain, trusted_certificates
from kafkawire.connection import OAuthBearer, Plain, SaslCredentials, Scram

MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")

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
        _choose_ciphers(context, config.ssl_cipher_suites)
    certificates = trusted_certificates(config)
    if certificates is None:
        context.load_default_certs(ssl.Purpose.SERVER_AUTH)
    else:
        context.load_verify_locations(cadata=certificates)
    key = key_and_chain(config)
    if key is not None:
        key.load_into(context)
    return context


def _choose_ciphers(context: ssl.SSLContext, suites: tuple[str, ...]) -> None:
    """Java's names choose the versions of TLS, too: without a suite of a version that one is not spoken.

    Which of TLS 1.3's suites are used cannot be said through Python; all of them are as good.
    """
    given = [_openssl_name(suite) for suite in suites]
    older = [name for name in given if name is not None]
    try:
        if older:
            context.set_ciphers(":".join(older))
    except ssl.SSLError:
        raise ValueError("ssl.cipher.suites has none that OpenSSL knows") from None
    if not any(suite.startswith("TLS_") for suite in suites):
        return  # OpenSSL's names, which say nothing of TLS 1.3
    if None not in given:
        context.maximum_version = ssl.TLSVersion.TLSv1_2
    if not older:
        context.minimum_version = ssl.TLSVersion.TLSv1_3
    if context.minimum_version > context.maximum_version:
        raise ValueError("ssl.cipher.suites and ssl.enabled.protocols have no version of TLS in common")


def _openssl_name(suite: str) -> str | None:
    """OpenSSL's name of a suite of TLS 1.2, "ECDHE-RSA-AES128-GCM-SHA256"; None for one of TLS 1.3."""
    if suite in ("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"):
        return None
    match = re.fullmatch(r"TLS_(?:(\w+)_)?RSA_WITH_(\w+)|TLS_(\w+)_WITH_(\w+)", suite)
    if match is None:
        return suite
    exchange, cipher = (f"{match[1]}_RSA" if match[1] else "", match[2]) if match[2] else (match[3], match[4])
    cipher = cipher.replace("POLY1305_SHA256", "POLY1305").replace("_CBC", "").replace("AES_", "AES")
    return "-".join(filter(None, (exchange, cipher))).replace("_", "-")


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
        try:
            _unsecured_token(options)
        except ValueError:
            raise ValueError("sasl.jaas.config: an unsecuredLogin... option that is not a number") from None
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
