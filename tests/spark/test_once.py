"""The whole pipeline without a JVM: whatever is run, and wherever it is killed, every message is in exactly one place."""

from __future__ import annotations

import importlib
import json
import os
import random
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from babelreg.errors import InputError, UsageError
from babelreg.lake.engine.local_engine import LocalEngine
from babelreg.lake.storage.log import replay
from babelreg.model import Registry
from babelreg.spark import compact, ingest, redrive

sys.path.insert(0, str(Path(__file__).parents[1] / "lake" / "shared"))
import disk
import killing
import once

Make = Callable[..., Registry]
KILLS = int(os.environ.get("BABELREG_TEST_KILLS", "1000"))
CHANGES = (*killing.STEPS, (parquet.ParquetWriter, "write_table"), (parquet.ParquetWriter, "close"))
"""The changes of the disk, those within parquet files included."""


@dataclass(frozen=True)
class World:
    """An input and an output folder, and what is run on them."""

    home: Path
    session: LocalEngine
    registries: tuple[Registry, ...]

    def at(self, home: Path) -> World:
        """The same elsewhere."""
        return World(home, self.session, self.registries)

    def add(self, seed: int) -> None:
        """One more file."""
        (self.home / "in").mkdir(parents=True, exist_ok=True)
        number = len(list((self.home / "in").iterdir()))
        (self.home / "sent").mkdir(exist_ok=True)
        for folder in ("in", "sent"):
            (self.home / folder / f"{number:05d}").write_bytes(once.lines(random.Random(seed), number))

    def move(self, registry: int, seed: int) -> None:
        """Files that were read get other names: nothing is read twice, and what is new is read."""
        known = once.consumed(self.home)
        paths = sorted(path for path in (self.home / "in").iterdir() if path.name in known)
        for path in paths[::2]:
            path.rename(path.with_name(f"{path.name}.moved"))
        self.ingest(registry, seed)

    def ingest(self, registry: int, seed: int) -> None:
        ingest(self._session, self.registries[registry], self.home / "in", self.home / "out")

    def redrive(self, registry: int, seed: int) -> None:
        reasons = [(), ("below_minimum",), ("id_conflict",)][seed % 3]
        grace = (seed % 2) * 3600
        redrive(self._session, self.registries[registry], self.home / "out", reasons=reasons, grace_seconds=grace)

    def compact(self, registry: int, seed: int) -> None:
        compact(self._session, self.home / "out", at_least=2, grace_seconds=(seed % 2) * 3600)

    def change(self, registry: int, seed: int) -> None:
        """A run with a registry that gives a column another type is refused, by name."""
        name = "ingest" if seed % 2 else "redrive"
        before = once.rows(self.home)
        with pytest.raises(
            InputError, match=r"has 'data\.id' as BIGINT, but the registry now defines it as STRING"
        ) as told:
            getattr(self, name)(len(self.registries) - 1, seed)
        assert told.value.fix
        assert once.rows(self.home) == before

    @property
    def _session(self) -> Any:
        return self.session


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, make_registry: Make, tmp_path: Path) -> World:
    """With registries that refuse more, that refuse less, that have more columns, and one with another type."""
    monkeypatch.setattr(importlib.import_module("babelreg.lake.ingest.compaction"), "FANOUT", 3)
    monkeypatch.setattr(replay, "EVERY", 3)
    other = {once.CREATED: {"type": "object", "properties": {"id": {"type": "string"}}}, once.PAID: {"type": "object"}}
    wanted = (once.schemas(1), once.schemas(-5), once.schemas(-5, "a"), once.schemas(1, "a", "b"), other)
    return World(tmp_path, LocalEngine(2), tuple(map(make_registry, wanted)))


RUNS = st.tuples(
    st.sampled_from(["ingest", "ingest", "redrive", "compact", "change", "move"]),
    st.integers(0, 3),
    st.integers(0, 2**30),
)


def test_after_any_runs_every_message_is_in_one_place(world: World, tmp_path_factory: pytest.TempPathFactory) -> None:
    @settings(max_examples=6, deadline=None)
    @given(runs=st.lists(RUNS, max_size=8), first=st.integers(0, 2**30))
    def hold(runs: list[tuple[str, int, int]], first: int) -> None:
        here = world.at(tmp_path_factory.mktemp("runs"))
        here.add(first)
        here.ingest(0, first)
        before = once.check(here.home)
        for name, registry, seed in runs:
            if name == "ingest":
                here.add(seed)
            getattr(here, name)(registry, seed)
            found = once.check(here.home)
            assert found["accepted"] >= before["accepted"]
            if name != "ingest":
                assert found.total() == before.total()
                getattr(here, name)(registry, seed)
                assert once.check(here.home) == found, "the same run again changed something"
            before = once.check(here.home)
        here.redrive(1, 0)
        refused = [row for row in once.rows(here.home)[1] if row["reason"] == "below_minimum"]
        assert all(json.loads(row["body"])["data"]["id"] == -99 for row in refused), "some pass by now"

    hold()


