"""Tokens from an endpoint: what is asked, what is believed, how long it is waited for."""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from kafkawire.client import BrokerAuthenticationError, Client, ClientConfig
from kafkawire.client.security import sasl_credentials
from kafkawire.connection import OAuthBearer
from kafkawire.errors import AuthenticationError
from tests.broker.kraft import Broker
from tests.broker.security import make_certificates, oauth_token

Answer = Callable[[], tuple[int, Any]]
Asked = list[tuple[str, dict[str, str], str]]


@contextmanager
def endpoint(answer: Answer, context: ssl.SSLContext | None = None) -> Iterator[tuple[str, Asked]]:
    """A URL that gives what ``answer`` says, and what was asked there: path, headers, body."""
    asked: Asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            asked.append((self.path, dict(self.headers), body))
            status, document = answer()
            self.send_response(status)
            if status == 302:
                self.send_header("Location", document)
            self.end_headers()
            self.wfile.write(document if isinstance(document, bytes) else json.dumps(document).encode())

        do_GET = do_POST

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        scheme = "http" if context is None else "https"
        yield f"{scheme}://localhost:{server.server_address[1]}/token?tenant=1", asked
    finally:
        server.shutdown()
        server.server_close()


def properties(url: str, **more: str) -> dict[str, str]:
    return {
        "bootstrap.servers": "a:1",
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.oauthbearer.token.endpoint.url": url,
        "sasl.oauthbearer.client.credentials.client.id": "me",
        "sasl.oauthbearer.client.credentials.client.secret": "hunter2",
        **{name.replace("_", "."): value for name, value in more.items()},
    }


def token_of(given: dict[str, str]) -> str:
    made = sasl_credentials(ClientConfig.from_properties(given))
    assert isinstance(made, OAuthBearer) and "hunter2" not in repr(made)
    assert callable(made.token)
    return made.token()


def test_what_is_asked() -> None:
    with endpoint(lambda: (200, {"access_token": "abc", "expires_in": 100})) as (url, asked):
        assert token_of(properties(url, sasl_oauthbearer_scope="read write")) == "abc"
        old = 'X required clientId="m e" clientSecret="h&t" scope=s extension_logicalCluster=lkc;'
        older = {name: value for name, value in properties(url).items() if "credentials" not in name}
        assert token_of({**older, "sasl.jaas.config": old, "sasl.oauthbearer.header.urlencode": "true"}) == "abc"
        made = sasl_credentials(ClientConfig.from_properties({**older, "sasl.jaas.config": old}))
        assert isinstance(made, OAuthBearer) and made.extensions == {"logicalCluster": "lkc"}
    (path, headers, body), (_, encoded, scoped) = asked
    assert (path, body) == ("/token?tenant=1", "grant_type=client_credentials&scope=read+write")
    assert headers["Authorization"] == "Basic bWU6aHVudGVyMg=="  # me:hunter2
    assert headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert encoded["Authorization"] == "Basic bStlOmglMjZ0"  # m+e:h%26t
    assert scoped == "grant_type=client_credentials&scope=s"


def test_a_token_serves_for_most_of_its_lifetime() -> None:
    lifetime = 1000.0
    with endpoint(lambda: (200, {"access_token": f"t{len(asked)}", "expires_in": lifetime})) as (url, asked):
        made = sasl_credentials(ClientConfig.from_properties(properties(url)))
        assert isinstance(made, OAuthBearer) and callable(made.token)
        assert [made.token() for _ in range(5)] == ["t1"] * 5
        made.token._until = time.monotonic() - 1  # type: ignore[attr-defined]
        lifetime = 0  # one that does not say how long it holds is asked for each time
        assert [made.token() for _ in range(3)] == ["t2", "t3", "t4"]


@pytest.mark.parametrize(
    ("answer", "match"),
    [
        ((401, {"error": "invalid_client"}), "it answered 401"),
        ((302, "http://127.0.0.1:1/elsewhere"), "it answered 302"),
        ((200, b"not json"), "holds no access_token"),
        ((200, b"[" * 100_000), "holds no access_token"),
        ((200, []), "holds no access_token"),
        ((200, {}), "holds no access_token"),
        ((200, {"access_token": 5}), "holds no access_token"),
        ((200, {"access_token": ""}), "holds no access_token"),
    ],
)
def test_refusals(answer: tuple[int, Any], match: str) -> None:
    with endpoint(lambda: answer) as (url, asked), pytest.raises(AuthenticationError, match=match) as caught:
        token_of(properties(url))
    assert len(asked) == 1  # neither again nor elsewhere
    assert "hunter2" not in str(caught.value)


def test_what_may_pass_is_tried_again() -> None:
    answers = iter([(503, {}), (429, {}), (200, {"access_token": "abc"})])
    with endpoint(lambda: next(answers)) as (url, asked):
        assert token_of(properties(url, sasl_login_retry_backoff_ms="10")) == "abc"
    assert len(asked) == 3


def test_bounded() -> None:
    released = threading.Event()
    with endpoint(lambda: (released.wait(20), (200, {}))[1]) as (url, _):
        with pytest.raises(AuthenticationError, match=r"no token in time, TimeoutError"):
            token_of(properties(url, request_timeout_ms="400"))
        released.set()
    with pytest.raises(AuthenticationError, match=r"no token in time, ConnectionRefusedError"):
        token_of(properties(url, request_timeout_ms="400"))


@pytest.mark.parametrize("url", ["", "ftp://a/b", "file:///etc/passwd", "http://", "token", "http://[x", "http://a:x/"])
def test_urls_that_cannot_be(url: str) -> None:
    with pytest.raises(ValueError, match=r"sasl\.oauthbearer\.token\.endpoint\.url"):
        token_of(properties(url))


def test_credentials_are_needed() -> None:
    given = {name: value for name, value in properties("http://a").items() if not name.endswith("secret")}
    with pytest.raises(ValueError, match=r"client\.credentials"):
        token_of(given)


def test_https(tmp_path: Path) -> None:
    certificates = make_certificates(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(str(certificates.server_cert), str(certificates.server_key))
    trust = f'X required ssl.truststore.type=PEM ssl.truststore.location="{certificates.ca}";'
    with endpoint(lambda: (200, {"access_token": "abc"}), context) as (url, asked):
        assert token_of({**properties(url), "sasl.jaas.config": trust}) == "abc"
        with pytest.raises(AuthenticationError, match="certificate verify failed"):
            token_of(properties(url, request_timeout_ms="300"))
    assert len(asked) == 1  # the secret does not go to whom we do not trust


def test_live(secure_broker: Broker) -> None:
    given = {"bootstrap.servers": secure_broker.address("SASL_PLAINTEXT")}
    with (
        endpoint(lambda: (200, {"access_token": oauth_token()})) as (url, asked),
        Client({**properties(url), **given}) as client,
    ):
        assert client.metadata([]).nodes
        assert asked
    with (
        endpoint(lambda: (403, {})) as (url, _),
        Client({**properties(url), **given}) as client,
        pytest.raises(BrokerAuthenticationError, match="it answered 403"),
    ):
        client.metadata([])
