"""The client's options, with Kafka's own names: ``ClientConfig.from_properties({"bootstrap.servers": ...})``."""

from __future__ import annotations

import dataclasses
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from kafkawire.client.without_effect import WITHOUT_EFFECT

SecurityProtocol: TypeAlias = Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
IsolationLevel: TypeAlias = Literal["read_uncommitted", "read_committed"]
CompressionType: TypeAlias = Literal["none", "gzip", "snappy", "lz4", "zstd"]

_LARGEST = 0x7FFFFFFF
# Where Java has a long: "for ever" is the largest of them.
_LONGS = (
    *(
        "connections_max_idle_ms",
        "linger_ms",
        "metadata_max_age_ms",
        "reconnect_backoff_ms",
        "reconnect_backoff_max_ms",
    ),
    *("retry_backoff_ms", "retry_backoff_max_ms"),
    *("socket_connection_setup_timeout_ms", "socket_connection_setup_timeout_max_ms"),
)
# Java takes the spaces around these away, as around numbers. Not around passwords.
_BARE = ("client.id", "client.rack", "sasl.mechanism", "ssl.truststore.type", "ssl.keystore.type", "ssl.protocol")
# Lowest and highest value of those that are not simply 0 or more.
_RANGES = {
    "connections_max_idle_ms": (-1, 2**63 - 1),
    "send_buffer_bytes": (-1, _LARGEST),
    "receive_buffer_bytes": (-1, _LARGEST),
    "compression_gzip_level": (-1, 9),
    "compression_lz4_level": (1, 17),
    "compression_zstd_level": (-131072, 22),
}


class UnknownPropertyWarning(UserWarning):
    """An option that neither this client nor Kafka's know; it is ignored."""


class UnusedPropertyWarning(UserWarning):
    """An option of Kafka's Java clients that has no effect here."""


