"""What several processes find is what one finds, whatever becomes of the others."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from babelreg import load
from babelreg.breaking.baseline import against
from babelreg.breaking.check import run
from babelreg.breaking.check.fork_pool import map_forked

HERE = os.getpid()
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot copy a process")


@pytest.mark.parametrize("processes", [0, 1, 2, 3, 9])
@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_everything_comes_back_in_its_order(count: int, processes: int) -> None:
    assert map_forked(range(count), lambda item: item * item, processes) == [item * item for item in range(count)]


def test_the_work_is_shared() -> None:
    first, second, third = map_forked(range(3), lambda item: os.getpid(), 2)
    assert first == third == HERE
    assert second != HERE


def _killed(item: int) -> int:
    if os.getpid() != HERE:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def _raises_there(item: int) -> int:
    if os.getpid() != HERE:
        raise ValueError(item)
    return item


def _no_data_there(item: int) -> Any:
    return item if os.getpid() == HERE else lambda: item


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The ids of the copies that are made."""
    made: list[int] = []
    fork = os.fork

    def noted() -> int:
        made.append(fork())
        return made[-1]

    monkeypatch.setattr(os, "fork", noted)
    return made


def _gone(process: int) -> bool:
    try:
        os.waitpid(process, os.WNOHANG)
    except ChildProcessError:
        return True
    return False


@pytest.mark.parametrize("work", [_killed, _raises_there, _no_data_there])
def test_what_a_copy_does_not_bring_to_an_end_is_done_here(work: Any, copies: list[int]) -> None:
    assert map_forked(range(6), work, 3) == list(range(6))
    assert len(copies) == 2
    assert all(map(_gone, copies))


@pytest.mark.parametrize("wrong", [pytest.param(0, id="in our own share"), pytest.param(1, id="in that of a copy")])
def test_what_the_work_raises_is_raised_here_and_nothing_goes_on(wrong: int, copies: list[int]) -> None:
    def work(item: int) -> int:
        if item == wrong:
            raise LookupError(item)
        return item

    with pytest.raises(LookupError):
        map_forked(range(4), work, 2)
    assert len(copies) == 1
    assert all(map(_gone, copies))


def test_a_copy_clears_up(tmp_path: Path) -> None:
    map_forked(range(2), lambda item: item, 2, (tmp_path / "cleared").touch)
    assert (tmp_path / "cleared").exists()


def test_a_registry_breaks_in_several_processes_as_in_one(repository: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for shape in ("{type: object, properties: {a: {type: string}}}", "- [", "{type: object}"):
        for name in ("one", "two", "three", "four"):
            repository.write(f"orders/{name}.yaml", _message(name, shape))
        repository.commit(shape)
    for name, kind in (("one", "integer"), ("two", "string"), ("three", "{type: boolean}"), ("four", "number")):
        shape = f"{{type: object, properties: {{a: {{type: {kind}}}}}, required: [a]}}"
        repository.write(f"orders/{name}.yaml", _message(name, shape))
    told = []
    for worth in (1000, 1):
        monkeypatch.setattr(run, "PAIRS_PER_PROCESS", worth)
        monkeypatch.setattr(run, "cpu_count", lambda: 3)
        published = against.of(repository.root, "HEAD")
        found = run.check(published.registry, load.registry(repository.root), past=published.past)
        assert published.past is not None
        told.append(([finding.as_json() for finding in found], published.past.summary))
    assert told[0] == told[1]
    assert len(told[0][0]) > 3
    assert any("cannot be read" in line for line in told[0][1])


def _message(name: str, data: str) -> str:
    return f"urn: urn:babel:orders:{name}\nkind: event\nstatus: active\nproducers: [orders-api]\ndata: {data}\n"
