"""Brokers from the time of ZooKeeper, 0.8.2 to 2.8: they wrote, and still speak, what later ones have dropped."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from tests.broker.maven import kafka_jars, version_numbers
from tests.broker.metadata import Metadata, fetch_metadata, wait_for_leader, wait_until_ready
from tests.broker.process import HOST, Process, Service, bound_to_parent, free_ports, java_command

# The newest of the versions that write each record format; all run on Java 17.
MAGIC_0, MAGIC_1, MAGIC_2 = "0.8.2.2", "0.10.2.2", "0.11.0.3"
LAST_WITHOUT_KRAFT = "2.8.2"
_LOG4J = """log4j.rootLogger=INFO, stdout
log4j.appender.stdout=org.apache.log4j.ConsoleAppender
log4j.appender.stdout.layout=org.apache.log4j.PatternLayout
log4j.appender.stdout.layout.ConversionPattern=%d %p %m (%c)%n
"""


class OldBroker(Service):
    """One broker of 0.8.2 to 2.8 with a ZooKeeper of its own.

    ``properties`` are added to the broker's configuration: a 2.8.2 with ``log.message.format.version=0.9.0`` converts
    to magic 0 what any client sends.
    """

    def __init__(self, version: str, *, properties: Mapping[str, str] | None = None, heap: str = "256m") -> None:
        """Nothing starts yet. Raises ToolMissingError as Broker does, ValueError for a version out of the range."""
        self._numbers = version_numbers(version)
        if not (0, 8, 2) <= self._numbers < (3,):
            raise ValueError(f"Kafka {version} is not one of 0.8.2 to 2.8")
        self.version = version
        self._jars = kafka_jars(version)
        self._heap = heap
        self._properties = dict(properties or {})
        self.port, self.zookeeper_port = free_ports(2)
        self._directory = Path(tempfile.mkdtemp(prefix=f"kafka-{version}-"))
        self._processes: list[Process] = []

    @property
    def bootstrap(self) -> str:
        return f"{HOST}:{self.port}"

    @property
    def log_directory(self) -> Path:
        """Where the broker keeps its partitions, as ``topic-N`` directories of segments."""
        return self._directory / "log"

    def start(self) -> None:
        """Start ZooKeeper and the broker, which waits for it; RuntimeError with a log if one does not start."""
        zookeeper, server = self._directory / "zookeeper.properties", self._directory / "server.properties"
        (self._directory / "log4j.properties").write_text(_LOG4J)
        zookeeper.write_text(_lines(self._zookeeper_configuration()))
        server.write_text(_lines(self._configuration()))
        self._launch("ZooKeeper", "org.apache.zookeeper.server.quorum.QuorumPeerMain", str(zookeeper), heap="128m")
        self._launch(f"Kafka {self.version}", "kafka.Kafka", str(server), heap=self._heap)
        # Before 0.10 a broker names no brokers, itself included, until there is a topic.
        wait_until_ready(self._processes, self.port, brokers=1 if self._numbers >= (0, 10) else 0)

    def close(self) -> None:
        for process in reversed(self._processes):
            process.kill()
        self._processes.clear()
        shutil.rmtree(self._directory, ignore_errors=True)

    def metadata(self, *topics: str) -> Metadata:
        """What the broker knows; topics named are created if they are missing, none means all."""
        return fetch_metadata(self.port, topics)

    def console_produce(
        self,
        topic: str,
        records: Sequence[tuple[str, str]],
        compression: Literal["none", "gzip", "snappy", "lz4"] = "none",
    ) -> None:
        """Write (key, value) pairs, without tabs and newlines, with the console producer of the same version."""
        wait_for_leader([self.port], topic)  # else the tool may lose records, and exits with 0
        arguments = ["--broker-list", self.bootstrap, "--topic", topic, "--compression-codec", compression]
        arguments += ["--property", "parse.key=true", "--property", "key.separator=\t"]
        lines = "".join(f"{key}\t{value}\n" for key, value in records)
        self._tool("kafka.tools.ConsoleProducer", *arguments, text=lines)

    def console_consume(self, topic: str, count: int) -> list[tuple[str, str]]:
        """Read so many (key, value) pairs from the beginning, with the console consumer of the same version."""
        source = ["--bootstrap-server", self.bootstrap]
        if self._numbers < (0, 10):
            source = ["--zookeeper", f"{HOST}:{self.zookeeper_port}"]
        arguments = ["--topic", topic, "--from-beginning", "--max-messages", str(count)]
        output = self._tool("kafka.tools.ConsoleConsumer", *source, *arguments, "--property", "print.key=true")
        pairs = [line.split("\t", 1) for line in output.splitlines() if "\t" in line]
        return [(key, value) for key, value in pairs]

    def __str__(self) -> str:
        return f"Kafka {self.version} with ZooKeeper"

    def _tool(self, main_class: str, *arguments: str, text: str = "") -> str:
        command = java_command(str(self._jars / "*"), main_class, *arguments, heap="128m", log_level="warn")
        done = subprocess.run(bound_to_parent(command), input=text, capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise RuntimeError(f"{main_class} ended with code {done.returncode}\n{(done.stdout + done.stderr)[-4000:]}")
        return done.stdout

    def _launch(self, name: str, main_class: str, config: str, heap: str) -> Process:
        classpath = f"{self._directory}:{self._jars / '*'}"  # log4j looks for its properties on it
        process = Process(name, java_command(classpath, main_class, config, heap=heap), self._directory / f"{name}.log")
        self._processes.append(process)
        return process

    def _zookeeper_configuration(self) -> dict[str, str]:
        return {
            "dataDir": str(self._directory / "zookeeper"),
            "clientPort": str(self.zookeeper_port),
            "clientPortAddress": HOST,
            "maxClientCnxns": "0",
            "admin.enableServer": "false",  # else it takes port 8080
        }

    def _configuration(self) -> dict[str, str]:
        configuration = {
            "broker.id": "0",
            "zookeeper.connect": f"{HOST}:{self.zookeeper_port}",
            "zookeeper.connection.timeout.ms": "30000",
            "log.dirs": str(self.log_directory),
            "offsets.topic.num.partitions": "4",
            "offsets.topic.replication.factor": "1",
            "log.retention.hours": "876000",  # a hundred years: records with old timestamps must stay
            "log.cleaner.dedupe.buffer.size": "33554432",  # the default would not fit into the heap
        }
        if self._numbers < (0, 9):
            configuration |= {"host.name": HOST, "port": str(self.port), "advertised.host.name": HOST}
        else:
            configuration |= {"listeners": f"PLAINTEXT://{self.bootstrap}"}
        if self._numbers >= (0, 11):
            configuration |= {
                "transaction.state.log.replication.factor": "1",
                "transaction.state.log.min.isr": "1",
                "transaction.state.log.num.partitions": "4",
                "group.initial.rebalance.delay.ms": "0",
            }
        return configuration | self._properties


def _lines(configuration: Mapping[str, str]) -> str:
    return "".join(f"{name}={value}\n" for name, value in configuration.items())
