"""``job.py`` as a stream on a cluster whose workers' Python lacks babelreg, while parts are killed."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import kafka_server
import pytest
from s3_server import S3Server
from server import Server

from babelreg.gen.targets.spark import target
from babelreg.gen.write import write
from babelreg.load.registry.json_bundle import pack
from babelreg.spark.deploy import pack as archive

sys.path.insert(0, str(Path(__file__).parents[3] / "lake" / "shared"))
from spark_cluster import SparkCluster
from stream_kills import TOPIC, StreamUnderFire

pytestmark = [pytest.mark.spark, pytest.mark.cluster]

KILLS = int(os.environ.get("BABELREG_TEST_KILLS", "60"))


@pytest.fixture(scope="module")
def cluster(
    request: pytest.FixtureRequest, orders: Any, two_workers: SparkCluster, tmp_path_factory: pytest.TempPathFactory
) -> SparkCluster:
    """A cluster whose executors have one core; the parameter is their number, one without it."""
    folder = tmp_path_factory.mktemp("cluster")
    write(folder, "spark", target.files(orders, {}))
    archive.write(folder / "babelreg.tar.gz", pack(orders))
    return two_workers.within(folder, executors=getattr(request, "param", 1))


def endure(
    cluster: SparkCluster, kafka: Server, s3: S3Server, to: str, kills: int, victims: Sequence[str] = ()
) -> StreamUnderFire:
    (kafka_server.recreate if TOPIC in kafka_server.topics(kafka) else kafka_server.create)(kafka, TOPIC)
    stream = StreamUnderFire(cluster, kafka, s3, s3.bucket(f"under-fire-{to}-{kills}"), to, random.Random(kills))
    stream.victims = list(victims)
    total = 200 * kills
    stream.endure(kills, total)
    assert sum(stream.killed.values()) == kills
    stream.check(total)
    return stream


@pytest.mark.servers
def test_a_kill_of_each_part_loses_nothing_and_stores_nothing_twice(
    cluster: SparkCluster, kafka: Server, s3: S3Server
) -> None:
    # The driver comes last: another one takes over from what the others left.
    endure(cluster, kafka, s3, "delta", 4, ["driver", "executor", "store", "broker"])


@pytest.mark.long
@pytest.mark.parametrize("cluster", [pytest.param(2, id="two workers")], indirect=True)
@pytest.mark.parametrize("to", ["delta", "iceberg"])
def test_many_kills_lose_nothing_and_store_nothing_twice(
    to: str, cluster: SparkCluster, kafka: Server, s3: S3Server
) -> None:
    stream = endure(cluster, kafka, s3, to, KILLS)
    assert set(stream.killed) == {"executor", "driver", "broker", "store"}


@pytest.mark.servers
def test_a_job_without_jars_names_them(cluster: SparkCluster, kafka: Server) -> None:
    place = ["--from", f"{kafka.url}/{TOPIC}", "--to", "delta", "--at", "/none", "--checkpoint", "/none"]
    job = ["--archives", "babelreg.tar.gz#babelreg", "spark_schemas/job.py", *place]
    code, out, err = cluster.done(cluster.submit(*job, master="local[1]"))
    assert code == 2, err[-3000:]
    assert "no jars for Kafka's source and Delta Lake" in out
    assert "spark.jars.packages=org.apache.spark:spark-sql-kafka-0-10_2.13:" in out
    assert "Traceback" not in out
