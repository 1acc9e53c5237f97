"""Options as Spark passes them, text under names of any case, read one by one as what they mean."""

from __future__ import annotations

import difflib
import json
import re
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from kafkawire.client import ClientConfig

#: Options of this prefix are the client's: kafka.bootstrap.servers, kafka.security.protocol, ...
KAFKA = "kafka."


class OptionError(ValueError):
    """An option of a read or a write that is unknown, missing or has a value that cannot be used."""


def texts(options: Mapping[str, Any] | None, more: Mapping[str, Any]) -> dict[str, str]:
    """A function's options as Spark would pass them. ``more``: those of names without a dot. Values may be Python's:
    True, numbers, and dicts where an option is JSON; None is an option that is not given."""
    found: dict[str, str] = {}
    seen: set[str] = set()
    for name, value in (*(options or {}).items(), *more.items()):
        if value is None:
            continue
        if name.lower() in seen:
            raise OptionError(f"{name}: this option is given twice")
        seen.add(name.lower())
        found[name] = json.dumps(value) if isinstance(value, (bool, Mapping)) else str(value)
    return found


class Given:
    """The options of one read or write. Every method raises :class:`OptionError` for what it cannot use.

    Errors show values, but not those of ``kafka.*``, among which are passwords.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        self.names = list(options)
        self._values = {name.lower(): value for name, value in options.items()}

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._values

    def refuse_unknown(self, known: Iterable[str]) -> None:
        """Raise for the first name that is not among these (``kafka.*`` aside), and say which one may be meant."""
        spelling = {name.lower(): name for name in known}
        for name in self.names:
            if name.lower() not in spelling and not name.lower().startswith(KAFKA):
                near = difflib.get_close_matches(name.lower(), spelling, n=1)
                hint = f"did you mean {spelling[near[0]]}? " if near else ""
                raise OptionError(f"{name}: there is no such option; {hint}there are {', '.join(spelling.values())}")

    def text(self, name: str, default: str | None = None) -> str | None:
        """The value without space around it."""
        value = self._values.get(name.lower())
        return default if value is None else value.strip()

    def boolean(self, name: str, default: bool) -> bool:
        """true or false, in any case."""
        text = self.text(name)
        if text is None:
            return default
        if text.lower() not in ("true", "false"):
            raise OptionError(f"{name}: {text!r} is neither true nor false")
        return text.lower() == "true"

    def integer(self, name: str, default: int | None = None, *, least: int = 0) -> int | None:
        """A whole number of ``least`` or more."""
        text = self.text(name)
        if text is None:
            return default
        if not re.fullmatch(r"-?\d{1,19}", text) or int(text) < least:
            raise OptionError(f"{name}: {text!r} is not a whole number of {least} or more")
        return int(text)

    def size(self, name: str, default: int) -> int:
        """A positive number, also of kibi, mebi or gibi: 65536, 64k, 16m, 1g."""
        text = self.text(name)
        if text is None:
            return default
        match = re.fullmatch(r"(\d+)\s*([kmg]?)b?", text.lower())
        if match is None or int(match[1]) == 0:
            raise OptionError(f"{name}: {text!r} is not a positive number, such as 65536, 64k or 16m")
        return int(match[1]) << {"": 0, "k": 10, "m": 20, "g": 30}[match[2]]

    def kafka_properties(self) -> dict[str, str]:
        """The client's own options, under Kafka's names (without the prefix)."""
        return {name[len(KAFKA) :]: value for name, value in self._values.items() if name.startswith(KAFKA)}

    def client_config(
        self, refused: Mapping[str, str], defaults: Mapping[str, str], unused: Iterable[str] = ()
    ) -> ClientConfig:
        """The client's configuration. ``refused``: the properties that make no sense here, and what to do instead;
        ``defaults``: used where nothing is given; ``unused``: left to the caller. Unknown ones are named in a warning,
        as by Kafka's clients."""
        properties = {name: value for name, value in self.kafka_properties().items() if name not in unused}
        for name, instead in refused.items():
            if name in properties:
                raise OptionError(f"{KAFKA}{name}: {instead}")
        if not properties.get("bootstrap.servers", "").strip():
            raise OptionError(f"{KAFKA}bootstrap.servers: this option has to be given, as host:port,host:port")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always")
                return ClientConfig.from_properties({**defaults, **properties})
        except ValueError as error:
            raise OptionError(f"{KAFKA}{error}") from None
