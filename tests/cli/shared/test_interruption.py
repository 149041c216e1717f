"""Ctrl-C on a terminal at any moment: one line and the exit code 130, whatever the process is at."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "lake" / "shared"))
import terminal

from babelreg.lake.storage.log import manifest, replay

STOPPED = "babelreg: stopped"
ENDS = "babelreg: ends after this batch; press again to stop at once"
INGEST = ("spark", "ingest", "--input", "in", "--lake", "out", "--registry", "registry")


@pytest.fixture
def home(recorded: Callable[[int], Path]) -> Path:
    """A registry with one message, and a file with three recorded ones."""
    return recorded(3)


def committed(home: Path) -> int:
    """How many batches count; each of them must be whole."""
    numbers = list(manifest.numbers(home / "out"))
    if numbers:
        found = replay.read(home / "out")
        assert all((home / "out" / name).exists() for files in found.tables.values() for name in files)
    return len(numbers)


EARLY = [
    pytest.param("import", "babelreg.cli", id="the first import"),
    pytest.param("import", "click", id="click is imported"),
    pytest.param("import", "babelreg.cli.lake.options", id="the command is imported"),
    pytest.param("import", "yaml", id="the registry is read"),
    pytest.param("import", "babelreg.lake.ingest.batch", id="our Spark package is imported"),
    pytest.param("import", "pyarrow.lib", id="Arrow is imported"),
    pytest.param("os.mkdir", "out", id="the lake is made"),
    pytest.param("import", "pandas", id="pandas is imported"),
    pytest.param("import", "pyspark.sql", id="PySpark is imported"),
    pytest.param("subprocess.Popen", "spark-submit", id="Java is about to start"),
]
WITH_JAVA = [
    pytest.param("socket.connect", "", 0, id="the first call of Java", marks=pytest.mark.long),
    pytest.param("os.mkdir", "/landing", 0, id="the session is there", marks=pytest.mark.long),
    pytest.param("os.mkdir", "/tables", 0, id="the tables are written"),
    pytest.param("os.rename", "000001.json", 1, id="the manifest is renamed", marks=pytest.mark.long),
]
LATE = [
    pytest.param("os.mkdir", "/landing", 0, id="the engine is there"),
    pytest.param("open", "/progress/", 0, id="the first messages are read"),
    pytest.param("os.mkdir", "/tables", 0, id="the tables are written"),
    pytest.param("os.rename", ".ready/", 1, id="files are moved into place"),
    pytest.param("os.rename", "000001.json", 1, id="the manifest is renamed"),
    pytest.param("shutil.rmtree", ".staging", 1, id="staging is removed"),
    pytest.param("atexit", "", 1, id="the program ends"),
]
STEPS = [
    pytest.param("reading the registry", id="the first thing that is shown"),
    pytest.param("starting Java, 1 s", id="Java is starting"),
]


@pytest.mark.parametrize("event, name", EARLY)
def test_before_java_is_there_the_run_stops(event: str, name: str, home: Path) -> None:
    run = terminal.Run(home, INGEST, terminal.Moment(event, name))
    assert (run.end(), run.after_signal()) == (130, [STOPPED]), run.text()
    assert committed(home) == 0


@pytest.mark.parametrize("step", STEPS)
def test_ctrl_c_is_pressed_while_a_step_is_shown(step: str, home: Path) -> None:
    run = terminal.Run(home, INGEST)
    run.until(step)
    run.press()
    assert (run.end(), run.after_signal()) == (130, [STOPPED]), run.text()


@pytest.mark.cluster
@pytest.mark.servers
@pytest.mark.spark
@pytest.mark.parametrize("event, name, batches", WITH_JAVA)
def test_with_java_at_work_the_batch_is_whole_or_not_there(event: str, name: str, batches: int, home: Path) -> None:
    run = terminal.Run(home, INGEST, terminal.Moment(event, name))
    assert (run.end(), run.after_signal()) == (130, [STOPPED]), run.text()
    assert committed(home) == batches


@pytest.mark.parametrize("event, name, batches", LATE)
def test_without_java_the_batch_is_whole_or_not_there(event: str, name: str, batches: int, home: Path) -> None:
    run = terminal.Run(home, (*INGEST, "--engine", "local"), terminal.Moment(event, name))
    assert (run.end(), run.after_signal()) == (130, [STOPPED]), run.text()
    assert committed(home) == batches


def test_sigterm_stops_it_like_ctrl_c(home: Path) -> None:
    run = terminal.Run(home, INGEST, terminal.Moment("import", "pyarrow.lib", signal.SIGTERM))
    assert (run.end(), run.after_signal()) == (143, [STOPPED]), run.text()


@pytest.mark.parametrize(
    "arguments, module",
    [
        pytest.param(("lint", "registry"), "yaml", id="lint"),
        pytest.param(("format", "--check", "registry"), "yaml", id="format"),
        pytest.param(("validate", "in/a", "--registry", "registry"), "jsonschema_rs", id="validate"),
        pytest.param(("validate", "--spark", "in/a", "--registry", "registry"), "jsonschema_rs", id="validate --spark"),
        pytest.param(("gen", "docs", "--registry", "registry", "--out", "docs"), "jinja2", id="gen"),
        pytest.param(("breaking", "registry", "--against", "registry"), "jsonschema_rs", id="breaking"),
        pytest.param(("spark", "pack", "--registry", "registry"), "babelreg.spark.deploy.pack", id="spark pack"),
        pytest.param(("demo", "--out", "demo"), "babelreg.load.service.starter", id="demo"),
        pytest.param(("rules",), "babelreg.lint.rules", id="rules"),
    ],
)
def test_the_other_commands_stop_with_the_same_line(arguments: tuple[str, ...], module: str, home: Path) -> None:
    run = terminal.Run(home, arguments, terminal.Moment("import", module))
    assert (run.end(), run.after_signal()) == (130, [STOPPED]), run.text()


@pytest.mark.spark
@pytest.mark.parametrize("engine", ["local", pytest.param("spark", marks=pytest.mark.long)])
def test_watch_finishes_its_batch_and_ends_at_once_when_asked_again(engine: str, home: Path) -> None:
    watch = (*INGEST, "--watch", "--every", "0.2", "--engine", engine)
    run = terminal.Run(home, watch, terminal.Moment("os.mkdir", "/landing"))
    assert (run.end(), run.after_signal()[0]) == (0, ENDS), run.text()
    assert run.after_signal()[1].startswith("read 3 messages")
    assert committed(home) == 1
    (home / "in" / "b").write_bytes(b"\n" + (home / "in" / "a").read_bytes())  # equal bytes would be a copy
    run = terminal.Run(home, (*INGEST, "--watch"))
    run.until("starting Java, 1 s")
    run.press()
    run.until(ENDS)
    run.press()
    assert (run.end(), run.after_signal()) == (130, [ENDS, STOPPED]), run.text()
    assert committed(home) == 1


def test_watch_that_waits_for_files_just_ends(home: Path) -> None:
    (home / "in" / "a").unlink()
    run = terminal.Run(home, (*INGEST, "--watch"))
    run.until("waiting for more")
    run.press()
    assert (run.end(), run.after_signal()) == (0, [STOPPED]), run.text()


@pytest.mark.cluster
@pytest.mark.servers
@pytest.mark.spark
def test_java_and_its_workers_die_with_a_process_that_is_killed(home: Path) -> None:
    run = terminal.Run(home, INGEST, terminal.Moment("os.mkdir", "/tables", signal.SIGKILL))
    assert run.end() == -signal.SIGKILL, run.text()
    until = time.monotonic() + terminal.LIMIT_SECONDS
    while left := terminal.processes(str(home)):
        if time.monotonic() > until:
            raise TimeoutError(str(left))
        time.sleep(0.1)
    assert committed(home) == 0
