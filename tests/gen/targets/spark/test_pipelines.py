"""The generated project stands up, judges every message and types those of the tables it is told to keep."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from babelreg import load
from babelreg.errors import UsageError
from babelreg.gen.targets.spark import target as target
from babelreg.gen.write import write
from babelreg.load.registry.json_bundle import pack
from babelreg.model import Registry

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
def registry() -> Registry:
    files = {"babelreg.yaml": b"version: 1\n", "orders/_context.yaml": b"owner: team\ndescription: A context.\n"}
    for urn, schema in {URN: DATA, **OTHERS}.items():
        document = {"urn": urn, "kind": "event", "data": schema}
        files[f"orders/{urn.rpartition(':')[2]}.yaml"] = json.dumps(document).encode()
    return load.from_tree(load.files.tree.Memory(files))


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    lines = [message(number, data) for number, data in enumerate(LINES)]
    lines += [message(90, {}, EMPTY), message(91, {}, "urn:babel:no:such"), "", "  \t ", "no json\r", "\ufeff{}"]
    folder = tmp_path / "inbox"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes("".join(f"{line}\n" for line in lines).encode() + b"\xff\n")
    return folder


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
    text = spec.read_text().replace("/path/to", str(tmp_path)).replace('tables: ""', f'tables: "{URN},{VARIANT}"')
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
        tables = {name: _rows(folder, name) for name in ("judged", "messages", "quarantine")}
        assert (len(tables["judged"]), len(tables["messages"])) == (10, 3)
        reasons = sorted(row["reason"] for row in tables["quarantine"])
        assert reasons == [
            "invalid_json",
            "invalid_json",
            "invalid_utf8",
            "missing_required",
            "not_an_integer",
            "unknown_urn",
            "unstorable_integer",
        ]


def _rows(folder: Path, table: str) -> list[dict[str, Any]]:
    import pyarrow.parquet

    rows: list[dict[str, Any]] = []
    for path in sorted((folder / "spark-warehouse" / table).glob("*.parquet")):
        rows += pyarrow.parquet.ParquetFile(path).read().to_pylist()
    return rows