SCRIPT = ("ingest 0", "ingest 0", "redrive 1", "ingest 0", "move 0", "ingest 3", "redrive 2", "compact 2", "ingest 3")
"""Runs one after the other, each ingest with a file of its own; what is due is compacted after each."""


def _run(world: World, number: int) -> None:
    """The run that is number ``number``; its file is there already."""
    name, registry = SCRIPT[number].split()
    getattr(world, name)(int(registry), 0)


def _input(world: World, number: int) -> None:
    if SCRIPT[number].startswith("ingest"):
        world.add(number)


@pytest.mark.parametrize(
    "stride", [pytest.param(261, id="here and there"), pytest.param(1, id="everywhere", marks=pytest.mark.long)]
)
def test_wherever_a_run_is_killed_the_next_one_does_its_work(stride: int, world: World, tmp_path: Path) -> None:
    here = world.at(tmp_path / "here")  # an input is known by its path
    kills = 0
    for number, name in enumerate(SCRIPT):
        _input(here, number)
        before = once.check(here.home)
        shutil.copytree(here.home, tmp_path / "start")
        _run(here, number)
        after = once.check(here.home)
        step, killed = number % stride, True
        while killed:
            shutil.rmtree(here.home)
            shutil.copytree(tmp_path / "start", here.home)
            die = partial(killing.at, step // 2 + 1, bool(step % 2), CHANGES)
            killed = killing.killed(partial(_run, here, number), die)
            kills += killed
            assert once.check(here.home) in ([before, after] if killed else [after]), f"{name} at {step}"
            _run(here, number)
            assert once.check(here.home) == after, f"{name} after it was killed at {step}"
            assert not (here.home / "out" / ".staging").exists()
            step += stride
        shutil.rmtree(tmp_path / "start")
    print(f"{kills} kills")
    assert kills > 500 / stride


def test_whenever_the_disk_is_full_nothing_is_lost_and_the_next_run_works(world: World, tmp_path: Path) -> None:
    refused = 0
    with disk.mounted(tmp_path / "disk", "4m") as small:
        here = world.at(small / "here")
        for number, name in enumerate(SCRIPT[:4]):
            _input(here, number)
            before = once.check(here.home)
            shutil.copytree(here.home, tmp_path / "start")
            _run(here, number)
            after = once.check(here.home)
            for left in range(0, 160_000, 20_480):
                shutil.rmtree(here.home)
                shutil.copytree(tmp_path / "start", here.home)
                (small / "other").write_bytes(bytes(max(0, shutil.disk_usage(small).free - left)))
                try:
                    _run(here, number)
                except UsageError as err:
                    assert "No space left on device" in str(err) or "is full" in str(err)
                    assert err.fix
                    assert "free some space" in err.fix
                    refused += 1
                    assert once.check(here.home) in (before, after), f"{name} with {left} bytes left"
                else:
                    assert once.check(here.home) == after
                (small / "other").unlink()
                _run(here, number)
                assert once.check(here.home) == after
            shutil.rmtree(tmp_path / "start")
    assert refused > 6


@pytest.mark.parametrize("kills", [pytest.param(8), pytest.param(KILLS, marks=pytest.mark.long)])
def test_killed_at_any_moment_nothing_is_lost_and_nothing_is_there_twice(kills: int, world: World) -> None:
    chance = random.Random(int(os.environ.get("BABELREG_TEST_SEED", "1")))
    world.add(0)
    world.ingest(0, 0)
    at, limit = Counter[str](), 0.2
    for number in count():
        name = SCRIPT[number % len(SCRIPT)]
        _input(world, number % len(SCRIPT))
        child = os.fork()
        if child == 0:
            try:
                _run(world, number % len(SCRIPT))
                os._exit(0)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
        time.sleep(chance.random() * limit)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status) or status == 0
        at[name] += os.WIFSIGNALED(status)
        if (world.home / "out").exists():
            once.check(world.home)
        if at.total() >= kills:
            break
        limit *= 1.1 if os.WIFSIGNALED(status) else 0.9  # so that about half of the runs come to their end
    print(f"{kills} of {number + 1} runs were killed: {dict(at)}")
    world.ingest(1, 0)
    once.check(world.home)
    assert len(once.consumed(world.home)) == len(list((world.home / "in").iterdir()))
