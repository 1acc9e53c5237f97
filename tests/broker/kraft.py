"""Brokers in KRaft mode (Kafka 3.5 and later): one node, or a cluster of three, on 127.0.0.1 in empty directories."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.broker import security
from tests.broker.maven import KAFKA_VERSION, kafka_jars
from tests.broker.metadata import START_TIMEOUT, Metadata, fetch_metadata, wait_for_leader, wait_until_ready
from tests.broker.process import HOST, Process, Service, free_ports, java_command

_CLUSTER_ID = "a2Fma2F3aXJlLXRlc3RzMQ"  # 16 bytes in unpadded base64, as all of Kafka's ids
# Listener name to security protocol; the names are those of the protocols, but for MTLS.
_LISTENERS = {"PLAINTEXT": "PLAINTEXT"}
_SECURE_LISTENERS = {
    **_LISTENERS,
    "SSL": "SSL",
    "MTLS": "SSL",
    "SASL_SSL": "SASL_SSL",
    "SASL_PLAINTEXT": "SASL_PLAINTEXT",
}


class Broker(Service):
    """A node that is broker and controller in one process; as a context manager it starts, and leaves nothing behind.

    Beside PLAINTEXT, ``secure=True`` opens the listeners SSL, MTLS (a client certificate is required), SASL_SSL and
    SASL_PLAINTEXT, the last two with PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512 for the users in ``security.USERS``, and
    with OAUTHBEARER for the bearer of ``security.oauth_token()``.
    ``properties`` are added to the broker's configuration and win over the ones set here.
    """

    def __init__(
        self,
        version: str = KAFKA_VERSION,
        *,
        secure: bool = False,
        properties: Mapping[str, str] | None = None,
        heap: str = "384m",
        node_id: int = 1,
        controllers: Mapping[int, int] | None = None,
    ) -> None:
        """Nothing starts yet. ``controllers`` (node id to controller port, with this node's) makes it one of many."""
        self.version = version
        self.node_id = node_id
        self._jars = kafka_jars(version)
        self._heap = heap
        self._properties = dict(properties or {})
        self._protocols = _SECURE_LISTENERS if secure else _LISTENERS
        self._controllers = dict(controllers) if controllers else {node_id: free_ports(1)[0]}
        self.ports = dict(zip(self._protocols, free_ports(len(self._protocols)), strict=True))
        self._directory = Path(tempfile.mkdtemp(prefix=f"kafka-{version}-node-{node_id}-"))
        self._process: Process | None = None
        self.certificates = security.make_certificates(self._directory / "certificates") if secure else None

    @property
    def port(self) -> int:
        """The PLAINTEXT listener's."""
        return self.ports["PLAINTEXT"]

    @property
    def bootstrap(self) -> str:
        """``bootstrap.servers`` of the PLAINTEXT listener."""
        return self.address("PLAINTEXT")

    @property
    def pid(self) -> int:
        return self._running().pid

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.is_alive

    @property
    def log_directory(self) -> Path:
        """Where the broker keeps its partitions, as ``topic-N`` directories of segments."""
        return self._directory / "log"

    def address(self, listener: str) -> str:
        return f"{HOST}:{self.ports[listener]}"

    def client_properties(
        self, listener: str, mechanism: str = "SCRAM-SHA-256", user: str = "alice", password: str = ""
    ) -> dict[str, str]:
        """The Java client's options for a secure listener, without ``bootstrap.servers``."""
        if self.certificates is None:
            raise ValueError("this broker was made without secure=True")
        return security.client_properties(self.certificates, listener, mechanism, user, password)

    def start(self) -> None:
        """Start it (again, after stop or kill, on the same ports and data) and wait until it answers.

        Raises RuntimeError with the end of its log when it dies or is not ready in time.
        """
        self.format()
        self.launch()
        self.wait_ready()

    def format(self) -> None:
        """Write the configuration, and prepare the storage if that has not been done."""
        process = self.begin_format()
        if process is not None:
            process.wait(START_TIMEOUT)

    def begin_format(self) -> Process | None:
        """Start what format waits for; None when the storage is prepared already."""
        if (self.log_directory / "meta.properties").exists():
            return None
        config = self._directory / "server.properties"
        config.write_text("".join(f"{name}={value}\n" for name, value in self._configuration().items()))
        arguments = ["format", "-t", _CLUSTER_ID, "-c", str(config)]
        if self.certificates is not None:
            arguments += security.scram_arguments()
        command = java_command(self._classpath, "kafka.tools.StorageTool", *arguments, heap="128m", log_level="warn")
        return Process(f"storage tool of {self}", command, self._directory / "format.log")

    def launch(self) -> None:
        """Start the process without waiting for it."""
        if self.is_running:
            raise RuntimeError(f"{self} is running")
        config = str(self._directory / "server.properties")
        command = java_command(self._classpath, "kafka.Kafka", config, heap=self._heap)
        self._process = Process(str(self), command, self._directory / "broker.log")

    def wait_ready(self, brokers: int = 1) -> None:
        """Wait until it answers, and knows of so many brokers that are up; RuntimeError with its log if not."""
        wait_until_ready([self._running()], self.port, brokers)

    def metadata(self, *topics: str) -> Metadata:
        """What this node knows of the cluster; topics named are created if they are missing, none means all."""
        return fetch_metadata(self.port, topics)

    def stop(self) -> None:
        """Ask it to end, as an operator would: logs are flushed, leaders move."""
        self._running().stop()
        self._process = None

    def kill(self) -> None:
        """End it with SIGKILL."""
        self._running().kill()
        self._process = None

    def close(self) -> None:
        """End it if it runs, and delete its directory. The data is thrown away, so nothing is gained by asking."""
        if self._process is not None:
            self.kill()
        shutil.rmtree(self._directory, ignore_errors=True)

    def log_tail(self, lines: int = 30) -> str:
        return self._running().log_tail(lines)

    def __str__(self) -> str:
        return f"Kafka {self.version} node {self.node_id}"

    def _running(self) -> Process:
        if self._process is None:
            raise RuntimeError(f"{self} is not running")
        return self._process

    @property
    def _classpath(self) -> str:
        return str(self._jars / "*")

    def _configuration(self) -> dict[str, str]:
        nodes = len(self._controllers)
        replicas = str(min(nodes, 3))
        in_sync = "2" if nodes > 1 else "1"
        listeners = {name: f"{name}://{self.address(name)}" for name in self.ports}
        controller = f"CONTROLLER://{HOST}:{self._controllers[self.node_id]}"
        protocols = {"CONTROLLER": "PLAINTEXT", **self._protocols}
        configuration = {
            "process.roles": "broker,controller",
            "node.id": str(self.node_id),
            "broker.rack": f"rack-{self.node_id}",
            "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
            "controller.quorum.voters": ",".join(f"{node}@{HOST}:{port}" for node, port in self._controllers.items()),
            "listeners": ",".join([*listeners.values(), controller]),
            "advertised.listeners": ",".join(listeners.values()),
            "listener.security.protocol.map": ",".join(f"{name}:{protocol}" for name, protocol in protocols.items()),
            "inter.broker.listener.name": "PLAINTEXT",
            "controller.listener.names": "CONTROLLER",
            "log.dirs": str(self.log_directory),
            "default.replication.factor": replicas,
            "min.insync.replicas": in_sync,
            "offsets.topic.replication.factor": replicas,
            "offsets.topic.num.partitions": "4",
            "transaction.state.log.replication.factor": replicas,
            "transaction.state.log.min.isr": in_sync,
            "transaction.state.log.num.partitions": "4",
            "share.coordinator.state.topic.replication.factor": replicas,
            "share.coordinator.state.topic.min.isr": in_sync,
            "share.coordinator.state.topic.num.partitions": "4",
            "group.initial.rebalance.delay.ms": "0",
            "log.retention.ms": "-1",  # records with old timestamps must stay
            # A killed node keeps its registration this long: until then nobody takes over, nor may it come back itself.
            "broker.session.timeout.ms": "3000",
            "broker.heartbeat.interval.ms": "500",
        }
        if self.certificates is not None:
            configuration |= security.broker_properties(self.certificates)
        return configuration | self._properties


class Cluster(Service):
    """Three brokers that replicate to each other, each of which can be killed and started again.

    Topics have three replicas, of which two must be in sync; a killed node's partitions have a new leader in seconds.
    """

    NODES = (1, 2, 3)

    def __init__(
        self, version: str = KAFKA_VERSION, *, properties: Mapping[str, str] | None = None, heap: str = "256m"
    ) -> None:
        controllers = dict(zip(self.NODES, free_ports(len(self.NODES)), strict=True))
        self.version = version
        self.nodes = {
            node: Broker(version, properties=properties, heap=heap, node_id=node, controllers=controllers)
            for node in self.NODES
        }

    @property
    def bootstrap(self) -> str:
        """``bootstrap.servers`` with all nodes, those that are down included."""
        return ",".join(node.bootstrap for node in self.nodes.values())

    def start(self) -> None:
        """Start all three at the same time and wait until each knows of the others."""
        formats = [process for node in self.nodes.values() if (process := node.begin_format()) is not None]
        for process in formats:
            process.wait(START_TIMEOUT)
        for node in self.nodes.values():
            node.launch()
        for node in self.nodes.values():
            node.wait_ready(brokers=len(self.nodes))

    def kill(self, node_id: int) -> None:
        """End one node with SIGKILL."""
        self.nodes[node_id].kill()

    def restart(self, node_id: int) -> None:
        """Start a node that was killed or stopped, on its old data, and wait until it knows of the others that run."""
        node = self.nodes[node_id]
        node.launch()
        node.wait_ready(brokers=sum(other.is_running for other in self.nodes.values()))

    def restart_all(self) -> None:
        """Start whatever a test has left dead; does nothing when all three run."""
        for node_id, node in self.nodes.items():
            if not node.is_running:
                self.restart(node_id)

    def leader(self, topic: str, partition: int = 0, other_than: int | None = None) -> int:
        """Node id of the partition's leader; waits until there is one, and while it is still ``other_than``.

        Raises RuntimeError with what is known when there is none within 30 seconds.
        """
        ports = [node.port for node in self.nodes.values() if node.is_running]
        return wait_for_leader(ports, topic, partition, other_than)

    def close(self) -> None:
        for node in self.nodes.values():
            node.close()
