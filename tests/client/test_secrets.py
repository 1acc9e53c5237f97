"""Passwords, tokens and keys are shown nowhere: not by a repr, not by an error, not after it has travelled."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pickle
import pkgutil
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import kafkawire.client
import kafkawire.connection
from kafkawire import messages
from kafkawire.client import Client, ClientConfig, parse_jaas
from kafkawire.client.broker import Broker
from kafkawire.client.cluster import Cluster
from kafkawire.client.errors import BrokerAuthenticationError
from kafkawire.client.security import sasl_credentials
from kafkawire.client.stores import KeyAndChain
from kafkawire.connection import Connection, OAuthBearer, Plain, Scram, SendData, ServerConnection
from kafkawire.errors import AuthenticationError
from kafkawire.messages import AlterUserScramCredentialsRequest, SaslAuthenticateRequest
from kafkawire.schema import Struct
from tests.connection.exchange import run_handshake

SECRET = "hunter2"
WORDS = (
    "password",
    "secret",
    "hmac",
    "auth_bytes",
    "stored_key",
    "server_key",
    "salt",
    "token",
    "jaas",
    "pem",
    "nonce",
)
# What has such a word in its name and is none: whether, who, which, and what a message says of a token.
HARMLESS = ("token_auth", "token_authenticated", "token_id", "is_token", "token_requester_principal_type")
HARMLESS += ("token_requester_principal_name",)


def modules() -> Iterator[Any]:
    for package in (kafkawire.client, kafkawire.connection):
        yield package
        for one in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
            yield importlib.import_module(one.name)


def is_secret(name: str) -> bool:
    return any(word in name for word in WORDS) and name not in HARMLESS


def test_fields_of_our_classes() -> None:
    """Whatever dataclass or tuple has a field with such a name does not show it."""
    checked = 0
    for cls in {one for module in modules() for one in vars(module).values() if inspect.isclass(one)}:
        if dataclasses.is_dataclass(cls):
            for each in dataclasses.fields(cls):
                if is_secret(each.name):
                    checked += 1
                    assert not each.repr, f"{cls.__name__}.{each.name}"
        elif hasattr(cls, "_fields") and any(map(is_secret, cls._fields)):
            checked += 1
            assert SECRET not in repr(cls(*[SECRET] * len(cls._fields))), cls
    assert checked >= 12


def test_fields_of_messages() -> None:
    def structs(cls: type[Struct]) -> Iterator[type[Struct]]:
        yield cls
        for inner in vars(cls).values():
            if inspect.isclass(inner) and issubclass(inner, Struct):
                yield from structs(inner)

    found = set()
    for module in pkgutil.iter_modules(messages.__path__, "kafkawire.messages."):
        for cls in vars(importlib.import_module(module.name)).values():
            if inspect.isclass(cls) and issubclass(cls, Struct) and cls.__module__ == module.name:
                for one in structs(cls):
                    for name, declared in one.FIELDS.items():
                        if is_secret(name) and name != "tokens":
                            found.add(one.__qualname__)
                            assert declared.secret, f"{one.__qualname__}.{name}"
    assert {"SaslAuthenticateRequest", "AlterUserScramCredentialsRequest.Upsertion"} <= found and len(found) >= 8


def test_messages_show_sizes() -> None:
    request = SaslAuthenticateRequest(auth_bytes=SECRET.encode())
    assert repr(request) == "SaslAuthenticateRequest(auth_bytes=<7 bytes>)"
    assert repr(SaslAuthenticateRequest()) == "SaslAuthenticateRequest()"
    upsertion = AlterUserScramCredentialsRequest.Upsertion(name="a", salted_password=SECRET.encode())
    whole = repr(AlterUserScramCredentialsRequest(upsertions=[upsertion]))
    assert "salted_password=<7 bytes>" in whole and "name='a'" in whole and SECRET not in whole
    config = messages.IncrementalAlterConfigsRequest.Resource.Config(name="ssl.key.password", value=SECRET)
    assert "value=<7 bytes>" in repr(config)
    assert SECRET not in repr(SaslAuthenticateRequest(auth_bytes=[SECRET]))  # type: ignore[arg-type]
    assert request.to_json(0) == {"authBytes": "aHVudGVyMg=="}  # Kafka's own form is as it was
    assert pickle.loads(pickle.dumps(request)) == request


def exchanges() -> list[Any]:
    return [Plain("a", SECRET), Scram("SCRAM-SHA-256", "a", SECRET), OAuthBearer(SECRET, {"x": SECRET})]


def test_reprs() -> None:
    given = {
        "bootstrap.servers": "127.0.0.1:1",
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": f'X required username="a" password="{SECRET}";',
        "ssl.key.password": SECRET,
        "ssl.keystore.key": SECRET,
    }
    config = ClientConfig.from_properties(given)
    credentials = sasl_credentials(config)
    with Client(config) as client:
        shown = [config, client, client._cluster, Cluster(config), Broker("h", 1, config, None, credentials)]
        shown += [credentials, *exchanges(), parse_jaas(given["sasl.jaas.config"]), KeyAndChain(SECRET, SECRET)]
        for mechanism in exchanges():
            connection, server = Connection(sasl=mechanism), ServerConnection()
            exchange = mechanism.exchange()
            shown += [connection, server, exchange, SendData(next(exchange)), connection.start()]
        for one in shown:
            for text in (repr(one), str(one), f"{one}", repr([one])):
                assert SECRET not in text, type(one)


def refusals() -> list[Callable[[], object]]:
    def of(**properties: Any) -> Callable[[], object]:
        names = {name.replace("_", "."): value for name, value in properties.items()}
        return lambda: sasl_credentials(ClientConfig.from_properties({"bootstrap.servers": "a:1", **names}))

    def token() -> str:
        raise RuntimeError("no such server")

    lost = SECRET + "\ud800"
    return [
        of(sasl_mechanism="PLAIN", sasl_jaas_config=SECRET),
        of(sasl_mechanism="PLAIN", sasl_jaas_config=f"X required {SECRET}"),
        of(sasl_mechanism="PLAIN", sasl_jaas_config=f"X required username=a password=b {SECRET};"),
        of(sasl_mechanism="PLAIN", sasl_jaas_config=f'X required password="{SECRET};'),
        of(sasl_mechanism="PLAIN", sasl_username="a", sasl_password=[SECRET]),
        of(
            sasl_mechanism="OAUTHBEARER",
            sasl_jaas_config=f"X required unsecuredLoginStringClaim_sub=a unsecuredLoginNumberClaim_n={SECRET};",
        ),
        lambda: next(Plain("a", SECRET + "\0").exchange()),
        lambda: next(Plain("a", lost).exchange()),
        lambda: next(Scram("SCRAM-SHA-256", "a", lost).exchange()),
        lambda: next(OAuthBearer(SECRET + "\n").exchange()),
        lambda: next(OAuthBearer([SECRET]).exchange()),  # type: ignore[arg-type]
        lambda: next(OAuthBearer("t", {"auth": SECRET}).exchange()),
        lambda: next(OAuthBearer("t", {"x": SECRET + "\1"}).exchange()),
        lambda: next(OAuthBearer(token).exchange()),
    ]


@pytest.mark.parametrize("number", range(14))
def test_errors(number: int) -> None:
    with pytest.raises((ValueError, AuthenticationError)) as caught:
        refusals()[number]()
    error = caught.value
    assert not isinstance(error, UnicodeError)
    copy = pickle.loads(pickle.dumps(error))
    around = BrokerAuthenticationError("refused", broker="a:1")
    around.__cause__ = error
    lines = "".join(traceback.format_exception_only(error)) + "".join(traceback.format_exception(around, chain=True))
    messages_only = [line for line in lines.splitlines() if not line.startswith(" ")]  # not the lines of this source
    for text in (str(error), repr(error), str(copy), repr(copy), str(around), *messages_only):
        assert SECRET not in text
    assert len(refusals()) == 14


def test_a_function_that_gives_no_token() -> None:
    """It ends the connection with an error of the family, whatever it raises."""

    def token() -> str:
        raise KeyError("no such server")

    client, server = Connection(sasl=OAuthBearer(token)), ServerConnection()
    with pytest.raises(AuthenticationError, match="no token could be had: KeyError") as caught:
        run_handshake(
            client,
            server,
            lambda asked: (
                server.api_versions()
                if isinstance(asked.request, messages.ApiVersionsRequest)  # type: ignore[union-attr]
                else messages.SaslHandshakeResponse(mechanisms=["OAUTHBEARER"])
            ),
        )
    assert isinstance(caught.value.__cause__, KeyError)
