"""A standalone Spark cluster of one's own: a master and workers on loopback, whose Python has Arrow and no babelreg."""

from __future__ import annotations

import os
import subprocess
import venv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import distribution
from pathlib import Path

from server import Server, free_port, listens

from babelreg.spark.deploy import pack as archive
from babelreg.spark.session import java

__all__ = ["QUICK", "SparkCluster", "bare_python", "children", "running"]

QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"
SECONDS = 1200


@dataclass
class SparkCluster:
    """``environment`` has the Python of the workers; programs run in ``folder`` and are submitted with ``settings``."""

    master: Server
    workers: Sequence[Server]
    environment: Mapping[str, str]
    folder: Path
    settings: Mapping[str, str] = field(default_factory=dict)

    def within(self, folder: Path, *, executors: int = 1, cores: int = 1) -> SparkCluster:
        """Return the same cluster for programs in ``folder``, which get ``executors`` with ``cores`` each.

        As many workers have one.
        """
        size = {"spark.executor.cores": str(cores), "spark.cores.max": str(executors * cores)}
        return replace(self, folder=folder, settings=size)

    @property
    def log(self) -> Path:
        """The standard error of the last driver."""
        return self.folder / "driver.log"

    def submit(
        self,
        *arguments: str | Path,
        master: str | None = None,
        python: Path | None = None,
        conf: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[str]:
        """Start a driver. ``python`` is the one of driver and workers, where it is another."""
        submit = [Path(self.environment["SPARK_HOME"]) / "bin" / "spark-submit", "--master", master or self.master.url]
        settings = {
            "spark.driver.memory": "512m",
            "spark.executor.memory": "512m",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.driver.extraJavaOptions": QUICK,
            "spark.executor.extraJavaOptions": QUICK,
            **self.settings,
            **(conf or {}),
        }
        given = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
        with self.log.open("w") as log:  # Spark logs much: a pipe that nobody reads would stop it
            return subprocess.Popen(
                [*submit, *given, *arguments],
                env={**self.environment, **({"PYSPARK_PYTHON": str(python)} if python else {})},
                cwd=self.folder,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )

    def done(self, process: subprocess.Popen[str]) -> tuple[int, str, str]:
        """Return the exit code, the standard output and the log of a driver when it has ended."""
        try:
            out, _ = process.communicate(timeout=SECONDS)
        finally:
            process.kill()
        return process.returncode, out, self.log.read_text(errors="replace")

    def executors(self) -> list[int]:
        """Return the processes of the executors."""
        return [child for worker in self.workers if worker.process for child in children(worker.process.pid)]


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").glob("*/children"))
        return [int(child) for task in tasks for child in task.read_text().split()]
    except OSError:  # it ended meanwhile
        return []


def bare_python(folder: Path) -> Path:
    """Return a Python with what Spark's Arrow needs, as a cluster has it, and without babelreg and what that needs."""
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    for package in archive._distributions(archive.ARROW):
        for top in {str(name).partition("/")[0] for name, _ in archive._files(package)}:
            (site / top).symlink_to(Path(str(package.locate_file(top))))
    return folder / "bin" / "python"


@contextmanager
def running(folder: Path, workers: int = 1, cores: int = 2) -> Iterator[SparkCluster]:
    """A cluster whose logs are in ``folder``."""
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PYTHON", "SPARK", "PYSPARK")) or key == "SPARK_CONF_DIR"
    }
    environment |= {
        "JAVA_HOME": str(java.find().home),
        "SPARK_HOME": str(distribution("pyspark").locate_file("pyspark")),
        "PYSPARK_PYTHON": str(bare_python(folder / "python")),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": QUICK,
        "SPARK_LAUNCHER_OPTS": QUICK,
        "SPARK_WORKER_DIR": str(folder / "work"),
        "SPARK_LOCAL_DIRS": str(folder / "local"),
    }

    def daemon(name: str, port: int, *arguments: str, url: str = "") -> Server:
        program = [f"{environment['SPARK_HOME']}/bin/spark-class", f"org.apache.spark.deploy.{name}"]
        command = [*program, "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0", *arguments]
        log = folder / f"{name}-{port}.log"
        return Server(url, command, log, partial(listens, port), SECONDS, environment)

    port = free_port()
    master = daemon("master.Master", port, url=f"spark://127.0.0.1:{port}")
    size = ["--cores", str(cores), "--memory", "1g"]
    started = [daemon("worker.Worker", free_port(), *size, master.url) for _ in range(workers)]
    try:
        for server in (master, *started):
            server.start()
        yield SparkCluster(master, started, environment, folder)
    finally:
        for server in (*started, master):
            server.crash()