@dataclass(frozen=True)
class ClientConfig:
    """Options of a client. A field is Kafka's property with underscores for its dots; defaults are Kafka's unless said.

    Times are milliseconds, sizes bytes. Those marked * are not Kafka's. Secrets are not in the repr.
    """

    bootstrap_servers: tuple[str, ...]  # "host:port"; one that is up is enough to begin with
    client_id: str = "kafkawire"  # Kafka's default is ""
    client_rack: str = ""  # where this client is: fetch from the nearest replica (KIP-392)

    security_protocol: SecurityProtocol = "PLAINTEXT"
    sasl_mechanism: str = "GSSAPI"  # to be set: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER
    sasl_jaas_config: str | None = field(default=None, repr=False)
    sasl_username: str | None = None  # *, instead of sasl.jaas.config
    sasl_password: str | None = field(default=None, repr=False)  # *
    sasl_oauth_token: str | Callable[[], str] | None = field(
        default=None, repr=False
    )  # *, the token or a function that gives a valid one

    ssl_truststore_location: str | None = None  # the system's certificates without one
    ssl_truststore_type: str | None = None  # PEM, PKCS12 or JKS; found out from the file without one
    ssl_truststore_password: str | None = field(default=None, repr=False)
    ssl_truststore_certificates: str | None = field(default=None, repr=False)  # PEM
    ssl_keystore_location: str | None = None
    ssl_keystore_type: str | None = None
    ssl_keystore_password: str | None = field(default=None, repr=False)
    ssl_keystore_key: str | None = field(default=None, repr=False)  # PEM
    ssl_keystore_certificate_chain: str | None = field(default=None, repr=False)  # PEM
    ssl_key_password: str | None = field(default=None, repr=False)
    ssl_endpoint_identification_algorithm: str = "https"  # "" does not compare the broker's name with its certificate
    ssl_protocol: str = "TLSv1.3"
    ssl_enabled_protocols: tuple[str, ...] = ("TLSv1.2", "TLSv1.3")
    ssl_cipher_suites: tuple[str, ...] = ()  # with Java's names; for TLS 1.2 with OpenSSL's, too

    request_timeout_ms: int = 30_000
    default_api_timeout_ms: int = 60_000  # an operation with all its retries
    delivery_timeout_ms: int = 120_000  # the same for produce
    socket_connection_setup_timeout_ms: int = 10_000
    socket_connection_setup_timeout_max_ms: int = 30_000
    reconnect_backoff_ms: int = 50
    reconnect_backoff_max_ms: int = 1_000
    retry_backoff_ms: int = 100
    retry_backoff_max_ms: int = 1_000
    retries: int = _LARGEST  # of produce
    connections_max_idle_ms: int = 540_000  # -1 never
    metadata_max_age_ms: int = 300_000
    send_buffer_bytes: int = -1  # -1 the system's
    receive_buffer_bytes: int = -1  # Kafka's default is 65536
    max_frame_size: int = 256 * 1024 * 1024  # *, a larger response is refused
    api_version_request: bool = True  # *, False for brokers before 0.10
    broker_version_fallback: str = "0.9.0"  # *, which of them: 0.8.0, 0.8.2 or 0.9.0

    isolation_level: IsolationLevel = "read_uncommitted"
    fetch_min_bytes: int = 1
    fetch_max_bytes: int = 50 * 1024 * 1024
    fetch_max_wait_ms: int = 500
    max_partition_fetch_bytes: int = 1024 * 1024
    allow_auto_create_topics: bool = True

    acks: int = -1  # all
    max_request_size: int = 1024 * 1024  # batches of several partitions share a request up to this size
    enable_idempotence: bool | None = None  # None becomes True where acks and retries allow it, else False, as in Java
    transactional_id: str | None = None
    transaction_timeout_ms: int = 60_000
    # For whoever builds batches for this client, which itself sends them as they come.
    compression_type: CompressionType = "none"
    compression_gzip_level: int | None = None  # None: the codec's own
    compression_lz4_level: int | None = None
    compression_zstd_level: int | None = None
    batch_size: int | None = None  # None: the builder's choice; Kafka's default is 16384
    linger_ms: int = 5
    partitioner_ignore_keys: bool = False  # True: a key does not choose the partition

    def __post_init__(self) -> None:
        if not self.bootstrap_servers:
            raise ValueError("bootstrap.servers is empty")
        for server in self.bootstrap_servers:
            parse_address(server)
        _one_of("security.protocol", self.security_protocol, get_args(SecurityProtocol))
        _one_of("isolation.level", self.isolation_level, get_args(IsolationLevel))
        _one_of("acks", self.acks, (-1, 0, 1))
        _one_of("compression.type", self.compression_type, get_args(CompressionType))
        _one_of("ssl.endpoint.identification.algorithm", self.ssl_endpoint_identification_algorithm, ("https", ""))
        if self.transactional_id == "":
            raise ValueError("transactional.id is empty")
        if self.compression_gzip_level == 0:
            raise ValueError("compression.gzip.level is not between 1 and 9, nor -1")
        for each in dataclasses.fields(self):
            value = getattr(self, each.name)
            if each.type in ("int", "int | None") and value is not None and each.name != "acks":
                _check_range(each.name, value)
        self._settle_idempotence()

    def _settle_idempotence(self) -> None:
        """On unless something else that was chosen speaks against it; who wants both is told so."""
        against = "acks is not all" if self.acks != -1 else "retries is 0" if self.retries == 0 else ""
        if self.enable_idempotence is None:
            object.__setattr__(self, "enable_idempotence", not against)
        elif self.enable_idempotence and against:
            raise ValueError(f"enable.idempotence is true, but {against}")
        if self.transactional_id is not None and not self.enable_idempotence:
            raise ValueError("transactional.id needs enable.idempotence" + (f", but {against}" if against else ""))

    @classmethod
    def from_properties(cls, properties: Mapping[str, Any]) -> ClientConfig:
        """From Kafka's property names; values are strings as in a properties file, or of the field's own type.

        Unknown names are ignored with an UnknownPropertyWarning that names them; what Java's clients know, but has no
        effect here, is named in an UnusedPropertyWarning. Raises ValueError for a value that its option cannot have,
        without showing it where it is a secret.
        """
        known = {property_name(each.name): each for each in dataclasses.fields(cls)}
        others = sorted(name for name in properties if name not in known)
        unused = [name for name in others if name in WITHOUT_EFFECT]
        if unused:
            text = f"options of Kafka's Java clients that have no effect here: {', '.join(unused)}"
            warnings.warn(text, UnusedPropertyWarning, stacklevel=2)
        unknown = [name for name in others if name not in WITHOUT_EFFECT]
        if unknown:
            warnings.warn(f"unknown options are ignored: {', '.join(unknown)}", UnknownPropertyWarning, stacklevel=2)
        if "bootstrap.servers" not in properties:
            raise ValueError("bootstrap.servers is missing")
        values = {
            known[name].name: _converted(name, str(known[name].type), value)
            for name, value in properties.items()
            if name in known and value is not None
        }
        return cls(**values)

    @property
    def compression_level(self) -> int | None:
        """The level given for compression.type's codec, None for the codec's own."""
        level: int | None = getattr(self, f"compression_{self.compression_type}_level", None)
        return None if self.compression_type == "gzip" and level == -1 else level

    @property
    def uses_tls(self) -> bool:
        return self.security_protocol.endswith("SSL")

    @property
    def uses_sasl(self) -> bool:
        return self.security_protocol.startswith("SASL_")


