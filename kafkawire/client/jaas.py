"""``sasl.jaas.config``, parsed as Kafka's Java clients do.

One login module: its class, a control flag, options ``name=value`` or ``name="value"``, a semicolon. The rules of
words, quotes, escapes and comments are those of java.io.StreamTokenizer, with ``-``, ``_`` and ``$`` as letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""
    (?P<skip> [\x00-\x20]+ | /\*.*?\*/ | /[^\n\r]* )        # a single slash begins a comment too
  | (?P<number> -?(?=[0-9.])[0-9]*(?:\.[0-9]*)? )
  | (?P<word> [A-Za-z_$\u00a0-\U0010ffff] [A-Za-z0-9._$\u00a0-\U0010ffff-]* )
  | (?P<quote> "(?:\\[^\n\r]|[^"\\\n\r])*" | '(?:\\[^\n\r]|[^'\\\n\r])*' )
  | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\([0-3][0-7]{0,2}|[4-7][0-7]?|.)", re.DOTALL)
_ESCAPED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_FLAGS = ("REQUIRED", "REQUISITE", "SUFFICIENT", "OPTIONAL")


@dataclass(frozen=True)
class JaasEntry:
    """A login module with its options, which hold passwords and are not shown."""

    login_module: str
    flag: str
    options: dict[str, str] = field(repr=False)


def parse_jaas(text: str) -> JaasEntry:
    """The one entry of a ``sasl.jaas.config``; ValueError, without any of its values, for what Java refuses too."""
    tokens = [*_tokens(text), ("end", "")]
    position = 0

    def take(*kinds: str, what: str) -> str:
        nonlocal position
        kind, value = tokens[position]
        if kind not in kinds:
            raise ValueError(f"sasl.jaas.config: {what}")
        position += 1
        return value

    module = take("word", "quote", what="the login module is missing")
    flag = take("word", what="the control flag is missing").upper()
    if flag not in _FLAGS:
        raise ValueError(f"sasl.jaas.config: the control flag is none of {', '.join(_FLAGS)}")
    options: dict[str, str] = {}
    number = 0
    while tokens[position] != ("other", ";"):
        name = take("word", "quote", what="an option is expected, or a semicolon at the end")
        number += 1
        # Other words may be the rest of a password without its quotes.
        shown = repr(name) if name in ("username", "password", "tokenauth") else f"number {number}"
        if tokens[position] != ("other", "="):
            raise ValueError(f"sasl.jaas.config: no value for the option {shown}")
        position += 1
        options[name] = take("word", "quote", what=f"no value for the option {shown} (quote it)")
    if tokens[position + 1][0] != "end":
        raise ValueError("sasl.jaas.config: more than one login module")
    return JaasEntry(module, flag, options)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    for match in _TOKEN.finditer(text):
        kind, value = str(match.lastgroup), match.group()
        if kind == "quote":
            yield kind, _ESCAPE.sub(_unescaped, value[1:-1])
        elif kind != "skip":
            yield kind, value


def _unescaped(match: re.Match[str]) -> str:
    escape = match.group(1)
    return chr(int(escape, 8)) if escape[0] in "01234567" else _ESCAPED.get(escape, escape)
