"""Rows of a frame are the rows of a lake: verdict, reason, JSON and typed columns of the same messages."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from babelreg.cli.spark.validate_spark import stored
from babelreg.contract import Contract
from babelreg.spark import files, ingest, quarantine, typed, validate_frame
from babelreg.typemap import spark as typemap

sys.path.insert(0, str(Path(__file__).parents[2] / "lake" / "shared"))
import mutants
from frame_rows import POSITION, collected, frame

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def bodies() -> list[bytes]:
    return list(mutants.messages(2_500, 11))


@pytest.fixture(scope="module")
def lake(spark: Any, bodies: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("frames")
    (folder / "in").mkdir()
    (folder / "in" / "a.frames").write_bytes(b"".join(len(body).to_bytes(4, "big") + body for body in bodies))
    ingest(spark, mutants.registry(), folder / "in", folder / "lake", keep_duplicates=True)
    return folder / "lake"


@pytest.fixture(scope="module")
def validated(spark: Any, bodies: list[bytes]) -> Any:
    with_urn = [urn for urn, schema in mutants.registry().schemas.items() if typemap.columns(schema).fields][:2]
    frame_of_all = validate_frame(
        frame(spark, bodies).repartition(3), mutants.registry(), position=POSITION, urns=with_urn
    )
    return frame_of_all.cache()


def rows_of_lake(lake: Path, table: str, bodies: list[bytes]) -> list[dict[str, Any]]:
    """The rows of the lake with the number of their message as their position."""
    numbers, at = {}, 0
    for number, body in enumerate(bodies):
        numbers[at + 4] = number
        at += 4 + len(body)
    rows = [row for path in files(lake, table) for row in pq.ParquetFile(path).read().to_pylist()]
    return sorted(({**row, "offset": numbers[row["source_offset"]]} for row in rows), key=lambda row: row["offset"])


def test_the_quarantine_is_that_of_the_lake(validated: Any, lake: Path, bodies: list[bytes]) -> None:
    refused = quarantine(validated)
    names = ["offset", "reason", "pointer", "detail", "urn", "message_id", "trace_id", "lang", "body"]
    assert refused.columns == ["topic", *names]
    rows = collected(refused)
    expected = [{name: row[name] for name in names} for row in rows_of_lake(lake, "quarantine", bodies)]
    assert [{name: row[name] for name in names} for row in rows] == expected
    assert len(expected) > 1_000


def test_the_tables_are_those_of_the_lake(validated: Any, lake: Path, bodies: list[bytes], spark: Any) -> None:
    registry = mutants.registry()
    accepted = 0
    for urn in registry.schemas:
        table = typed(validated, urn, registry)
        rows = collected(table)
        expected = rows_of_lake(lake, urn, bodies)
        names = [name for name in table.columns if name != "topic"]
        assert set(names) - {"offset"} == set(expected[0]) - {"offset", "source_file", "source_offset"}
        # parquet gives maps as pairs, Spark as a dict
        assert [{n: pairs(row[n]) for n in names} for row in rows] == [{n: pairs(row[n]) for n in names} for row in expected]  # fmt: skip
        of_lake = spark.read.parquet(*map(str, files(lake, urn))).schema
        if "data" in names:
            assert table.schema["data"].dataType.jsonValue() == of_lake["data"].dataType.jsonValue()
        accepted += len(rows)
    assert accepted + quarantine(validated).count() == len(bodies)


def test_the_verdict_is_that_of_the_contract(validated: Any, bodies: list[bytes]) -> None:
    registry = mutants.registry()
    strict = [urn for urn in registry.schemas if ":strict:" in urn]
    says = stored(Contract(registry.schemas, strict=strict).verdict, registry, None)
    for row in validated.select("offset", "reason", "pointer", "detail").collect():
        verdict = says(bodies[row.offset])
        expected = (
            verdict.reason,
            verdict.pointer or "",
            (verdict.detail or "").encode(errors="replace").decode()[:500],
        )
        assert (row.reason, row.pointer or "", row.detail or "") == expected


def pairs(value: Any) -> Any:
    if isinstance(value, list):
        if value and all(isinstance(item, tuple) for item in value):
            return {key: pairs(item) for key, item in value}
        return [pairs(item) for item in value]
    if isinstance(value, dict):
        return {key: pairs(item) for key, item in value.items()} or []
    return value
