"""Every engine sees the rows that Spark sees: as columns are added, after a redrive and a compaction, and meanwhile."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.dataset
import pytest
from click.testing import CliRunner

from babelreg.cli import _babelreg
from babelreg.gen.targets.spark import target as target
from babelreg.model import Registry
from babelreg.spark import all_files, compact, dataset, files, ingest, redrive

URN, OTHER = "urn:babel:orders:created", "urn:babel:orders:paid"
Make = Callable[..., Registry]


def _schema(later: bool) -> dict[str, Any]:
    line = {"sku": {"type": "string"}, **({"qty": {"type": "integer"}} if later else {})}
    more = {
        "b": {"type": "string", "format": "date-time"},
        "c": {"type": "object", "properties": {"d": {"type": "number"}}},
    }
    lines = {"type": "array", "items": {"type": "object", "properties": line}}
    return {"type": "object", "properties": {"a": {"type": "integer"}, "lines": lines, **(more if later else {})}}


def _envelope(number: int, urn: str, data: Any) -> bytes:
    meta = {"id": f"{urn}-{number}", "queue": "q", "lang": "go", "schema_version": 1, "created_at": number}
    return json.dumps({"job": urn, "trace_id": "t", "data": data, "meta": meta, "attempts": 0}).encode() + b"\n"


def _data(number: int) -> dict[str, Any]:
    line = {"sku": f"s{number}", "qty": number}
    return {"a": number, "lines": [line, {}], "b": "2026-11-20T09:30:00.123456Z", "c": {"d": number / 4}}


def _plain(value: Any) -> Any:
    """A row that can be compared: instants as text, in the order of names."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in sorted(value.items())}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.strftime("%FT%T.%f") if hasattr(value, "strftime") else value


def _sorted(rows: list[dict[str, Any]]) -> list[Any]:
    return sorted((_plain(row) for row in rows), key=lambda row: str(row["message_id"]))


def _by_arrow(output: Path, urn: str) -> list[Any]:
    return _sorted(dataset(output, urn).to_table().to_pylist())


def _by_duckdb(output: Path, urn: str) -> list[Any]:
    duckdb = pytest.importorskip("duckdb")
    text = _printed(output, urn, "duckdb")
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(text)
    return _sorted(
        connection.sql(f"SELECT * FROM {urn.split(':', 2)[2].replace(':', '_')}").to_arrow_table().to_pylist()
    )


def _session(spark: Any) -> Any:
    """A session of its own, for queries that are run once: compiling them takes longer than they do."""
    own = spark.newSession()
    own.conf.set("spark.sql.codegen.wholeStage", "false")
    own.conf.set("spark.sql.session.timeZone", "UTC")
    return own


def _by_spark(spark: Any, output: Path, urn: str) -> list[Any]:
    own = _session(spark)
    reader = own.read.option("mergeSchema", "true").option("__globPaths__", "false")
    return _sorted(reader.parquet(*files(output, urn)).toArrow().to_pylist())


def _by_sql(spark: Any, registry: Registry, output: Path, urn: str) -> list[Any]:
    """What the generated SQL shows, run as it stands, without our Python."""
    own = _session(spark)
    name = urn.split(":", 2)[2].replace(":", "_")
    made = {file.path: file.text for file in target.files(registry, {"package": "made"})}
    for statement in (_printed(output, urn, "spark") + made[f"made/{name}.sql"].partition("\n\n")[2]).split(";\n")[:-1]:
        own.sql(statement)
    return _sorted(own.table(f"{name}__rows").toArrow().to_pylist())


def _printed(output: Path, table: str, style: str) -> str:
    done = CliRunner().invoke(_babelreg, ["lake", "files", "--lake", str(output), table, "--as", style])
    assert done.exit_code == 0, done.output
    return str(done.stdout)


class _Reader(threading.Thread):
    """Reads a table again and again, as another process would, and keeps every state that it saw."""

    def __init__(self, output: Path) -> None:
        super().__init__(daemon=True)
        self.output, self.done = output, threading.Event()
        self.seen: set[tuple[str, ...]] = set()
        self.times = 0
        self.failed: BaseException | None = None

    def run(self) -> None:
        try:
            while not self.done.is_set():
                read = (dataset(self.output, URN).to_table(columns=["message_id"]).column(0), self._named())
                self.seen |= {tuple(sorted(column.to_pylist())) for column in read}
                self.times += 1
                self.done.wait(0.02)
        except BaseException as err:
            self.failed = err

    def _named(self) -> Any:
        named = pyarrow.dataset.dataset(files(self.output, URN))
        return named.to_table(columns=["message_id"]).column(0)

    def __enter__(self) -> _Reader:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.done.set()
        self.join()
        if self.failed is not None:
            raise self.failed


