"""What the workers of a session that we start find imported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from babelreg.spark.session.worker_daemon import ordered


@pytest.mark.parametrize(
    "paths, found",
    [
        pytest.param(
            ["/zip/a.zip", "{lib}/pyspark.zip", "{lib}/py4j-1-src.zip", "{site}", "/app"],
            ["/zip/a.zip", "{site}", "/app", "{lib}/pyspark.zip", "{lib}/py4j-1-src.zip"],
            id="Spark's own zips go last, others stay",
        ),
        pytest.param(
            ["{lib}/pyspark.zip", "/app"],
            ["{lib}/pyspark.zip", "/app"],
            id="they stay first where the modules are found nowhere else",
        ),
        pytest.param(["{site}", "/app"], ["{site}", "/app"], id="nothing to do"),
    ],
)
def test_the_path_of_the_workers(paths: list[str], found: list[str], tmp_path: Path) -> None:
    home = tmp_path / "pyspark"
    home.mkdir()
    (home / "__init__.py").touch()
    places = {"site": tmp_path, "lib": home / "python" / "lib"}
    assert ordered([one.format(**places) for one in paths], str(home)) == [one.format(**places) for one in found]


@pytest.mark.parametrize("home", [None, "", "/nowhere"])
def test_a_spark_that_is_no_installed_package_keeps_its_zips_first(home: str | None) -> None:
    paths = [f"{home}/python/lib/pyspark.zip", "/"]
    assert ordered(paths, home) == paths


@pytest.mark.spark
def test_workers_have_the_installed_pyspark_and_what_a_task_needs(spark: Any) -> None:
    def modules(batches: Any) -> Any:
        import sys

        import pyarrow as pa

        for _ in batches:
            loaded = [name for name in ("pyspark", "babelreg.spark", "pyarrow.parquet") if name in sys.modules]
            yield pa.RecordBatch.from_pydict({"file": [str(sys.modules["pyspark"].__file__)], "loaded": [loaded]})

    (found,) = spark.range(1).coalesce(1).mapInArrow(modules, "file string, loaded array<string>").collect()
    assert found.loaded == ["pyspark", "babelreg.spark", "pyarrow.parquet"]
    assert ".zip" not in found.file
