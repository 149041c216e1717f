"""Logs that are rotated between runs: each message that was in a file at a run is read once."""

from __future__ import annotations

import gzip
import json
import random
import shutil
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from babelreg.cli.lake.group import command
from babelreg.lake.ingest.batch import BatchJob
from babelreg.lake.ingest.watch import watch
from babelreg.lake.storage.commit import StagedBatch
from babelreg.model import Registry
from babelreg.spark import LocalEngine, files, ingest

sys.path.insert(0, str(Path(__file__).parents[1] / "lake" / "shared"))
import killing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Make = Callable[..., Registry]
URN = "urn:babel:orders:created"
SCHEMA = {"type": "object", "properties": {"id": {"type": "integer", "minimum": 1}}}
GENERATIONS = 6


def _message(number: int) -> bytes:
    """Every fifth message is refused."""
    meta = {"id": f"{number}", "queue": "q", "lang": "go", "schema_version": 1, "created_at": 1}
    data = {"id": -1 if number % 5 == 0 else number}
    return json.dumps({"job": URN, "trace_id": "t", "data": data, "meta": meta, "attempts": 0}).encode() + b"\n"


@dataclass
class Log:
    """One log file ``app.log`` below ``folder``, its writer and what ``logrotate`` does to it.

    ``moments`` runs between the steps of a rotation that are no atomic ones.
    """

    folder: Path
    keep: int = 4
    packed_from: int | None = None
    copies: bool = False
    dated: bool = False
    same_beginning: bool = False
    moment: Callable[[], None] = lambda: None
    written: int = 0
    rotations: int = 0
    header: bytes = field(default_factory=lambda: _message(1_000_001))

    @property
    def path(self) -> Path:
        return self.folder / "app.log"

    def write(self, count: int) -> None:
        self.folder.mkdir(exist_ok=True)
        with self.path.open("ab") as file:
            if self.same_beginning and not self.path.stat().st_size:
                file.write(self.header)
            for _ in range(count):
                self.written += 1
                file.write(_message(self.written))

    def rotate(self) -> None:
        self.rotations += 1
        if self.dated:
            target = self.folder / f"app.log-202611{self.rotations:02d}"
            older = sorted(self.folder.glob("app.log-*"))
            for path in older[: max(0, len(older) + 1 - self.keep)]:
                path.unlink()
        else:
            self._shift()
            target = self.folder / "app.log.1"
        if self.copies:
            shutil.copy(self.path, target)
            self.moment()
            self.path.write_bytes(b"")
        else:
            self.path.rename(target)
            self.moment()
        self._pack()

    def _shift(self) -> None:
        (self.folder / f"app.log.{self.keep}").unlink(missing_ok=True)
        (self.folder / f"app.log.{self.keep}.gz").unlink(missing_ok=True)
        for number in range(self.keep - 1, 0, -1):
            for suffix in ("", ".gz"):
                path = self.folder / f"app.log.{number}{suffix}"
                if path.exists():
                    path.rename(self.folder / f"app.log.{number + 1}{suffix}")

    def _pack(self) -> None:
        if self.packed_from is None:
            return
        plain = sorted(path for path in self.folder.glob("app.log[.-]*") if path.suffix != ".gz")
        newest = plain[-1:] if self.dated else plain[:1]
        for path in plain:
            if path not in newest or self.packed_from == 1:
                content = gzip.compress(path.read_bytes(), mtime=self.rotations)
                target = path.with_name(f"{path.name}.gz")
                target.write_bytes(content[: len(content) // 2])
                self.moment()
                target.write_bytes(content)
                self.moment()
                path.unlink()

    def ids(self) -> set[str]:
        """The ids of the messages in all files."""
        return {json.loads(line)["meta"]["id"] for line in self._lines()}

    def _lines(self) -> Iterator[bytes]:
        for path in self.folder.iterdir():
            content = path.read_bytes()
            if path.suffix == ".gz":
                try:
                    content = gzip.decompress(content)
                except EOFError:  # being written
                    continue
            yield from content.splitlines()


KINDS: dict[str, dict[str, object]] = {
    "numbered": {},
    "numbered, two kept": {"keep": 2},
    "with a first message that all generations share": {"same_beginning": True},
    "dateext": {"dated": True},
    "copytruncate": {"copies": True},
    "copytruncate, dateext": {"copies": True, "dated": True},
    "compressed at once": {"packed_from": 1},
    "compressed after one turn": {"packed_from": 2},
    "dateext, compressed after one turn": {"dated": True, "packed_from": 2},
    "copytruncate, compressed after one turn": {"copies": True, "packed_from": 2},
}
ROTATIONS = [pytest.param(kind, id=name) for name, kind in KINDS.items()]


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    folder = tmp_path / "registry"
    (folder / "orders").mkdir(parents=True)
    (folder / "babelreg.yaml").write_text("version: 1\n")
    (folder / "orders" / "_context.yaml").write_text("owner: team\ndescription: Orders.\n")
    (folder / "orders" / "created.yaml").write_text(json.dumps({"urn": URN, "kind": "event", "data": SCHEMA}))
    return folder


@dataclass
class Lake:
    """The command on the folders below ``home``; ``seen`` are the ids in all files at each run that ended."""

    home: Path
    words: tuple[str, ...] = ()
    seen: set[str] = field(default_factory=set)

    def run(self, *more: str) -> Result:
        words = ["ingest", "--input", "in", "--lake", "out", "--registry", "registry", "--engine", "local"]
        return CliRunner().invoke(command, [str(self.home / w) if w in _FOLDERS else w for w in (*words, *more)])

    def ingest(self, log: Log) -> Result:
        present = log.ids()
        done = self.run(*self.words)
        assert done.exit_code == 0, done.output
        self.seen |= present
        return done

    def killed(self, log: Log, step: int) -> None:
        """Run the command and kill it at a change of the disk, or not at all."""
        present = log.ids()

        def work() -> None:
            assert self.run(*self.words).exit_code == 0

        if not killing.killed(work, partial(killing.at, step, after=step % 2 == 0)):
            self.seen |= present

    def ids(self) -> Counter[str]:
        """How often each message is stored, with those in quarantine."""
        tables = [pq.read_table(name) for table in (URN, "quarantine") for name in files(self.home / "out", table)]
        refused = [json.loads(body)["meta"]["id"] for one in tables for body in _column(one, "body")]
        return Counter(
            [
                *refused,
                *(identity for one in tables if "data" in one.column_names for identity in _column(one, "message_id")),
            ]
        )

    def check(self) -> None:
        stored = self.ids()
        assert self.seen - stored.keys() == set(), "lost"
        assert [identity for identity, times in stored.items() if times > 1] == [], "twice"


_FOLDERS = ("in", "out", "registry")


def _column(table: object, name: str) -> list[str]:
    return table.column(name).to_pylist() if name in table.column_names else []  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", ROTATIONS)
def test_each_message_is_read_once_when_each_generation_is_ingested(
    kind: dict[str, object], tmp_path: Path, registry: Path
) -> None:
    log, lake = Log(tmp_path / "in", **kind), Lake(tmp_path)  # type: ignore[arg-type]
    for generation in range(GENERATIONS):
        log.write(4)
        if generation % 2:
            lake.ingest(log)
            log.write(2)
        log.rotate()
        log.write(1)
        lake.ingest(log)
    lake.check()
    assert "nothing new" in lake.ingest(log).output


@pytest.mark.parametrize("kind", [pytest.param(KINDS[name], id=name) for name in ("numbered", "copytruncate")])
def test_a_rotation_while_files_are_read_loses_nothing(
    kind: dict[str, object], tmp_path: Path, registry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, lake = Log(tmp_path / "in", **kind), Lake(tmp_path)  # type: ignore[arg-type]
    run, turns = BatchJob.run, iter(range(2))

    def rotated(job: BatchJob) -> StagedBatch:
        if next(turns, None) is not None:
            log.rotate()
            log.write(30)
        return run(job)

    log.write(3)
    lake.ingest(log)
    log.write(3)
    monkeypatch.setattr(BatchJob, "run", rotated)
    lake.ingest(log)
    lake.ingest(log)
    lake.check()


@pytest.mark.parametrize(
    "kind, seeds",
    [
        pytest.param(KINDS["numbered"], range(1), id="numbered"),
        pytest.param(KINDS["copytruncate, compressed after one turn"], range(1), id="copied and compressed"),
        *(pytest.param(kind, range(1, 40), id=f"{name}, long", marks=pytest.mark.long) for name, kind in KINDS.items()),
    ],
)
def test_each_message_is_read_once_at_random_moments_with_kills(
    kind: dict[str, object], seeds: range, tmp_path: Path, registry: Path
) -> None:
    for number in seeds:
        home = tmp_path / f"{number}"
        home.mkdir()
        shutil.copytree(registry, home / "registry")
        chance = random.Random(number)
        lake = Lake(home)
        log = Log(home / "in", **kind)  # type: ignore[arg-type]

        def moment(log: Log = log, lake: Lake = lake, chance: random.Random = chance) -> None:
            if chance.random() < 0.25:
                lake.ingest(log)

        log.moment = moment
        for _ in range(GENERATIONS):
            log.write(chance.randrange(1, 5))
            if chance.random() < 0.2:
                lake.killed(log, chance.randrange(1, 60))
            moment()
            log.write(chance.randrange(3))
            log.rotate()
            log.write(chance.randrange(3))
            moment()
        log.write(1)
        lake.ingest(log)
        lake.check()


def test_spark_reads_each_message_once(spark: SparkSession, tmp_path: Path, make_registry: Make) -> None:
    log, lake = Log(tmp_path / "in", packed_from=1), Lake(tmp_path)
    for _ in range(3):
        log.write(3)
        ingest(spark, make_registry({URN: SCHEMA}), log.folder, tmp_path / "out")
        log.write(2)
        log.rotate()
    log.write(1)
    ingest(spark, make_registry({URN: SCHEMA}), log.folder, tmp_path / "out")
    lake.seen = log.ids()
    lake.check()


@pytest.mark.parametrize("kind", [pytest.param(KINDS[name], id=name) for name in ("numbered", "compressed at once")])
def test_a_watched_log_is_read_once(
    kind: dict[str, object], engine: LocalEngine, tmp_path: Path, make_registry: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each turn follows a rotation; the third one is rotated while it is read, and the next turn reads on."""
    log, lake = Log(tmp_path / "in", **kind), Lake(tmp_path)  # type: ignore[arg-type]
    stop, turns, run, runs = threading.Event(), iter(range(8)), BatchJob.run, count()

    def rotated(job: BatchJob) -> StagedBatch:
        if next(runs) == 2:
            log.rotate()
            log.write(30)
        return run(job)

    def wait(seconds: float) -> None:
        if next(turns, None) is None:
            stop.set()
        elif len(lake.seen) < 40:
            log.write(3)
            log.rotate()
            log.write(1)
            lake.seen |= log.ids()

    log.write(1)
    monkeypatch.setattr(BatchJob, "run", rotated)
    monkeypatch.setattr(stop, "wait", wait)
    registry = make_registry({URN: SCHEMA})
    watch(engine, lambda: registry, log.folder, tmp_path / "out", stop=stop, told=lambda summary: None)
    lake.check()