@pytest.mark.spark
def test_every_engine_sees_what_spark_sees(spark: Any, make_registry: Make, tmp_path: Path) -> None:
    old, new = (make_registry({URN: _schema(later), OTHER: _schema(later)}) for later in (False, True))
    home, out = tmp_path / "it's in", tmp_path / "it's out"
    home.mkdir()

    def land(number: int, registry: Registry) -> None:
        body = b"".join(_envelope(n, urn, _data(n)) for n in range(number * 5, number * 5 + 5) for urn in (URN, OTHER))
        bad = _envelope(1000 + number, URN, {"a": number, "lines": [{"sku": "s"}], "c": {"d": "x"} if number else 5})
        (home / f"{number}.jsonl").write_bytes(body + bad)
        ingest(spark, registry, home, out)

    def agree() -> list[Any]:
        rows = _by_spark(spark, out, URN)
        assert _by_arrow(out, URN) == rows
        assert _by_duckdb(out, URN) == rows
        return rows

    land(0, old)
    with _Reader(out) as reader:
        states = [_ids(out)]
        land(1, new)
        states.append(_ids(out))
        rows = agree()
        lacking = {row["message_id"].rpartition("-")[2] for row in rows if row["data"]["b"] is None}
        assert lacking == {"0", "1", "2", "3", "4", "1000"}
        loose = make_registry({URN: {"properties": {"a": {"type": "integer"}}}, OTHER: _schema(True)})
        redrive(spark, loose, out)
        states.append(_ids(out))
        compact(spark, out, at_least=2)
        assert _ids(out) == states[-1]
    assert reader.times > 3
    assert reader.seen <= set(states)
    rows = agree()
    assert [row["message_id"] for row in rows] == list(states[-1])
    assert _by_sql(spark, new, out, URN) == rows


def _ids(output: Path) -> tuple[str, ...]:
    return tuple(row["message_id"] for row in _by_arrow(output, URN))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An output of two tables and a quarantine, made without Spark."""
    import pyarrow as pa
    from pyarrow import parquet

    from babelreg.lake.storage.commit import Rows, StagedBatch, commit
    from babelreg.lake.storage.log.replay import LakeState

    home = tmp_path_factory.mktemp("written")
    out, work = home / "out", home / "out" / ".staging"
    work.mkdir(parents=True)
    (out / "manifest").mkdir()
    found = {}
    for number, name in enumerate((URN, OTHER, "quarantine")):
        (work / str(number)).mkdir()
        path = work / str(number) / "a.parquet"
        parquet.write_table(pa.table({"message_id": ["m"]}), path)
        found[name] = Rows(1, (path,))
    made = StagedBatch(read=3, tables={URN: found[URN], OTHER: found[OTHER]}, quarantine=found["quarantine"])
    commit(out, LakeState(), "ingest", made, keeps_duplicates=True)
    return out


@pytest.mark.parametrize(
    "arguments, printed",
    [
        pytest.param([URN], "{out}/{created}\n", id="lines"),
        pytest.param(["quarantine"], "{out}/{quarantine}\n", id="the quarantine"),
        pytest.param(
            [URN, "--as", "spark"],
            "SET babelreg.orders_created=file://{out}/{created};\n",
            id="a setting of Spark",
        ),
        pytest.param(
            [OTHER, "--as", "duckdb"],
            "CREATE OR REPLACE VIEW orders_paid AS SELECT * FROM read_parquet([\n"
            "    '{out}/{paid}'\n], union_by_name = true, hive_partitioning = false);\n",
            id="a view of DuckDB",
        ),
    ],
)
def test_files_are_named_as_tools_take_them(written: Path, arguments: list[str], printed: str) -> None:
    done = CliRunner().invoke(_babelreg, ["lake", "files", "--lake", str(written), *arguments])
    from babelreg.lake.storage.log import replay

    state = replay.read(written)
    ((created,), (paid,), (quarantine,)) = state.tables[URN], state.tables[OTHER], state.quarantine
    names = {"created": created, "paid": paid, "quarantine": quarantine}
    assert (done.stdout, done.exit_code) == (printed.format(out=written, **names), 0)
    assert re.fullmatch(r"tables/orders/created/batch=000001/part-00000-[0-9a-f]{8}\.parquet", created)


def test_json_names_one_table_or_all(written: Path) -> None:
    run = CliRunner().invoke
    one = run(_babelreg, ["lake", "files", "--lake", str(written), URN, "--as", "json"])
    every = run(_babelreg, ["lake", "files", "--lake", str(written), "--as", "json"])
    assert json.loads(one.stdout) == files(written, URN)
    assert json.loads(every.stdout) == all_files(written) == {URN: files(written, URN), OTHER: files(written, OTHER)}


def test_a_folder_that_is_a_pattern_to_spark_is_refused_with_a_way_out(written: Path) -> None:
    odd = written.parent / "o{u,t}"
    odd.symlink_to(written)
    done = CliRunner().invoke(_babelreg, ["lake", "files", "--lake", str(odd), "--as", "spark"])
    assert type(done.exception).__name__ == "UsageError"
    assert "views of the generated Python" in (done.exception.fix or "")  # type: ignore[union-attr]
