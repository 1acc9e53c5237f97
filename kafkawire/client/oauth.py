"""Tokens for OAUTHBEARER from an endpoint, by client credentials (KIP-768, RFC 6749 section 4.4)."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
import threading
import time
from urllib.parse import quote_plus, urlsplit

from kafkawire.client.waiting import Backoff, Deadline, in_time
from kafkawire.errors import AuthenticationError

_LARGEST_ANSWER = 1 << 20
# Of its lifetime, as in Java: then another one is asked for.
_SHARE = 0.8


class TokenEndpoint:
    """Gives a token that is valid now, and asks for another one when most of its lifetime is over; for many threads.

    ``url``: http or https; redirects are not followed, for the secret belongs to nobody else. ``timeout_ms``: for a
    token with all retries.
    """

    def __init__(
        self,
        url: str,
        client_id: str,
        client_secret: str,
        scope: str | None,
        *,
        urlencode: bool,
        context: ssl.SSLContext,
        backoff: tuple[int, int],
        timeout_ms: int,
    ) -> None:
        try:
            parts = urlsplit(url)
            host, self._port, self._encrypted = parts.hostname, parts.port, parts.scheme == "https"
        except ValueError:
            host = None
        if not host or parts.scheme not in ("http", "https"):
            raise ValueError("sasl.oauthbearer.token.endpoint.url is not an http or https URL")
        self._host = host
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        pair = (quote_plus(client_id), quote_plus(client_secret)) if urlencode else (client_id, client_secret)
        self._authorization = "Basic " + base64.b64encode(":".join(pair).encode()).decode()
        self._body = "grant_type=client_credentials" + (f"&scope={quote_plus(scope)}" if scope else "")
        self._context, self._backoff, self._timeout_ms = context, backoff, timeout_ms
        self._lock = threading.Lock()
        self._token, self._until = "", 0.0

    def __repr__(self) -> str:
        return f"<TokenEndpoint {self._host}>"

    def __call__(self) -> str:
        """The token. Raises AuthenticationError where the endpoint refuses, or gives none in time."""
        deadline = Deadline(self._timeout_ms / 1000)
        if not self._lock.acquire(timeout=deadline.remaining):
            raise self._error("another thread waited for a token all the time")
        try:
            if time.monotonic() >= self._until:
                self._token, lifetime = self._ask_again(deadline)
                self._until = time.monotonic() + _SHARE * lifetime
            return self._token
        finally:
            self._lock.release()

    def _ask_again(self, deadline: Deadline) -> tuple[str, float]:
        backoff = Backoff(*self._backoff)
        while True:
            try:
                status, body = in_time(lambda: self._ask(deadline), deadline, "asking for a token")
            except (OSError, http.client.HTTPException) as error:
                problem = f"{type(error).__name__}: {error}"
            else:
                if status == 200:
                    return self._read(body)
                problem = f"it answered {status}"
                if status < 500 and status != 429:
                    raise self._error(problem)
            pause = backoff.next()
            if pause >= deadline.remaining:
                raise self._error(f"no token in time, {problem}")
            time.sleep(pause)

    def _ask(self, deadline: Deadline) -> tuple[int, bytes]:
        seconds = max(deadline.remaining, 0.001)
        connection = (
            http.client.HTTPSConnection(self._host, self._port, timeout=seconds, context=self._context)
            if self._encrypted
            else http.client.HTTPConnection(self._host, self._port, timeout=seconds)
        )
        headers = {
            "Accept": "application/json",
            "Authorization": self._authorization,
            "Cache-Control": "no-cache",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        try:
            connection.request("POST", self._path, self._body, headers)
            response = connection.getresponse()
            return response.status, response.read(_LARGEST_ANSWER)
        finally:
            connection.close()

    def _read(self, body: bytes) -> tuple[str, float]:
        """Token and lifetime in seconds, 0 where none is said."""
        try:
            document = json.loads(body)
            token, lifetime = document["access_token"], document.get("expires_in", 0)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise self._error("its answer holds no access_token") from None
        if not isinstance(token, str) or not token:
            raise self._error("its answer holds no access_token")
        return token, float(lifetime) if isinstance(lifetime, (int, float)) and 0 < lifetime < 1e9 else 0.0

    def _error(self, problem: str) -> AuthenticationError:
        return AuthenticationError(f"OAUTHBEARER: the token endpoint at {self._host}: {problem}", "OAUTHBEARER")
