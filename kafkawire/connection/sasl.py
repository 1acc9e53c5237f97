"""SASL mechanisms, the client's side: steps that produce and take bytes.

``credentials.exchange()`` starts one authentication: a generator that yields the client's tokens and is sent the
server's. It returns when the server's last token is accepted, and raises AuthenticationError where one is not::

    exchange = Scram("SCRAM-SHA-256", "alice", password).exchange()
    token = next(exchange)
    while ...:
        token = exchange.send(challenge)    # StopIteration: done

Sources: RFC 4616 (PLAIN), RFC 5802 and 7677 (SCRAM), RFC 7628 and KIP-255, KIP-342 (OAUTHBEARER), KIP-48 (delegation
tokens over SCRAM). As Kafka does, names and passwords are UTF-8 without SASLprep. No secret is in a repr or an error.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from kafkawire.errors import AuthenticationError

#: Yields the client's tokens, is sent the server's.
Exchange: TypeAlias = Generator[bytes, bytes, None]

#: PBKDF2 rounds that a server may ask for: fewer than RFC 7677 allows betray the password, more would stop the client.
MIN_ITERATIONS = 4096
MAX_ITERATIONS = 1_000_000


class SaslCredentials(Protocol):
    """What a mechanism is: its name, and a fresh exchange for each authentication."""

    @property
    def mechanism(self) -> str: ...

    def exchange(self) -> Exchange: ...


@dataclass(frozen=True)
class Plain:
    """PLAIN: name and password in the clear; for TLS only."""

    username: str
    password: str = field(repr=False)

    @property
    def mechanism(self) -> str:
        return "PLAIN"

    def exchange(self) -> Exchange:
        if "\0" in self.username or "\0" in self.password:
            raise AuthenticationError("PLAIN cannot carry a name or password with a NUL character", "PLAIN")
        answer = yield _utf8(f"\0{self.username}\0{self.password}", "PLAIN")
        if answer:
            raise AuthenticationError(f"PLAIN: the server sent {len(answer)} bytes where nothing belongs", "PLAIN")


@dataclass(frozen=True)
class Scram:
    """SCRAM-SHA-256 or SCRAM-SHA-512: both sides prove that they know the password, and neither sends it.

    ``token_auth``: name and password are those of a delegation token. ``nonce``: for tests; else random.
    """

    mechanism: str
    username: str
    password: str = field(repr=False)
    token_auth: bool = False
    nonce: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.mechanism not in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
            raise ValueError(f"{self.mechanism!r} is neither SCRAM-SHA-256 nor SCRAM-SHA-512")

    def exchange(self) -> Exchange:
        algorithm = "sha256" if self.mechanism == "SCRAM-SHA-256" else "sha512"
        nonce = self.nonce or secrets.token_urlsafe(24)
        name = self.username.replace("=", "=3D").replace(",", "=2C")
        client_first = f"n={name},r={nonce}" + (",tokenauth=true" if self.token_auth else "")
        password = _utf8(self.password, self.mechanism)
        server_first = yield _utf8(f"n,,{client_first}", self.mechanism)

        attributes = self._attributes(server_first, "rsi")
        if not attributes["r"].startswith(nonce) or attributes["r"] == nonce:
            raise self._error("the server's nonce does not continue the client's")
        salt = self._base64(attributes["s"], "salt")
        iterations = self._iterations(attributes["i"])

        client_final = f"c=biws,r={attributes['r']}"  # biws: "n,,", no channel binding
        auth_message = b",".join((client_first.encode(), server_first, client_final.encode()))
        salted = hashlib.pbkdf2_hmac(algorithm, password, salt, iterations)
        client_key = hmac.digest(salted, b"Client Key", algorithm)
        signature = hmac.digest(hashlib.new(algorithm, client_key).digest(), auth_message, algorithm)
        proof = bytes(a ^ b for a, b in zip(client_key, signature, strict=True))
        server_final = yield f"{client_final},p={base64.b64encode(proof).decode()}".encode()

        verifier = self._base64(self._attributes(server_final, "v")["v"], "signature")
        server_key = hmac.digest(salted, b"Server Key", algorithm)
        if not hmac.compare_digest(verifier, hmac.digest(server_key, auth_message, algorithm)):
            raise self._error("the server's signature is wrong: it does not know the password")

    def _attributes(self, message: bytes, names: str) -> dict[str, str]:
        """The attributes of a server's message, which has to begin with those named, in their order."""
        try:
            parts = message.decode().split(",")
        except UnicodeDecodeError:
            raise self._error("the server's message is not UTF-8") from None
        if parts[0].startswith("e="):
            raise self._error(f"the server refused: {parts[0][2:][:200]}")
        if len(parts) < len(names) or any(
            not part.startswith(f"{name}=") for name, part in zip(names, parts, strict=False)
        ):
            raise self._error(f"the server's message lacks one of the attributes {', '.join(names)}")
        return {name: part[2:] for name, part in zip(names, parts, strict=False)}

    def _iterations(self, text: str) -> int:
        iterations = int(text) if re.fullmatch("[0-9]{1,10}", text) else 0
        if not MIN_ITERATIONS <= iterations <= MAX_ITERATIONS:
            raise self._error(f"{iterations} iterations are not between {MIN_ITERATIONS} and {MAX_ITERATIONS}")
        return iterations

    def _base64(self, text: str, what: str) -> bytes:
        try:
            decoded = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            decoded = b""
        if not decoded:
            raise self._error(f"the server's {what} is no base64")
        return decoded

    def _error(self, message: str) -> AuthenticationError:
        return AuthenticationError(f"{self.mechanism}: {message}", self.mechanism)


