"""sasl.jaas.config, as Java parses it."""

from __future__ import annotations

import pytest

from kafkawire.client import parse_jaas

PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (f'{PLAIN} required username="alice" password="secret";', {"username": "alice", "password": "secret"}),
        (f"{PLAIN} REQUIRED;", {}),
        (f'{PLAIN}\n  required\n\tusername = "a"\n  password="b" ;\n', {"username": "a", "password": "b"}),
        (f"{PLAIN} required username=alice password='single';", {"username": "alice", "password": "single"}),
        (f'{PLAIN} required password="a\\"b\\\\c\\n\\t\\101\\60;=";', {"password": 'a"b\\c\n\tA0;='}),
        (f'{PLAIN} required password="a//b/*c*/d";', {"password": "a//b/*c*/d"}),
        (f'{PLAIN} required // a comment\n /* and\n one */ user_a="1"; // end', {"user_a": "1"}),
        (f"{PLAIN} required debug=true name=a.b-c_d$e;", {"debug": "true", "name": "a.b-c_d$e"}),
        (f'{PLAIN} required a="1" a="2";', {"a": "2"}),
        (f'{PLAIN} required "quoted.name"="x" é="ü";', {"quoted.name": "x", "é": "ü"}),
        (f'{PLAIN} required password="";', {"password": ""}),
    ],
)
def test_good(text: str, options: dict[str, str]) -> None:
    entry = parse_jaas(text)
    assert (entry.login_module, entry.flag, entry.options) == (PLAIN, "REQUIRED", options)
    assert not options.get("password") or options["password"] not in repr(entry)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "login module is missing"),
        (";", "login module is missing"),
        (PLAIN, "control flag is missing"),
        (f'{PLAIN} username="alice";', "control flag is none of"),
        (f'{PLAIN} required username="hunter2"', "semicolon at the end"),
        (f"{PLAIN} required username;", "no value for the option 'username'"),
        (f"{PLAIN} required username=;", "no value for the option 'username'"),
        (f"{PLAIN} required password=12345;", "no value for the option 'password'"),
        (f"{PLAIN} required password=-x;", "no value for the option 'password'"),
        (f'{PLAIN} required password="hunter2\n";', "no value for the option 'password'"),
        (f'{PLAIN} required ="hunter2";', "an option is expected"),
        (f"{PLAIN} required; {PLAIN} required;", "more than one"),
        (f"{PLAIN} required username=a password=my hunter2;", "no value for the option number 3"),
        (f'{PLAIN} required password="my" hunter2 "too";', "no value for the option number 2"),
        (f"{PLAIN} required hunter2=;", "no value for the option number 1"),
    ],
)
def test_bad(text: str, match: str) -> None:
    with pytest.raises(ValueError, match=match) as caught:
        parse_jaas(text)
    assert "hunter2" not in str(caught.value)
