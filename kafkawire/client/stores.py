"""Key and trust stores: PEM, PKCS12 and JKS, as Java's clients read them."""

from __future__ import annotations

import importlib
import os
import re
import secrets
import ssl
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from kafkawire.client.config import ClientConfig

_PEM = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]*)-----END \1-----")
_JAVA_MAGIC = (b"\xfe\xed\xfe\xed", b"\xce\xce\xce\xce")  # JKS, JCEKS


class KeyAndChain(NamedTuple):
    """A private key with its certificates, as PEM; and what the key is encrypted with, "" for a key in the clear."""

    pem: str
    password: str

    def __repr__(self) -> str:
        return "KeyAndChain(...)"

    def load_into(self, context: ssl.SSLContext) -> None:
        """Raises ValueError where key, chain and password do not belong together."""
        # OpenSSL through Python reads keys from files only: one that nobody else may read, and that is gone at once.
        descriptor, path = tempfile.mkstemp(suffix=".pem")
        try:
            with os.fdopen(descriptor, "w") as file:
                file.write(self.pem)
            # Without a password OpenSSL would ask for one on the terminal.
            context.load_cert_chain(path, password=self.password)
        except (ssl.SSLError, OSError, ValueError) as error:
            raise ValueError(f"the key store cannot be used (key, chain or ssl.key.password): {error}") from None
        finally:
            os.unlink(path)


def trusted_certificates(config: ClientConfig) -> str | None:
    """The certificates of ``ssl.truststore.*`` as PEM, None where none is given. ValueError for what cannot be read."""
    if config.ssl_truststore_certificates is not None:
        pem = normalized_pem(config.ssl_truststore_certificates, "ssl.truststore.certificates")
    elif config.ssl_truststore_location is None:
        return None
    else:
        name, password = "ssl.truststore", config.ssl_truststore_password
        data = _read(f"{name}.location", config.ssl_truststore_location)
        kind = _store_type(f"{name}.type", config.ssl_truststore_type, data)
        if kind == "PEM":
            pem = normalized_pem(data.decode("latin-1"), f"{name}.location")
        elif kind == "JKS":
            pem = _jks_certificates(data, name, password)
        else:
            pem = _pkcs12_certificates(_pkcs12(data, name, password))
    certificates = "".join(match.group() + "\n" for match in _PEM.finditer(pem) if match[1] == "CERTIFICATE")
    if not certificates:
        raise ValueError("the trust store holds no certificate")
    return certificates


def key_and_chain(config: ClientConfig) -> KeyAndChain | None:
    """Key and certificates of ``ssl.keystore.*``, None where none is given. ValueError for what cannot be read."""
    if config.ssl_keystore_key is not None or config.ssl_keystore_certificate_chain is not None:
        if config.ssl_keystore_key is None or config.ssl_keystore_certificate_chain is None:
            raise ValueError("ssl.keystore.key and ssl.keystore.certificate.chain belong together")
        pem = normalized_pem(config.ssl_keystore_key, "ssl.keystore.key") + normalized_pem(
            config.ssl_keystore_certificate_chain, "ssl.keystore.certificate.chain"
        )
        return KeyAndChain(pem, config.ssl_key_password or "")
    if config.ssl_keystore_location is None:
        return None
    name, password = "ssl.keystore", config.ssl_keystore_password
    data = _read(f"{name}.location", config.ssl_keystore_location)
    kind = _store_type(f"{name}.type", config.ssl_keystore_type, data)
    if kind == "PEM":
        return KeyAndChain(normalized_pem(data.decode("latin-1"), f"{name}.location"), config.ssl_key_password or "")
    if kind == "JKS":
        key, chain = _jks_key(data, name, password, config.ssl_key_password or password)
    else:
        store = _pkcs12(data, name, password)
        key, chain = store.key, _pkcs12_certificates(store)
    if key is None:
        raise ValueError(f"{name}.location holds no private key")
    # The key never lies on the disk in the clear: a password for a moment protects it.
    moment = secrets.token_urlsafe(24)
    return KeyAndChain(_encrypted(key, moment) + chain, moment)


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
    """PEM, PKCS12 or JKS (JCEKS is read as that). Java takes JKS and PKCS12 for each other, too."""
    kind = given.upper() if given else "PEM" if b"-----BEGIN" in data else "JKS"
    if kind not in ("PEM", "PKCS12", "JKS", "JCEKS"):
        raise ValueError(f"{name} {kind} is not supported: PEM, PKCS12 and JKS are")
    if kind == "PEM":
        return kind
    return "JKS" if data[:4] in _JAVA_MAGIC else "PKCS12"


# ---- PKCS12, with the cryptography package ----


def _pkcs12(data: bytes, name: str, password: str | None) -> Any:
    try:
        from cryptography.hazmat.primitives.serialization import pkcs12
    except ImportError:
        raise _missing(name, "PKCS12", "pkcs12") from None
    try:
        return pkcs12.load_pkcs12(data, password.encode() if password else None)
    except ValueError as error:
        raise ValueError(f"{name}.location or its password: {error}") from None


def _pkcs12_certificates(store: Any) -> str:
    found = [one.certificate for one in (store.cert, *store.additional_certs) if one is not None]
    return "".join(ssl.DER_cert_to_PEM_cert(one.public_bytes(_encoding().DER)) for one in found)


def _encoding() -> Any:
    from cryptography.hazmat.primitives.serialization import Encoding

    return Encoding


def _encrypted(key: Any, password: str) -> str:
    from cryptography.hazmat.primitives import serialization

    protection = serialization.BestAvailableEncryption(password.encode())
    pem: bytes = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, protection)
    return pem.decode()


# ---- JKS and JCEKS, with the pyjks package ----


def _jks(data: bytes, name: str, password: str | None) -> Any:
    """The store with its keys still encrypted; without a password it is not verified, as in Java."""
    try:
        jks = importlib.import_module("jks")
    except ImportError:
        raise _missing(name, "JKS", "jks") from None
    try:
        return jks.KeyStore.loads(data, password, try_decrypt_keys=False)
    except jks.KeystoreSignatureException:
        raise ValueError(f"{name}.location does not agree with {name}.password: one of them is wrong") from None
    except Exception as error:  # the library leaves it to those below what they raise for broken files
        raise ValueError(f"{name}.location cannot be read: {type(error).__name__}") from None


def _jks_certificates(data: bytes, name: str, password: str | None) -> str:
    """The trusted ones, and as in Java also those of the keys themselves."""
    store = _jks(data, name, password)
    found = [one.cert for one in store.certs.values()]
    found += [one.cert_chain[0][1] for one in store.private_keys.values() if one.cert_chain]
    return "".join(ssl.DER_cert_to_PEM_cert(one) for one in found)


def _jks_key(data: bytes, name: str, password: str | None, key_password: str | None) -> tuple[Any, str]:
    try:
        from cryptography.hazmat.primitives.serialization import load_der_private_key
    except ImportError:
        raise _missing(name, "JKS", "jks") from None
    for entry in _jks(data, name, password).private_keys.values():
        try:
            entry.decrypt(key_password or "")
            key = load_der_private_key(entry.pkey_pkcs8, None)
        except Exception:  # as above
            raise ValueError(f"the key in {name}.location cannot be decrypted: ssl.key.password is wrong") from None
        return key, "".join(ssl.DER_cert_to_PEM_cert(certificate) for _, certificate in entry.cert_chain)
    return None, ""


def _missing(name: str, kind: str, extra: str) -> ValueError:
    return ValueError(f"{name}: {kind} stores need more packages: pip install 'kafkawire[{extra}]'")
