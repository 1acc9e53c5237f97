"""Child processes that no test run leaves behind, the tools they are made of, and ports for them."""

from __future__ import annotations

import os
import random
import re
import shutil
import socket
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TypeVar

HOST = "127.0.0.1"
JAVA_MAJOR = 17  # what Kafka 4 and Spark 4 ask for
_LAUNCH = str(Path(__file__).with_name("launch.py"))
# Below every system's ephemeral range: there, any outgoing connection could take the port of a broker that is down.
_PORTS = range(12_000, 32_000)

ServiceT = TypeVar("ServiceT", bound="Service")


class ToolMissingError(RuntimeError):
    """A tool that the brokers need (java, javac, mvn, or the network behind mvn) is not on this machine."""


def cache_directory() -> Path:
    """Where jars and compiled classes are kept: ``$KAFKAWIRE_TEST_CACHE``, or ``~/.cache/kafkawire-tests``."""
    given = os.environ.get("KAFKAWIRE_TEST_CACHE")
    return Path(given).absolute() if given else Path.home() / ".cache" / "kafkawire-tests"


def find_tool(name: str) -> str:
    """Path of ``java``, ``javac`` or ``mvn``: of ``$JAVA_HOME`` if it is set, else of ``$PATH``.

    Raises ToolMissingError, also when the Java found is older than 17.
    """
    home = os.environ.get("JAVA_HOME")
    found = (shutil.which(name, path=str(Path(home) / "bin")) if home else None) or shutil.which(name)
    if found is None:
        package = "maven" if name == "mvn" else f"openjdk-{JAVA_MAJOR}-jdk-headless"
        raise ToolMissingError(f"{name} is not on this machine (Debian: apt-get install {package})")
    if name == "java":
        _check_java(found)
    return found


def _check_java(java: str) -> None:
    version = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60).stderr
    match = re.search(r'version "(\d+)', version)
    if match is None or int(match.group(1)) < JAVA_MAJOR:
        raise ToolMissingError(f"Java {JAVA_MAJOR} or later is needed; {java} says: {version.strip()[:200]}")


def java_command(classpath: str, main_class: str, *arguments: str, heap: str, log_level: str = "info") -> list[str]:
    """A small, quickly started JVM: serial collector and first-tier compiler, logging to its standard error."""
    return [
        find_tool("java"),
        f"-Xmx{heap}",
        "-Xms32m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        f"-Dorg.slf4j.simpleLogger.defaultLogLevel={log_level}",
        "-Dorg.slf4j.simpleLogger.showDateTime=true",
        "-cp",
        classpath,
        main_class,
        *arguments,
    ]


def bound_to_parent(command: Sequence[str]) -> list[str]:
    """The command, wrapped so that it dies with this process (on Linux: with the thread that starts it)."""
    return [sys.executable, "-I", "-S", _LAUNCH, str(os.getpid()), *command]


def free_ports(count: int) -> list[int]:
    """Ports of 127.0.0.1 that nobody listens on, all different, outside of the ephemeral range."""
    held: list[socket.socket] = []
    try:
        for port in random.SystemRandom().sample(_PORTS, len(_PORTS)):
            candidate = socket.socket()
            held.append(candidate)
            try:
                candidate.bind((HOST, port))
            except OSError:
                held.pop().close()
            if len(held) == count:
                return [bound.getsockname()[1] for bound in held]
        raise RuntimeError(f"no {count} free ports on {HOST}")
    finally:
        for bound in held:
            bound.close()


class Process:
    """One child process, its output in a log file, that dies with the thread that started it.

    Start it from a thread that lives as long as the process should: in tests, the main one.
    """

    def __init__(self, name: str, command: Sequence[str], log: Path) -> None:
        self.name = name
        self.log = log
        with log.open("ab") as output:
            self._child = subprocess.Popen(
                bound_to_parent(command),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for the tests, which then end their brokers in order
            )

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def is_alive(self) -> bool:
        return self._child.poll() is None

    def require_alive(self) -> None:
        """Raise RuntimeError with the end of the log if the process has ended."""
        if not self.is_alive:
            raise RuntimeError(f"{self.name} ended with code {self._child.returncode}\n{self.log_tail()}")

    def stop(self, timeout: float = 20.0) -> None:
        """Ask it to end (SIGTERM), and end it after ``timeout`` seconds."""
        self._child.terminate()
        try:
            self._child.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """End it at once (SIGKILL)."""
        self._child.kill()
        self._child.wait()

    def wait(self, timeout: float) -> None:
        """Wait for its own end; RuntimeError with the end of the log for a failure or after ``timeout`` seconds."""
        try:
            code = self._child.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise RuntimeError(f"{self.name} took more than {timeout:.0f} s\n{self.log_tail()}") from None
        if code != 0:
            raise RuntimeError(f"{self.name} ended with code {code}\n{self.log_tail()}")

    def log_tail(self, lines: int = 30) -> str:
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return f"--- the end of {self.log}\n" + "\n".join(text.splitlines()[-lines:])


class Service(ABC):
    """What runs inside a ``with`` statement: started at its beginning, and gone at its end, or when the start fails."""

    @abstractmethod
    def start(self) -> None:
        """Start it and wait until it answers."""

    @abstractmethod
    def close(self) -> None:
        """End it if it runs, and delete its data."""

    def __enter__(self: ServiceT) -> ServiceT:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class Deadline:
    """A bound in time for a loop that waits: ``while deadline.pause(): ...`` raises nothing, it just ends."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def pause(self, seconds: float = 0.1) -> bool:
        """Sleep a little; False when the time is over."""
        left = self._end - time.monotonic()
        if left <= 0:
            return False
        time.sleep(min(seconds, left))
        return True
