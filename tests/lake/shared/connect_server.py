"""A Spark Connect server on loopback, whose Python has Arrow and no babelreg."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.metadata import distribution
from pathlib import Path

from server import Server, free_port, listens
from spark_cluster import QUICK, SECONDS, bare_python

from babelreg.spark.session import java

__all__ = ["running"]

_CLASS = "org.apache.spark.sql.connect.service.SparkConnectServer"


@contextmanager
def running(folder: Path, archive: Path | None = None) -> Iterator[str]:
    """The address of a server with two cores, whose logs are in ``folder``; it is started with ``archive``."""
    home, port = str(distribution("pyspark").locate_file("pyspark")), free_port()
    environment = {name: "" for name in os.environ if name.startswith(("PYTHON", "SPARK", "PYSPARK"))}
    environment |= {
        "SPARK_CONF_DIR": os.environ.get("SPARK_CONF_DIR", ""),
        "JAVA_HOME": str(java.find().home),
        "SPARK_HOME": home,
        "PYSPARK_PYTHON": str(bare_python(folder / "python")),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    settings = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": QUICK,
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
    }
    if archive is not None:
        settings["spark.archives"] = f"{archive}#babelreg"
    given = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    # The server makes its working folder where it is started.
    with tempfile.TemporaryDirectory(dir=folder) as place:
        submit = [f"{home}/bin/spark-submit", "--master", "local[2]", *given, "--class", _CLASS, "spark-internal"]
        command = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', place, *submit]
        server = Server(
            f"sc://127.0.0.1:{port}", command, folder / "connect.log", partial(listens, port), SECONDS, environment
        )
        server.start()
        try:
            yield server.url
        finally:
            server.crash()
