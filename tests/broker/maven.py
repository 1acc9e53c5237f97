"""Jars from Maven Central, resolved once by ``mvn`` into the test cache."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.broker.process import Deadline, ToolMissingError, bound_to_parent, cache_directory, find_tool

KAFKA_VERSION = "4.3.1"
_TIMEOUT = 600.0  # seconds; a cold cache and a slow network are the normal case in CI
_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"
# Dependencies that are not published for some version (0.9 and earlier; 4.4), and that no broker needs to run.
_UNPUBLISHED = ("com.sun.jmx:jmxri", "com.sun.jdmk:jmxtools", "javax.jms:jms", "org.apache.kafka:kafka-tools-api")


def kafka_jars(version: str = KAFKA_VERSION) -> Path:
    """Directory with the jars of a broker of this version, its clients and Jackson included.

    Raises ToolMissingError without ``mvn``, or when ``mvn`` cannot reach what it needs.
    """
    numbers = version_numbers(version)
    scala = _scala(numbers)
    artifacts = [f"org.apache.kafka:kafka_{scala}:{version}"]
    if scala == "2.12":
        artifacts.append("javax.xml.bind:jaxb-api:2.3.1")  # left the JDK with Java 11
    if numbers >= (2, 0):
        artifacts.append("org.slf4j:slf4j-simple:1.7.36")
    elif numbers >= (1, 0):  # earlier ones bring the log4j that their ZooKeeper insists on
        artifacts.append("org.slf4j:slf4j-log4j12:1.7.25")
    return resolve(f"kafka-{version}", artifacts, exclude=_UNPUBLISHED)


def spark_kafka_jars() -> list[Path]:
    """The jars that give PySpark 4.2.0 its own Kafka source, each without what Spark itself brings.

    Raises ToolMissingError like kafka_jars.
    """
    artifacts = [
        "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0",
        "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.0.0",
        "org.apache.kafka:kafka-clients:3.9.2",
        "org.apache.commons:commons-pool2:2.13.1",
    ]
    return sorted(resolve("spark-kafka-4.2.0", artifacts, exclude=("*:*",)).glob("*.jar"))


def version_numbers(version: str) -> tuple[int, ...]:
    """A version to compare: "0.8.2.2" is (0, 8, 2, 2)."""
    return tuple(int(part) for part in version.split("."))


def _scala(numbers: tuple[int, ...]) -> str:
    """The Scala version in the artifact's name: the one of each Kafka line that still runs on Java 17."""
    if numbers >= (2, 4):
        return "2.13"
    if numbers >= (0, 10, 2):
        return "2.12"
    return "2.11" if numbers >= (0, 8, 2) else "2.10"


def resolve(name: str, artifacts: Sequence[str], exclude: Sequence[str] = ()) -> Path:
    """Directory with the jars of ``group:artifact:version`` strings and of all that they need at run time.

    The directory appears whole or not at all, also when two processes want it at the same time: one of them works, the
    other waits. ``exclude`` lists ``group:artifact`` of dependencies to leave out.
    """
    pom = _pom(name, artifacts, exclude)
    root = cache_directory() / "jars"
    target = root / f"{name}-{hashlib.sha256(pom.encode()).hexdigest()[:10]}"
    if target.is_dir():
        return target
    mvn = find_tool("mvn")
    find_tool("java")
    root.mkdir(parents=True, exist_ok=True)
    with _locked(root / f".{target.name}.lock"):
        if not target.is_dir():
            _copy_dependencies(mvn, pom, root, target)
    return target


def _copy_dependencies(mvn: str, pom: str, root: Path, target: Path) -> None:
    work = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=root))
    try:
        (work / "pom.xml").write_text(pom)
        goal = [f"{_PLUGIN}:copy-dependencies", "-DincludeScope=runtime", "-DoutputDirectory=jars"]
        command = bound_to_parent([mvn, "-B", "-ntp", "-q", "-f", str(work / "pom.xml"), *goal])
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=_TIMEOUT
            )
        except subprocess.TimeoutExpired:
            raise ToolMissingError(f"mvn did not bring {target.name} within {_TIMEOUT:.0f} s") from None
        if done.returncode != 0:
            errors = [line for line in (done.stdout + done.stderr).splitlines() if "ERROR" in line]
            raise ToolMissingError(f"mvn could not bring {target.name}: " + "\n".join(errors[:4]))
        (work / "jars").rename(target)
    finally:
        shutil.rmtree(work, ignore_errors=True)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file that is left behind; RuntimeError if another process keeps it too long."""
    import fcntl  # Unix has it; where it is missing the tests that need no broker still run

    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        deadline = Deadline(_TIMEOUT + 30)
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not deadline.pause(0.2):
                    raise RuntimeError(f"another process has held {path} for more than {_TIMEOUT:.0f} s") from None
        yield
    finally:
        os.close(descriptor)  # which also gives the lock back


def _pom(name: str, artifacts: Sequence[str], exclude: Sequence[str]) -> str:
    exclusions = "".join(
        f"<exclusion><groupId>{group}</groupId><artifactId>{artifact}</artifactId></exclusion>"
        for group, artifact in (item.split(":") for item in exclude)
    )
    dependencies = "\n".join(
        f"    <dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>"
        f"<exclusions>{exclusions}</exclusions></dependency>"
        for group, artifact, version in (item.split(":") for item in artifacts)
    )
    return f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>kafkawire.tests</groupId>
  <artifactId>{name}</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
{dependencies}
  </dependencies>
</project>
"""
