"""Failures of Spark as a user meets them: what died, in two lines, and everything else with ``--debug`` alone."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "lake" / "shared"))
import terminal

pytestmark = pytest.mark.spark

FOREIGN = ("java.", "py4j", "Py4J", "\tat ", "Traceback", "org.apache", "bug in babelreg")
INGEST = ("spark", "ingest", "--input", "in", "--lake", "out", "--registry", "registry")


def _java(home: Path) -> int:
    """The Java process of the command that runs in ``home``."""
    found = [
        pid for pid in terminal.processes(str(home)) if b"SparkSubmit" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    assert len(found) == 1
    return found[0]


@pytest.mark.cluster
@pytest.mark.servers
@pytest.mark.parametrize("debug", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_java_that_is_killed_at_work(debug: bool, recorded: Callable[[int], Path]) -> None:
    home = recorded(3)
    run = terminal.Run(home, (*INGEST, *(["--debug"] if debug else [])))
    run.until("validating")
    os.kill(_java(home), signal.SIGKILL)
    code, lines = run.end(), run.lines()
    assert code == 2, run.text()
    assert any(
        line.startswith("babelreg: error: Spark's Java process was killed (SIGKILL); nothing was lost")
        for line in lines
    )
    assert (len(lines) == 2, any(word in run.text() for word in FOREIGN)) == (not debug, debug), run.text()


def test_a_java_that_does_not_start(recorded: Callable[[int], Path]) -> None:
    run = terminal.Run(recorded(3), INGEST, SPARK_DRIVER_MEMORY="2x")
    assert run.end() == 2, run.text()
    assert "SPARK_DRIVER_MEMORY is 2x" in run.text()
    assert (len(run.lines()), [word for word in FOREIGN if word in run.text()]) == (2, [])


def test_a_folder_for_temporary_files_that_cannot_be_written(recorded: Callable[[int], Path]) -> None:
    home = recorded(3)
    (home / "file").touch()
    run = terminal.Run(home, INGEST, SPARK_LOCAL_DIRS=str(home / "file" / "tmp"))
    assert run.end() == 2, run.text()
    assert "Spark cannot write its temporary files; nothing was lost" in run.text()
    assert (len(run.lines()), [word for word in FOREIGN if word in run.text()]) == (2, [])
