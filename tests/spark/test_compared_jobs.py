"""What the bars compare ingest with: each of those jobs takes the messages that it says it takes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from babelreg import load
from babelreg.lake.tasks.validation_spec import ValidationSpec

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore:Cannot infer the eval type:UserWarning")]

MESSAGES = 300


@pytest.fixture(scope="module")
def benchmarks() -> Iterator[None]:
    """Their modules can be imported."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
    yield
    del sys.path[0]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory, messages: Any) -> Path:
    """A folder of messages, 30 of them bad."""
    folder = tmp_path_factory.mktemp("compared")
    messages.write_input(folder / "in", MESSAGES, bad_share=0.1, urns=2)
    messages.write_registry(folder / "registry", 2)
    return folder


@pytest.mark.parametrize("typed", [True, False])
def test_the_pass_takes_every_message(benchmarks: None, spark: Any, source: Path, typed: bool) -> None:
    import spark_pass

    spec = ValidationSpec.of(load.registry(source / "registry").schemas)
    assert spark_pass.run(spark, source / "in", spec, typed=typed) == MESSAGES


def test_the_floor_keeps_what_is_json_and_the_udf_what_is_valid(
    benchmarks: None, spark: Any, source: Path, tmp_path: Path
) -> None:
    import spark_floor
    import spark_jsonschema

    schemas = load.registry(source / "registry").schemas
    spark_floor.parse_only(spark, source / "in", schemas)
    rows = {}
    for name, envelopes in (
        ("floor", spark_floor.unchecked(source / "in")),
        ("jsonschema", spark_jsonschema.validated(source / "in", schemas)),
    ):
        tables = spark_floor.Tables(spark, schemas, envelopes, tmp_path / name)
        tables.write("landed", spark_floor.WRITING)
        rows[name] = sum(pq.read_metadata(path).num_rows for path in (tmp_path / name / "tables").rglob("*.parquet"))
    assert MESSAGES * 0.8 < rows["jsonschema"] <= MESSAGES - 20 < rows["floor"] <= MESSAGES


def test_the_frames_have_every_message(benchmarks: None, spark: Any, source: Path, monkeypatch: Any) -> None:
    import spark_columns

    rows: list[int] = []
    monkeypatch.setattr(spark_columns, "_thrown_away", lambda frame: rows.append(frame.count()))
    jobs = spark_columns.jobs(spark, source / "in", load.registry(source / "registry"))
    assert set(jobs) == {"from_json", "pass", *(name for pair in spark_columns.COMPARED for name in pair)}
    for name in ("frame", "one URN", "all URNs"):
        jobs[name]()
    assert (rows[0], rows[2]) == (MESSAGES, MESSAGES)
    assert 0 < rows[1] < MESSAGES - 30
