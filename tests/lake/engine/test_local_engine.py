"""Tasks in processes of this machine: results in order, clear errors, and nothing that stays behind."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from babelreg.errors import BabelregError, InputError, UsageError
from babelreg.lake.engine import local_engine
from babelreg.lake.engine.engine import Engine
from babelreg.lake.engine.local_engine import LocalEngine, LocalFailure, opened, processors
from babelreg.lake.storage.disk_errors import disk_errors

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
import engine_tasks

LARGE = 2**40
"""A size for which every task gets a worker."""

PLACES = [pytest.param(0, id="in this process"), pytest.param(LARGE, id="in workers")]
HANG_SECONDS = 60


@pytest.fixture(scope="module")
def engine() -> Iterator[LocalEngine]:
    with LocalEngine(2) as started:
        yield started


def _gone(number: int) -> bool:
    """True when no process has the id ``number``, or only its exit code is left."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def _wait(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + HANG_SECONDS
    while not condition():
        if time.monotonic() > until:
            raise TimeoutError
        time.sleep(0.01)


@pytest.mark.parametrize("size", PLACES)
def test_results_are_in_the_order_of_the_items(size: int, engine: LocalEngine) -> None:
    assert engine.map(range(40), engine_tasks.square, size=size) == [n * n for n in range(40)]
    assert (engine.done, engine.tasks) == (40, 40)
    assert engine.map([], engine_tasks.square, size=size) == []


def test_a_large_job_is_done_by_as_many_workers_as_there_may_be_which_stay(engine: LocalEngine) -> None:
    first, again = (set(engine.map(range(20), engine_tasks.process, size=LARGE)) for _ in range(2))
    assert (len(first), first, os.getpid() in first) == (2, again, False)


@pytest.mark.parametrize(
    "workers, items, size",
    [
        pytest.param(1, 9, LARGE, id="one worker"),
        pytest.param(4, 1, LARGE, id="one task"),
        pytest.param(4, 9, 20_000_000, id="little to read"),
    ],
)
def test_where_workers_gain_nothing_there_are_none(workers: int, items: int, size: int) -> None:
    with LocalEngine(workers) as engine:
        assert set(engine.map(range(items), engine_tasks.process, size=size)) == {os.getpid()}


@pytest.mark.parametrize("size", PLACES)
@pytest.mark.parametrize(
    "kind, error, text",
    [
        pytest.param("input", InputError, "line 7 is too long\n  fix: make it shorter", id="an error of ours"),
        pytest.param("disk", UsageError, "No space left on device (/lake/part)\n  fix: free some space", id="the disk"),
        pytest.param("memory", LocalFailure, "a task ran out of memory; nothing was lost", id="memory"),
        pytest.param("odd", Exception, "1 and 2", id="what cannot be sent as it is"),
        pytest.param("exit", SystemExit, "3", id="an exit"),
    ],
)
def test_what_a_task_raises_is_raised_here(
    kind: str, error: type[BaseException], text: str, size: int, engine: LocalEngine, tmp_path: Path
) -> None:
    with (
        pytest.raises(error) as raised,
        disk_errors(tmp_path),
        engine.translated(tmp_path),
    ):
        engine.map(range(6), partial(engine_tasks.fail, kind), size=size)
    assert text in str(raised.value)
    assert engine.map(range(3), engine_tasks.square, size=size) == [0, 1, 4], "the engine can still be used"


def test_the_traceback_of_a_worker_is_shown_with_the_error(engine: LocalEngine) -> None:
    with pytest.raises(InputError) as raised:
        engine.map(range(6), partial(engine_tasks.fail, "input"), size=LARGE)
    assert "engine_tasks.py" in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize("times", [1, 2])
def test_a_task_whose_worker_is_killed_is_tried_once_more(times: int, engine: LocalEngine, tmp_path: Path) -> None:
    work = partial(engine_tasks.killed, tmp_path, times)
    if times == 1:
        assert engine.map([0, 1, 2], work, size=LARGE) == [0, 1, 2]
    else:
        with pytest.raises(LocalFailure) as raised, engine.translated(Path("out")):
            engine.map([0, 1, 2], work, size=LARGE)
        assert raised.value.message == (
            "a worker process was killed (SIGKILL), twice for the same task; nothing was lost: the batch was not "
            "committed, and the next run reads its messages again"
        )
        assert (raised.value.fix or "").startswith("usually by the system when it runs out of memory")
    assert len(list(tmp_path.iterdir())) == times


