"""Failures of Spark jobs, told to the user."""

from __future__ import annotations

import errno
import random
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from babelreg.errors import BabelregError, InputError, UsageError
from babelreg.lake.storage.log import manifest
from babelreg.spark import ingest
from babelreg.spark.engine.spark_engine import SparkEngine
from babelreg.spark.session import java, jvm
from babelreg.spark.session.spark_errors import SparkFailure, UnknownFailure, start_error, translated

sys.path.insert(0, str(Path(__file__).parents[2] / "lake" / "shared"))
import disk
import once

_WORKER = """BatchJob aborted due to stage failure: Task 0 in stage 1.0 failed: org.apache.spark.api.python.PythonException:
Traceback (most recent call last):
  File "files.py", line 98, in _read
babelreg.errors.InputError: {told}

	at org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(PythonRunner.scala:581)
"""


LOST = "nothing was lost: the batch was not committed, and the next run reads its messages again"
AGAIN = "then run the same command again"
FEWER = "PYSPARK_SUBMIT_ARGS='--conf spark.task.cpus=2 pyspark-shell'"
REPORT = "run it with --debug, and report the output: https://github.com/babelreg/babelreg/issues"
KILLED = "usually by the system when it runs out of memory (see `journalctl -k`): free memory, or "


@pytest.fixture(autouse=True)
def _no_java_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jvm, "exited", lambda wait_seconds: None)
    monkeypatch.setattr(jvm, "_processes", [])
    monkeypatch.delenv("SPARK_DRIVER_MEMORY", raising=False)