def property_name(field_name: str) -> str:
    """Kafka's name of a field."""
    return field_name.replace("_", ".")


def parse_address(text: str) -> tuple[str, int]:
    """Host and port of "host:port", "[::1]:9092" or "PROTOCOL://host:port"; ValueError for anything else."""
    match = re.fullmatch(r"(?:[A-Za-z0-9_]+://)?(?:\[([0-9A-Fa-f:.%]+)\]|([^\s:/\[\]]+)):([0-9]{1,5})", text.strip())
    if match is None or not 0 < int(match[3]) < 65536:
        raise ValueError(f"bootstrap.servers: {text!r} is not host:port")
    return match[1] or match[2], int(match[3])


def _one_of(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} is none of {', '.join(repr(one) for one in allowed)}")


def _check_range(name: str, value: int) -> None:
    low, high = _RANGES.get(name, (0, 2**63 - 1 if name in _LONGS else _LARGEST))
    if not low <= value <= high:
        raise ValueError(f"{property_name(name)} is not between {low} and {high}")


def _converted(name: str, kind: str, value: Any) -> Any:
    """A value from a properties file in the field's type."""
    if not isinstance(value, str):
        if kind.startswith("int") and (not isinstance(value, int) or isinstance(value, bool)):
            raise ValueError(f"{name} is not a whole number")
        if kind.startswith("bool") and not isinstance(value, bool):
            raise ValueError(f"{name} is true or false")
        if kind.startswith("str") and not (callable(value) and "Callable" in kind):
            raise ValueError(f"{name} is not text")
        return tuple(value) if kind.startswith("tuple") else value
    text = value.strip()
    if kind.startswith("tuple"):
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if kind.startswith("bool"):
        if text.lower() not in ("true", "false"):
            raise ValueError(f"{name} is true or false")
        return text.lower() == "true"
    if kind.startswith("int"):
        if name == "acks" and text == "all":
            return -1
        if not re.fullmatch("-?[0-9]+", text):
            raise ValueError(f"{name} is not a whole number")
        return int(text)
    if kind == "SecurityProtocol":
        return text.upper()
    if kind in ("IsolationLevel", "CompressionType") or name == "ssl.endpoint.identification.algorithm":
        return text.lower()
    if name in _BARE:
        return text
    return value
