"""One cluster of Spark for all tests that submit jobs to one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "lake" / "shared"))
import spark_cluster
from spark_cluster import SparkCluster


@pytest.fixture(scope="session")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkCluster]:
    """A cluster of two workers with two cores each.

    ``SparkCluster.within`` says how much of it a test's jobs get.
    """
    with spark_cluster.running(tmp_path_factory.mktemp("cluster"), workers=2) as started:
        yield started
