"""The Java process of Spark, here a script in its place."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from babelreg.errors import UsageError
from babelreg.spark.session import jvm


@pytest.fixture
def submit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """A function that makes a shell script what Spark is started by."""
    monkeypatch.setattr(jvm, "_processes", [])
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)

    def write(script: str) -> None:
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / "spark-submit").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / "spark-submit").chmod(0o755)

    return write


@pytest.mark.parametrize(
    "script, code, output",
    [
        pytest.param("echo one; echo two >&2; exit 3", 3, "one\ntwo\n", id="an error"),
        pytest.param("exit 0", 0, "", id="a success that leaves no connection"),
        pytest.param("kill -9 $$", -signal.SIGKILL, "", id="killed"),
        pytest.param("printf '\\377\\n'; exit 1", 1, "\ufffd\n", id="output that is not UTF-8"),
    ],
)
def test_a_java_that_ends_at_once_says_how(script: str, code: int, output: str, submit: Callable[[str], None]) -> None:
    submit(script)
    with pytest.raises(jvm.JavaDidNotStart) as told:
        jvm.launch([])
    assert told.value.exited == jvm.JavaExit(code, output)
    assert jvm.exited(0) == told.value.exited


def test_the_output_that_is_held_is_bounded(submit: Callable[[str], None]) -> None:
    submit("i=0; while [ $i -lt 1000 ]; do echo $i; i=$((i+1)); done; exit 1")
    with pytest.raises(jvm.JavaDidNotStart) as told:
        jvm.launch([])
    assert told.value.exited.output.split() == [str(number) for number in range(600, 1000)]


def test_java_is_apart_from_the_terminal_and_ends_when_its_input_does(
    submit: Callable[[str], None], tmp_path: Path
) -> None:
    submit(f"ps -o sid= -p $$ > {tmp_path}/sid; cat; exit 7")
    process = jvm._started(jvm._command([("a", "b c")]), tmp_path / "connection", show_output=False)
    assert process.popen.args == [f"{tmp_path}/bin/spark-submit", "--conf", "a=b c", "pyspark-shell"]
    assert process.popen.stdin is not None
    process.popen.stdin.close()  # as the system does when we die
    assert process.exited(60) == jvm.JavaExit(7, "")
    assert int((tmp_path / "sid").read_text()) == process.popen.pid != os.getsid(0)


def test_all_are_ended_by_a_signal(submit: Callable[[str], None], tmp_path: Path) -> None:
    submit("exec cat")
    process = jvm._started(jvm._command([]), tmp_path / "connection", show_output=False)
    jvm.end_all(signal.SIGTERM)
    assert process.exited(60) == jvm.JavaExit(-signal.SIGTERM, "")


@pytest.mark.parametrize("settings, heap", [({}, "2g"), ({"SPARK_DRIVER_MEMORY": "700m"}, "700m")])
def test_the_heap_is_what_is_set(settings: dict[str, str], heap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jvm, "_processes", [])
    monkeypatch.delenv("SPARK_DRIVER_MEMORY", raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert jvm.memory() == heap


def test_a_spark_home_without_spark_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    with pytest.raises(UsageError, match="cannot run .*spark-submit: No such file") as told:
        jvm.launch([])
    assert told.value.fix == "unset SPARK_HOME, or set it to an installation of Spark 4"
