"""Whatever a lake goes through, its Delta and Iceberg tables have the same rows, also where a run is killed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
import projected
from projected import Lake

from babelreg.lake.publish.table_changes import folder_of
from babelreg.lake.storage.log import manifest
from babelreg.spark import publish

CREATED = "urn:babel:orders:created"


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param("i p", id="one batch"),
        pytest.param("i i r c i i p", id="published late, after a redrive and compactions"),
        pytest.param("i p i i p r p i i p c p", id="published after each of them"),
        pytest.param("i p i2 p i3 p c p", id="columns come, at the top, in structs and in lists"),
        pytest.param("i2 p i i r i i c i3 r3 i p", id="many batches at once, some compacted since"),
    ],
)
def test_the_tables_have_the_rows_of_the_lake(steps: str, lake: Lake) -> None:
    lake.runs(*steps.split())
    assert projected.check(lake.out)


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 20))])
def test_after_any_runs_the_tables_have_the_rows_of_the_lake(seed: int, lake: Lake) -> None:
    chance = random.Random(seed)
    lake.runs("i", "p")
    columns = 0
    for _ in range(12):
        columns = max(columns, chance.choice([0, 0, 2, 3]))
        lake.run(chance.choice("iiircp"), columns)
    lake.run("p")
    assert projected.check(lake.out)


def test_all_batches_since_the_last_time_are_one_commit_and_a_compaction_is_one_of_its_own(lake: Lake) -> None:
    lake.runs("i", "p", "i", "i")
    first = publish(lake.out, projected.FORMATS)
    assert {caught.tables[CREATED].commits for caught in first.formats.values()} <= {1, 2, 3}
    numbers = [batch.number for batch in manifest.read(lake.out) if batch.kind == "compaction"]
    assert publish(lake.out, projected.FORMATS).formats["delta"].tables == {}
    lake.runs("i", "c")
    if [batch.number for batch in manifest.read(lake.out) if batch.kind == "compaction"] == numbers:
        pytest.fail("nothing was compacted")
    publish(lake.out, ["delta"])
    log = sorted((lake.out / folder_of(CREATED) / "_delta_log").glob("*.json"))[-1]
    actions = [json.loads(line) for line in log.read_text().splitlines()]
    changes = [action[kind]["dataChange"] for action in actions for kind in ("add", "remove") if kind in action]
    assert changes
    assert not any(changes)


def test_other_engines_read_the_same_rows(lake: Lake) -> None:
    duckdb, polars = pytest.importorskip("duckdb"), pytest.importorskip("polars")
    lake.runs("i", "p", "i2", "i3", "r", "c", "i3", "p")
    for table in projected.tables(lake.out):
        wanted = len(projected.expected(lake.out, table))
        assert polars.read_delta((lake.out / folder_of(table)).as_uri()).height == wanted
        delta = duckdb.connect().register("rows", projected.delta(lake.out, table))
        assert delta.sql("SELECT count(*) FROM rows").fetchall() == [(wanted,)]
        iceberg = projected.iceberg_table(lake.out, table)
        assert polars.scan_iceberg(iceberg).collect().height == wanted
        connection = iceberg.scan().to_duckdb("rows")
        assert connection.sql("SELECT count(*) FROM rows").fetchall() == [(wanted,)]
        assert connection.sql("SELECT count(DISTINCT (source_file, source_offset)) FROM rows").fetchall() == [(wanted,)]


PROGRAM = """
import importlib, os, sys, traceback
from pathlib import Path
run = importlib.import_module("babelreg.lake.publish.run")
from babelreg.lake.publish import delta, iceberg, projection
import deltalake, deltalake.transaction, pyiceberg.catalog.sql, pyiceberg.io.pyarrow

for line in sys.stdin:
    child = os.fork()  # nothing has run in a thread yet
    if child == 0:
        try:
            result = run.publish(Path(sys.argv[1]), ["delta", "iceberg"], complete=False)
            assert not result.failed, result
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.mark.parametrize("kills", [pytest.param(3), pytest.param(64, marks=pytest.mark.long)])
def test_killed_at_any_moment_nothing_is_lost_and_nothing_is_there_twice(kills: int, lake: Lake) -> None:
    chance = random.Random(int(os.environ.get("BABELREG_TEST_SEED", "1")))
    steps = ["i", "i2", "r", "i3", "c", "i", "i", "r3"]
    killed, rounds, limit = 0, 0, 0.1
    command = [sys.executable, "-c", PROGRAM, str(lake.out)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as forks:
        while killed < kills:
            lake.runs(steps[rounds % len(steps)])
            rounds += 1
            status = _killed_after(forks, chance.random() * limit)
            assert status in (0, -signal.SIGKILL)
            killed += status != 0
            limit *= 1.15 if status else 0.9  # so that about half of the runs come to their end
            if rounds % 8 == 0:
                assert _check(lake.out)
        forks.stdin.close()  # type: ignore[union-attr]
    lake.run("p")
    assert projected.check(lake.out)
    print(f"{killed} of {rounds} runs were killed")
    for table in projected.tables(lake.out):
        assert _numbers(lake.out, table) == sorted(set(_numbers(lake.out, table))), "a batch was committed twice"


def _killed_after(forks: subprocess.Popen[str], seconds: float) -> int:
    """Publish in a process that is killed after so many seconds, unless it is done; how it ended."""
    assert forks.stdin is not None
    assert forks.stdout is not None
    forks.stdin.write("go\n")
    forks.stdin.flush()
    child = int(forks.stdout.readline())
    time.sleep(seconds)
    with suppress(ProcessLookupError):  # it is done
        os.kill(child, signal.SIGKILL)
    return int(forks.stdout.readline())


def _check(out: Path) -> int:
    """What was published is a state of the lake after some batch, in every table: nothing twice; then all is."""
    for table in projected.tables(out):
        for name in projected.FORMATS:
            try:
                rows = projected.READ[name](out, table).to_pylist()
            except Exception as err:
                assert type(err).__name__ in ("TableNotFoundError", "AttributeError", "KeyError"), err
                continue
            places = [(row.get("batch_read"), row["source_file"], row["source_offset"]) for row in rows]
            assert len(places) == len(set(places)), (name, table)
    assert not publish(out, projected.FORMATS).failed
    return projected.check(out)


def _numbers(out: Path, table: str) -> list[int]:
    """The batches of the commits of a Delta table, in order."""
    found: list[Any] = []
    for path in sorted((out / folder_of(table) / "_delta_log").glob("*.json")):
        info = [json.loads(line) for line in path.read_text().splitlines()]
        found += [
            int(one["commitInfo"]["babelreg.batch"]) for one in info if "babelreg.batch" in one.get("commitInfo", {})
        ]
    return found
