"""What a pipeline judges and types is what ingest does; the generated project stands up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from babelreg.errors import UsageError
from babelreg.gen.targets.spark import target as target
from babelreg.gen.write import write
from babelreg.load.registry.json_bundle import pack
from babelreg.model import Registry
from babelreg.spark import files, ingest
from babelreg.spark.deploy.pipelines import judged, registry_in, typed

URN, EMPTY, VARIANT = "urn:babel:orders:created", "urn:babel:orders:pinged", "urn:babel:orders:odd"
DATA = {
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": {"type": "integer", "description": "Number of the order."},
        "at": {"type": "string", "format": "date-time"},
        "price": {"type": "number", "x-spark-type": "decimal(10,2)"},
        "lines": {"type": "array", "items": {"type": "object", "properties": {"qty": {"type": "integer"}}}},
        "any": {},
    },
}
OTHERS = {EMPTY: {"type": "object"}, VARIANT: {"type": "object", "properties": {"v": {"x-spark-type": "variant"}}}}
LINES = [
    {"id": 1, "at": "2026-11-21T10:00:00+05:45", "price": 12.25, "lines": [{"qty": 1.0}, {}], "any": {"a": [1]}},
    {"id": 2.0, "any": 10**30},
    {"id": 10**30},
    {"id": "3"},
    {},
]


def message(number: int, data: Any, urn: str = URN) -> str:
    meta = {"id": f"{number:032x}", "queue": "q", "lang": "php", "schema_version": 1, "created_at": 1749132727000}
    return json.dumps({"job": urn, "trace_id": "t", "data": data, "meta": meta, "attempts": 0})


@pytest.fixture(scope="module")
def registry(make_registry: Any) -> Registry:
    found: Registry = make_registry({URN: DATA, **OTHERS})
    return found


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    lines = [message(number, data) for number, data in enumerate(LINES)]
    lines += [message(90, {}, EMPTY), message(91, {}, "urn:babel:no:such"), "", "  \t ", "no json\r", "\ufeff{}"]
    folder = tmp_path / "inbox"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes("".join(f"{line}\n" for line in lines).encode() + b"\xff\n")
    return folder


@pytest.mark.spark
def test_a_pipeline_says_of_every_message_what_ingest_says(
    spark: Any, registry: Registry, inbox: Path, tmp_path: Path
) -> None:
    import pyarrow.dataset
    from pyspark.sql.functions import col

    lake = tmp_path / "lake"
    ingest(spark, registry, inbox, lake)
    lines = spark.read.option("lineSep", "\n").text(str(inbox)).where(r"value RLIKE '\\S'")
    seen = lines.select(judged(registry)(col("value").cast("binary")).alias("row")).select("row.*")
    rows = [row.asDict() for row in seen.collect()]

    def kept(what: str, columns: list[str]) -> list[tuple[Any, ...]]:
        table = pyarrow.dataset.dataset([str(path) for path in files(lake, what)]).to_table()
        return sorted((tuple(row[name] for name in columns) for row in table.to_pylist()), key=repr)

    refused = ["reason", "pointer", "detail", "urn", "message_id", "body"]
    assert sorted(
        (tuple(bytes(row[name]) if name == "body" else row[name] for name in refused) for row in rows if row["reason"]),
        key=repr,
    ) == kept("quarantine", refused)
    good = ["urn", "message_id", "trace_id", "lang", "queue", "attempts", "data_json"]
    told = sorted((tuple(row[name] for name in good) for row in rows if not row["reason"]), key=repr)
    assert told == sorted([*kept(URN, good), *kept(EMPTY, good)], key=repr)
    assert {row["created_at"].timestamp() for row in rows if not row["reason"]} == {1749132727.0}
    of_one = seen.where((col("urn") == URN) & col("reason").isNull())
    data = [row.data.asDict(recursive=True) for row in of_one.select(typed(registry, URN)(col("data_json")).alias("data")).collect()]  # fmt: skip
    table = spark.read.parquet(*map(str, files(lake, URN)))
    assert sorted(data, key=repr) == sorted((row.data.asDict(recursive=True) for row in table.collect()), key=repr)


@pytest.mark.parametrize(
    "urn, said",
    [
        pytest.param("urn:babel:no:such", "has no columns", id="a URN that is not declared"),
        pytest.param(EMPTY, "has no columns", id="a message without properties"),
        pytest.param(VARIANT, "has VARIANT in 'v'", id="a message with VARIANT"),
    ],
)
def test_what_cannot_be_typed_is_refused(urn: str, said: str, registry: Registry) -> None:
    with pytest.raises(UsageError, match=said):
        typed(registry, urn)


def test_the_registry_is_read_as_it_is_written_or_as_it_was_packed(registry: Registry, tmp_path: Path) -> None:
    (tmp_path / "registry.json").write_text(pack(registry))
    assert registry_in(tmp_path).schemas == registry.schemas
    written = tmp_path / "written"
    (written / "orders").mkdir(parents=True)
    (written / "babelreg.yaml").write_text("version: 1\n")
    (written / "orders" / "_context.yaml").write_text("owner: team\n")
    (written / "orders" / "created.yaml").write_text(json.dumps({"urn": URN, "kind": "event", "data": DATA}))
    assert registry_in(written).schemas[URN] == registry.schemas[URN]


def _project(registry: Registry, folder: Path) -> Path:
    write(folder, "spark", target.files(registry, {"pipelines": True}))
    return folder / "spark_schemas_pipeline"


def test_without_the_setting_there_is_no_project(registry: Registry) -> None:
    assert not [file.path for file in target.files(registry, {}) if "pipeline" in file.path]
    with pytest.raises(UsageError, match="pipelines must be true or false"):
        list(target.files(registry, {"pipelines": "yes"}))


def test_the_project_is_laid_out_and_names_its_tables(registry: Registry, tmp_path: Path) -> None:
    folder = _project(registry, tmp_path)
    for args in (
        ["ruff", "check", "--isolated", "--no-cache", "."],
        ["ruff", "format", "--check", "--isolated", "--no-cache", "."],
    ):
        found = subprocess.run([sys.executable, "-m", *args], cwd=folder, capture_output=True, text=True, check=False)
        assert found.returncode == 0, found.stdout + found.stderr
    assert f'"{URN}": "orders_created"' in (folder / "transformations" / "messages.py").read_text()
    document = yaml.safe_load((folder / "spark-pipeline.yml").read_bytes())
    assert set(document) == {"name", "storage", "libraries", "configuration"}


@pytest.mark.long
@pytest.mark.parametrize(
    "command", [["dry-run"], ["--conf", "spark.sql.catalogImplementation=hive", "run"]], ids=" ".join
)
def test_the_project_runs(command: list[str], registry: Registry, inbox: Path, tmp_path: Path) -> None:
    pytest.importorskip("grpc")
    folder = _project(registry, tmp_path)
    (tmp_path / "registry").mkdir()
    (tmp_path / "registry" / "registry.json").write_text(pack(registry))
    spec = folder / "spark-pipeline.yml"
    text = spec.read_text().replace("/path/to", str(tmp_path)).replace('tables: ""', f'tables: "{URN}"')
    spec.write_text(text)
    program = Path(sys.executable).with_name("spark-pipelines")
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(
        [program, *command], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=500
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Run is COMPLETED" in done.stdout + done.stderr
    if command[-1] == "run":
        import pyarrow.parquet

        found = pyarrow.parquet.read_table(sorted((folder / "spark-warehouse" / "orders_created").glob("*.parquet")))
        assert sorted(row["id"] for row in found.column("data").to_pylist()) == [1, 2]
