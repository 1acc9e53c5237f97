"""Run brokers by hand until Ctrl-C: ``python -m tests.broker [--version 4.3.1] [--secure | --cluster]``."""

from __future__ import annotations

import argparse
import signal
import time
from types import FrameType

from tests.broker.kraft import Broker, Cluster
from tests.broker.maven import KAFKA_VERSION
from tests.broker.process import ToolMissingError
from tests.broker.security import MECHANISMS, USERS

_EXAMPLE = """
Some records and back again, in the shell that .venv/bin/pyspark gives:
    options = {{"kafka.bootstrap.servers": "{servers}", "subscribe": "events", "topic": "events"}}
    spark.range(5).selectExpr("string(id) value").write.format("kafkawire").options(**options).mode("append").save()
    options.pop("topic")
    spark.read.format("kafkawire").options(**options).load().selectExpr("offset", "string(value)").show()
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.broker", description="Run a real Kafka broker on 127.0.0.1.")
    parser.add_argument("--version", default=KAFKA_VERSION, help=f"of Kafka, {KAFKA_VERSION} unless told")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--secure", action="store_true", help="open TLS and SASL listeners as well")
    kind.add_argument("--cluster", action="store_true", help="three brokers instead of one")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, _interrupt)
    begun = time.monotonic()
    try:
        with (
            Cluster(arguments.version)
            if arguments.cluster
            else Broker(arguments.version, secure=arguments.secure) as started
        ):
            print(f"Kafka {started.version} is ready after {time.monotonic() - begun:.1f} s: Ctrl-C ends it")
            _describe(started)
            signal.pause()
    except ToolMissingError as error:
        raise SystemExit(str(error)) from None
    except KeyboardInterrupt:
        pass


def _describe(started: Broker | Cluster) -> None:
    print(f"bootstrap.servers={started.bootstrap}", flush=True)
    print(_EXAMPLE.format(servers=started.bootstrap), flush=True)
    if not isinstance(started, Broker) or started.certificates is None:
        return
    for listener in started.ports:
        print(f"{listener:15} {started.address(listener)}")
    print(f"certificates    {started.certificates.ca.parent}")
    print(f"users           {', '.join(f'{name}:{password}' for name, password in USERS.items())}")
    print(f"mechanisms      {', '.join(MECHANISMS)}", flush=True)


def _interrupt(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # a second one must not interrupt the cleaning up
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