@dataclass(frozen=True)
class OAuthBearer:
    """OAUTHBEARER: a token that somebody else has issued; for TLS only.

    ``token``: the token, or a function that gives one that is valid now and is called for each authentication.
    ``extensions``: names and values that go with it (KIP-342).
    """

    token: str | Callable[[], str] = field(repr=False)
    extensions: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def mechanism(self) -> str:
        return "OAUTHBEARER"

    def exchange(self) -> Exchange:
        try:
            token = self.token() if callable(self.token) else self.token
        except Exception as error:
            name = type(error).__name__
            raise AuthenticationError(f"OAUTHBEARER: no token could be had: {name}", "OAUTHBEARER") from error
        if not isinstance(token, str) or not re.fullmatch(r"[A-Za-z0-9\-._~+/]+=*", token):
            raise AuthenticationError(
                "OAUTHBEARER: the token has characters that RFC 6750 does not allow", "OAUTHBEARER"
            )
        for name, value in self.extensions.items():
            if not re.fullmatch("[A-Za-z]+", name) or name == "auth" or not re.fullmatch(r"[\x21-\x7E \t\r\n]+", value):
                raise AuthenticationError(f"OAUTHBEARER: the extension {name!r} is not a legal one", "OAUTHBEARER")
        pairs = "".join(f"\x01{name}={value}" for name, value in self.extensions.items())
        answer = yield f"n,,\x01auth=Bearer {token}{pairs}\x01\x01".encode()
        if answer:
            # The server fails the exchange once it has this byte; what it says then is the broker's own message.
            yield b"\x01"
            raise AuthenticationError(f"OAUTHBEARER: the server refused the token: {_status(answer)}", "OAUTHBEARER")


def _utf8(text: str, mechanism: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:  # which would carry the text along
        raise AuthenticationError(f"{mechanism}: the name or password has lone surrogates", mechanism) from None


def _status(answer: bytes) -> str:
    """The ``status`` of a refusal, which is JSON."""
    try:
        document = json.loads(answer)
    except ValueError:
        return "for a reason that cannot be read"
    return str(document.get("status"))[:200] if isinstance(document, dict) else "for no reason"