def test_after_an_error_no_worker_is_still_at_work(tmp_path: Path) -> None:
    with LocalEngine(2) as engine:
        numbers = set(engine.map(range(20), engine_tasks.process, size=LARGE))
        with pytest.raises(InputError):
            engine.map(range(6), partial(engine_tasks.fail, "input"), size=LARGE)
        _wait(lambda: all(map(_gone, numbers)))


def test_an_engine_that_is_closed_while_it_works_ends_its_workers(tmp_path: Path) -> None:
    engine, raised = LocalEngine(2), list[BaseException]()

    def run() -> None:
        try:
            engine.map(range(9), partial(engine_tasks.mark_and_wait, tmp_path), size=LARGE)
        except BaseException as err:
            raised.append(err)

    thread = threading.Thread(target=run)
    thread.start()
    _wait(lambda: len(list(tmp_path.iterdir())) == 2)
    engine.close()
    thread.join(HANG_SECONDS)
    assert not thread.is_alive()
    assert len(raised) == 1
    assert all(_gone(int(path.name)) for path in tmp_path.iterdir())


def test_workers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    program = (
        "import sys, functools, pathlib; sys.path.insert(0, sys.argv[1])\n"
        "import engine_tasks; from babelreg.spark import LocalEngine\n"
        "LocalEngine(2).map(range(4), functools.partial(engine_tasks.mark_and_wait, pathlib.Path(sys.argv[2])), "
        f"size={LARGE})\n"
    )
    shared = str(Path(engine_tasks.__file__).parent)
    process = subprocess.Popen([sys.executable, "-c", program, shared, str(tmp_path)])
    _wait(lambda: len(list(tmp_path.iterdir())) == 2)
    process.kill()
    process.wait()
    _wait(lambda: all(_gone(int(path.name)) for path in tmp_path.iterdir()))


def test_a_program_without_a_main_guard_runs_once(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        f"import sys; sys.path.insert(0, {str(Path(engine_tasks.__file__).parent)!r})\n"
        "import engine_tasks; from babelreg.spark import LocalEngine\n"
        f"print(LocalEngine(2).map(range(4), engine_tasks.square, size={LARGE}))\n"
    )
    done = subprocess.run([sys.executable, tmp_path / "program.py"], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("[0, 1, 4, 9]\n", "", 0)


@pytest.mark.parametrize(
    "limit, count",
    [
        pytest.param("max 100000", 8, id="no limit"),
        pytest.param("150000 100000", 2, id="one and a half"),
        pytest.param("10000 100000", 1, id="a tenth"),
        pytest.param("1600000 100000", 8, id="more than there are"),
        pytest.param(None, 8, id="no such file"),
    ],
)
def test_a_container_limits_the_number_of_workers(
    limit: str | None, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_engine, "_CPU_LIMIT", tmp_path / "cpu.max")
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(8)))
    if limit is not None:
        (tmp_path / "cpu.max").write_text(limit)
    assert processors() == count


def test_no_worker_is_refused() -> None:
    with pytest.raises(BabelregError, match="0 workers cannot run anything"):
        LocalEngine(0)


def test_the_engine_is_what_was_given(engine: LocalEngine) -> None:
    with opened(engine) as chosen:
        assert chosen is engine
    with opened("local") as chosen:
        assert isinstance(chosen, LocalEngine)
        assert isinstance(chosen, Engine)


@pytest.mark.parametrize("given", [pytest.param(object(), id="a session"), pytest.param(lambda: None, id="a start")])
def test_a_session_is_refused_with_the_function_that_takes_it(given: Any) -> None:
    with pytest.raises(BabelregError, match="a run expects an engine or 'local'") as caught, opened(given):
        pass
    assert "babelreg.spark" in str(caught.value.fix)