@pytest.mark.parametrize(
    "raised, kind, message, fix",
    [
        pytest.param(
            PySparkException(message=_WORKER.format(told="cannot read in/a.jsonl: Permission denied")),
            InputError,
            "cannot read in/a.jsonl: Permission denied",
            None,
            id="an error of ours that a worker raised",
        ),
        pytest.param(
            PySparkException(message=_WORKER.format(told="the line is too long\n  fix: make it shorter")),
            InputError,
            "the line is too long",
            "make it shorter",
            id="and its way out",
        ),
        pytest.param(
            PySparkException(
                message=_WORKER.replace("InputError", "UsageError").format(told="packed for another\n  fix: pack it")
            ),
            UsageError,
            "packed for another",
            "pack it",
            id="an archive that was packed for another Python",
        ),
        pytest.param(
            PySparkException(message="...\nModuleNotFoundError: No module named 'babelreg'\n"),
            UsageError,
            "a worker's Python has no babelreg",
            "`babelreg spark pack`, and pass its archive to the workers: --archives babelreg.tar.gz#babelreg",
            id="workers that lack babelreg",
        ),
        pytest.param(
            PySparkException(message="...\nModuleNotFoundError: No module named 'jsonschema_rs.jsonschema_rs'\n"),
            UsageError,
            "a worker's Python has no jsonschema_rs",
            "`babelreg spark pack`, and pass its archive to the workers: --archives babelreg.tar.gz#babelreg",
            id="workers that lack half of a package",
        ),
        pytest.param(
            PySparkException(
                message="[PACKAGE_NOT_INSTALLED] PyArrow >= 15.0.0 must be installed; however, it was not found."
            ),
            UsageError,
            "a worker's Python has no pyarrow",
            "`babelreg spark pack --arrow`, and pass its archive to the workers: --archives babelreg.tar.gz#babelreg",
            id="workers that lack Arrow",
        ),
        pytest.param(
            PySparkException(
                message="[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.10 than that in driver: 3.11, "
                "PySpark cannot run with different minor versions."
            ),
            UsageError,
            "the workers run Python 3.10 and this process runs 3.11; Spark requires the same version",
            "set spark.pyspark.python (or PYSPARK_PYTHON) to the same Python on both sides",
            id="workers with another Python",
        ),
        pytest.param(
            Py4JError("java.io.IOException: No space left on device"),
            UsageError,
            "the disk of out is full; nothing was written to the tables",
            "free some space, then run the same command again: it reads the same messages",
            id="the disk is full",
        ),
        pytest.param(
            Py4JError("java.nio.file.AccessDeniedException: out/.staging"),
            UsageError,
            "cannot write below out",
            "use a folder that you can write to",
            id="a folder that may not be written",
        ),
        pytest.param(
            Py4JError("java.io.IOException: No space left on device\n\tat org.apache.spark.storage.DiskStore.put(x)"),
            SparkFailure,
            f"the disk of Spark's temporary files is full; {LOST}",
            "free some space in the folder for temporary files, or set another with SPARK_LOCAL_DIRS=/path, " + AGAIN,
            id="another disk is full: the one of spark.local.dir",
        ),
        pytest.param(
            Py4JError("java.io.IOException: Failed to create a temp directory (under /x) after 10 attempts!"),
            SparkFailure,
            f"Spark cannot write its temporary files; {LOST}",
            "free some space in the folder for temporary files, or set another with SPARK_LOCAL_DIRS=/path, " + AGAIN,
            id="a folder for temporary files that may not be written",
        ),
        pytest.param(
            Py4JError("...\njava.lang.OutOfMemoryError: Java heap space\n"),
            SparkFailure,
            f"Spark's Java process ran out of memory (it has 2g); {LOST}",
            "give it more, such as SPARK_DRIVER_MEMORY=4g, " + AGAIN,
            id="Java is out of memory",
        ),
        pytest.param(
            Py4JError("java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory"),
            SparkFailure,
            f"Spark cannot start more threads or processes; {LOST}",
            "raise the limit, such as `ulimit -u 4096` or the one of the container, " + AGAIN,
            id="Java may start no more threads",
        ),
        pytest.param(
            PySparkException(message="Traceback (most recent call last):\n  File x\nMemoryError\n\n\tat org.apache"),
            SparkFailure,
            f"a Python worker of Spark ran out of memory; {LOST}",
            f"free memory, or run fewer workers at a time with {FEWER}, {AGAIN}",
            id="a worker is out of memory",
        ),
        pytest.param(
            Py4JError("java.net.BindException: Cannot assign requested address: Service 'sparkDriver' failed"),
            SparkFailure,
            f"Spark could not bind a network port on this machine; {LOST}",
            "set SPARK_LOCAL_IP=127.0.0.1, end programs with very many connections, " + AGAIN,
            id="no port is free",
        ),
        pytest.param(
            Py4JError("java.net.SocketException: Too many open files"),
            SparkFailure,
            f"too many files are open at once; {LOST}",
            f"raise the limit with `ulimit -n 65536`, {AGAIN}",
            id="too many files",
        ),
        pytest.param(
            OSError(errno.EMFILE, "Too many open files"),
            SparkFailure,
            f"too many files are open at once; {LOST}",
            f"raise the limit with `ulimit -n 65536`, {AGAIN}",
            id="too many files of our own",
        ),
        pytest.param(
            ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"),
            SparkFailure,
            f"the connection to Spark's Java process broke; {LOST}",
            f"find out why it ended, {AGAIN}",
            id="Java is gone, which is not an error of the disk",
        ),
        pytest.param(
            PySparkException(message="MALFORMED_RECORD_IN_PARSING\n\tat org.apache.spark.Task.run(Task.scala:1)"),
            UnknownFailure,
            f"Spark failed for an unknown reason; {LOST}",
            REPORT,
            id="something new, of which no Java text is shown",
        ),
        pytest.param(
            PySparkException(message="Traceback (most recent call last):\n  File x\nKeyError: 'a'\n\n\tat org.apache"),
            UnknownFailure,
            f"a Spark task failed with KeyError: 'a'; {LOST}",
            REPORT,
            id="our own bug in a task",
        ),
        pytest.param(
            OSError(errno.EDQUOT, "Disk quota exceeded"),
            UsageError,
            "cannot write to out: Disk quota exceeded",
            "free some space, then run the same command again: it reads the same messages",
            id="an error while files are moved",
        ),
    ],
)
def test_what_the_user_can_mend(raised: Exception, kind: type[BabelregError], message: str, fix: str | None) -> None:
    with pytest.raises(kind) as told, translated(Path("out")):
        raise raised
    assert (told.value.message, told.value.fix) == (message, fix)


@pytest.mark.parametrize(
    "raised",
    [
        pytest.param(BrokenPipeError(errno.EPIPE, "Broken pipe"), id="our own output that nobody reads"),
        pytest.param(TimeoutError(errno.ETIMEDOUT, "timed out"), id="an error of the system that is not of a disk"),
        pytest.param(RuntimeError("counts"), id="the tripwire"),
        pytest.param(KeyboardInterrupt(), id="the user stops it"),
    ],
)
def test_what_passes_through(raised: BaseException) -> None:
    with pytest.raises(type(raised)) as told, translated(Path("out")):
        raise raised
    assert told.value is raised


