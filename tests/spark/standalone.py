"""A standalone Spark cluster on 127.0.0.1: a master and two workers, each a process with a directory of its own."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyspark

import kafkawire
from tests.broker.process import HOST, Deadline, Process, Service, free_ports

_TIMEOUT = 180.0  # seconds; a few are usual, a busy machine takes longer
_SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
#: What nodes that have kafkawire installed would find by themselves.
_PYTHONPATH = str(Path(kafkawire.__file__).parents[1])


class StandaloneCluster(Service):
    """As a context manager it starts, and leaves nothing behind. Each worker has one core, so one executor's task."""

    WORKERS = ("worker-1", "worker-2")

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="spark-cluster-"))
        self._processes: dict[str, Process] = {}
        self._port, self._ui = free_ports(2)

    @property
    def master(self) -> str:
        return f"spark://{HOST}:{self._port}"

    def start(self) -> None:
        master = ["--host", HOST, "--port", str(self._port), "--webui-port", str(self._ui)]
        self._launch("master", "org.apache.spark.deploy.master.Master", *master)
        for name in self.WORKERS:
            self.start_worker(name)

    def start_worker(self, name: str) -> None:
        """Start a worker (again), and wait until the master knows of it."""
        port, ui = free_ports(2)
        known = self._registered()
        arguments = ["--host", HOST, "--port", str(port), "--webui-port", str(ui), "--cores", "1", "--memory", "600m"]
        worker = "org.apache.spark.deploy.worker.Worker"
        self._launch(name, worker, *arguments, "--work-dir", str(self.work_directory(name)), self.master)
        deadline = Deadline(_TIMEOUT)
        while self._registered() == known:
            for process in self._processes.values():
                process.require_alive()
            if not deadline.pause():
                raise RuntimeError(f"{name} was not registered in time\n{self._processes['master'].log_tail()}")

    def kill(self, name: str) -> None:
        """End a worker with SIGKILL; its executor ends when it sees that."""
        self._processes.pop(name).kill()

    def work_directory(self, name: str) -> Path:
        """Below it are the working directories of this worker's executors, and so of their Python processes."""
        return self.directory / name

    def submit(self, job: Path, reads: Sequence[Mapping[str, Any]], **more: str) -> Job:
        """Start a driver that runs ``job`` with the package that is tested."""
        return Job(self, job, {"master": self.master, "pythonpath": _PYTHONPATH, "reads": list(reads), **more})

    def close(self) -> None:
        for name in [*(name for name in self._processes if name != "master"), "master"]:
            if name in self._processes:
                self._processes.pop(name).stop()  # a worker that is asked to end ends its executors
        shutil.rmtree(self.directory, ignore_errors=True)

    def _registered(self) -> int:
        """How many times a worker came to the master."""
        log = self._processes["master"].log
        return log.read_text(errors="replace").count("Registering worker")

    def _launch(self, name: str, main_class: str, *arguments: str) -> None:
        settings = {
            "SPARK_LOCAL_IP": HOST,
            "SPARK_DAEMON_MEMORY": "128m",
            "SPARK_DAEMON_JAVA_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
            "SPARK_CONF_DIR": str(self.directory),  # nobody's own settings
        }
        command = ["env", *(f"{key}={value}" for key, value in settings.items()), str(_SPARK_CLASS), main_class]
        self._processes[name] = Process(name, [*command, *arguments], self.directory / f"{name}.log")


class Job:
    """A driver process, under way."""

    def __init__(self, cluster: StandaloneCluster, script: Path, settings: Mapping[str, Any]) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="job-", dir=cluster.directory))
        self._result = self.directory / "result.json"
        file = self.directory / "job.json"
        file.write_text(json.dumps({**settings, "directory": str(self.directory)}))
        env = [f"PYTHONPATH={_PYTHONPATH}", f"PYSPARK_PYTHON={sys.executable}", f"SPARK_LOCAL_IP={HOST}"]
        command = ["env", "-C", str(self.directory), *env, sys.executable, str(script), str(file)]
        self._process = Process("driver", command, self.directory / "driver.log")

    def wait_for(self, file: str) -> None:
        """Wait until a task has written this file into the job's directory."""
        deadline = Deadline(_TIMEOUT)
        while not (self.directory / file).exists():
            self._process.require_alive()
            if not deadline.pause():
                self._process.kill()
                raise RuntimeError(f"no task wrote {file} in time\n{self._process.log_tail()}")

    def result(self) -> Any:
        """What the job says; RuntimeError with its log where it fails."""
        self._process.wait(_TIMEOUT)
        return json.loads(self._result.read_text())

    def __enter__(self) -> Job:
        return self

    def __exit__(self, *error: object) -> None:
        if self._process.is_alive:
            self._process.kill()
