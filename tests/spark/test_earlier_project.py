"""What an earlier version generated and wrote works with this one: see tests/golden/earlier/README.md."""

from __future__ import annotations

import ast
import importlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from babelreg import lake as lakes
from babelreg import load, spark

EARLIER = Path(__file__).parents[1] / "golden" / "earlier"
ROOT = Path(__file__).parents[2]
URN = "urn:babel:orders:created"
MESSAGE = {
    "job": URN, "trace_id": "t", "data": {"id": 2, "total": 4.5}, "attempts": 0,
    "meta": {"id": "b1", "queue": "q", "lang": "go", "schema_version": 1, "created_at": 1749132727001},
}  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy, in whose texts ``/@HERE@`` is its place."""
    folder = tmp_path / "project"
    shutil.copytree(EARLIER, folder)
    for part in ("stream", "checkpoint"):
        for path in (folder / part).rglob("*"):
            if path.is_file() and path.suffix not in (".parquet",):
                path.write_text(path.read_text("utf-8").replace("/@HERE@", str(folder)), "utf-8")
    return folder


def _imported() -> list[tuple[str, str]]:
    """The names that generated modules import from babelreg."""
    names = set()
    for path in sorted((EARLIER / "tables").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] == "babelreg":
                names.update((str(node.module), alias.name) for alias in node.names)
    return sorted(names)


@pytest.mark.parametrize("module, name", _imported())
def test_a_name_that_generated_code_imports_is_there(module: str, name: str) -> None:
    pytest.importorskip("pyspark")
    assert hasattr(importlib.import_module(module), name)


@pytest.mark.parametrize("name", ["validate", "validate_frame", "typed", "quarantine", "Tables"])
def test_a_name_of_the_platform_is_there(name: str) -> None:
    pytest.importorskip("pyspark")
    assert callable(getattr(spark, name))


def test_a_generated_service_sends_and_consumes(project: Path, tmp_path: Path) -> None:
    """It runs on the wheel of the runtime, which is made of these modules."""
    pytest.importorskip("babelqueue")
    from babelreg.gen.targets.python.runtime_package import package_files

    for path, text in package_files():
        (tmp_path / "site" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site" / path).write_text(text, "utf-8")
    program = (
        "from babelqueue import BabelQueue\n"
        "from messages import Consumer, OrdersCreated, OrdersCreatedProducer, drain\n"
        "app = BabelQueue('memory://', queue='orders')\n"
        "OrdersCreatedProducer(app, queue='orders').send(OrdersCreated(id=7))\n"
        "consumer = Consumer(app)\n"
        "@consumer.on(OrdersCreated)\n"
        "def handle(data, context):\n    print(data.id)\n"
        "consumer.run(max_messages=1)\n"
        "print(drain(app, 'drained', 'orders').messages)\n"
    )
    path = os.pathsep.join([str(tmp_path / "site"), str(project / "service")])
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path}, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout.split()) == (0, ["7", "0"]), done.stderr


def test_a_lake_is_read_and_goes_on(project: Path) -> None:
    pytest.importorskip("pyarrow")
    registry, inbox, lake = load.registry(project / "registry"), project / "inbox", project / "lake"
    assert lakes.ingest("local", registry, inbox, lake).read == 0  # known by its content
    (inbox / "b.jsonl").write_text(json.dumps(MESSAGE) + "\n")
    again = lakes.ingest("local", registry, inbox, lake)
    assert (again.read, again.accepted, again.duplicates) == (1, 1, 0)
    rows = lakes.dataset(lake, URN).to_table(columns=["message_id"]).to_pydict()
    assert sorted(rows["message_id"]) == ["a1", "b1"]


def test_the_registry_of_a_packed_archive_is_read(project: Path, tmp_path: Path) -> None:
    archive = tmp_path / "babelreg.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        for path in sorted((project / "packed").rglob("*.json")):
            body = path.read_bytes()
            member = tarfile.TarInfo(path.relative_to(project / "packed").as_posix())
            member.size = len(body)
            packed.addfile(member, io.BytesIO(body))
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path / "unpacked", filter="data")
    assert list(spark.registry_of(tmp_path / "unpacked").by_urn) == [URN]
    assert list(spark.registry_in(tmp_path / "unpacked").by_urn) == [URN]


@pytest.mark.servers
@pytest.mark.spark
def test_a_stream_goes_on_from_its_checkpoint(spark: Any, project: Path) -> None:
    from babelreg.spark.platform.stream import stream, stream_settings

    session = spark.newSession()
    session.conf.set("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    inbox, tables, checkpoint = (str(project / name) for name in ("inbox", "stream", "checkpoint"))
    (project / "inbox" / "b.jsonl").write_text(json.dumps(MESSAGE) + "\n")
    stream(session, load.registry(project / "registry"), stream_settings(inbox, "delta", tables, checkpoint))
    rows = session.sql(f"SELECT message_id FROM delta.`{tables}/orders_created__rows`").collect()
    assert sorted(row.message_id for row in rows) == ["a1", "b1"]