@pytest.mark.parametrize(
    "exited, message, fix",
    [
        pytest.param(
            jvm.JavaExit(-9, ""),
            f"Spark's Java process was killed (SIGKILL); {LOST}",
            f"{KILLED}set SPARK_DRIVER_MEMORY=1g (Java has 2g), {AGAIN}",
            id="killed",
        ),
        pytest.param(
            jvm.JavaExit(52, "java.lang.OutOfMemoryError: Java heap space"),
            f"Spark's Java process ran out of memory (it has 2g); {LOST}",
            f"give it more, such as SPARK_DRIVER_MEMORY=4g, {AGAIN}",
            id="out of memory",
        ),
        pytest.param(
            jvm.JavaExit(143, ""),
            f"Spark's Java process was stopped by a signal from outside; {LOST}",
            f"find out what ended it, such as a time or memory limit; {AGAIN}",
            id="stopped",
        ),
        pytest.param(
            jvm.JavaExit(-11, "# A fatal error has been detected by the Java Runtime Environment"),
            f"Spark's Java process crashed (signal 11); {LOST}",
            "run the same command again; with --debug, it shows the output of Java",
            id="crashed",
        ),
    ],
)
@pytest.mark.parametrize(
    "raised",
    [
        pytest.param(ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"), id="a call that is refused"),
        pytest.param(EOFError(), id="an answer that ends"),
        pytest.param(Py4JError("An error occurred while calling o52.range"), id="a call that fails"),
        pytest.param(ValueError("Expected to read 120 metadata bytes"), id="half a table"),
    ],
)
def test_a_java_that_died_is_reported_by_how_it_died(
    raised: Exception, exited: jvm.JavaExit, message: str, fix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jvm, "exited", lambda wait_seconds: exited)
    with pytest.raises(SparkFailure) as told, translated(Path("out")):
        raise raised
    assert (told.value.message, told.value.fix, told.value.exit_code) == (message, fix, 2)


@pytest.mark.parametrize(
    "output, message",
    [
        pytest.param(
            "Invalid maximum heap size: -Xmx2x\n", "SPARK_DRIVER_MEMORY is 2x, which Java does not accept", id="a size"
        ),
        pytest.param(
            "Could not reserve enough space for object heap", "there is not enough memory", id="too much memory"
        ),
        pytest.param("Unrecognized VM option 'UseFoo'\n", "Java does not know the option 'UseFoo'", id="an option"),
        pytest.param("/usr/bin/env: 'bash': No such file or directory\n", "its scripts need bash", id="no bash"),
        pytest.param("Error: something new\n\tat java.base", "Java ended with 1", id="something new"),
    ],
)
def test_a_java_that_does_not_start_is_reported_by_its_setting(
    output: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_DRIVER_MEMORY", "2x")
    found = start_error(jvm.JavaExit(1, output), java.Java(Path("/java"), 17, "JAVA_HOME", Path("/java")))
    assert found.message.startswith("Spark did not start on JAVA_HOME (Java 17, /java): ")
    assert (message in found.message, "java.base" in str(found), found.fix is None) == (True, False, False)


def _killed(mark: str, times: int, split: int) -> int:
    """A task whose worker is killed the first ``times`` times."""
    import os
    import signal
    from pathlib import Path

    before = len(list(Path(mark).iterdir()))
    if split == 1 and before < times:
        (Path(mark) / str(before)).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return split


@pytest.mark.spark
@pytest.mark.parametrize("times", [1, 2])
def test_a_task_whose_worker_is_killed_is_tried_once_more(times: int, spark: Any, tmp_path: Path) -> None:
    work = by_value(partial(_killed, str(tmp_path), times))
    if times == 1:
        assert SparkEngine(spark).map([0, 1, 2], work) == [0, 1, 2]
    else:
        with pytest.raises(SparkFailure) as told, translated(Path("out")):
            SparkEngine(spark).map([0, 1, 2], work)
        assert told.value.message == (f"a Python worker of Spark was killed, twice for the same task; {LOST}")
        assert told.value.fix == f"{KILLED}run fewer workers at a time with {FEWER}, {AGAIN}"
    assert len(list(tmp_path.iterdir())) == times


def by_value(work: Any) -> Any:
    """``work``, which workers take though they do not know this module."""
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    return work


@pytest.mark.spark
def test_a_disk_that_is_full_under_the_workers(spark: Any, make_registry: Any, tmp_path: Path) -> None:
    registry = make_registry(once.schemas(1))
    (tmp_path / "in").mkdir()
    lines = (once.lines(random.Random(number), number) for number in range(1500))
    (tmp_path / "in" / "a").write_bytes(b"".join(lines))
    with disk.mounted(tmp_path / "disk", "500k") as small:
        with pytest.raises(UsageError, match="is full; nothing was written|No space left on device") as told:
            ingest(spark, registry, tmp_path / "in", small / "out")
        assert (told.value.fix or "").startswith("free some space")
        assert (list(manifest.numbers(small / "out")), list((small / "out").rglob("*.parquet"))) == ([], [])
        disk.grown(small, "100m")
        summary = ingest(spark, registry, tmp_path / "in", small / "out")
        assert summary.read == (tmp_path / "in" / "a").read_bytes().count(b"\n")
        assert summary.read == summary.accepted + summary.duplicates + summary.quarantined
