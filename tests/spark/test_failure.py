"""Failures of Spark jobs, told to the user."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from babelreg.errors import BabelregError, InputError, UsageError
from babelreg.spark.failure import translated

_WORKER = """Job aborted due to stage failure: Task 0 in stage 1.0 failed: org.apache.spark.api.python.PythonException:
Traceback (most recent call last):
  File "files.py", line 98, in _read
babelreg.errors.InputError: {told}

	at org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(PythonRunner.scala:581)
"""


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
            Py4JError("java.io.IOException: No space left on device"),
            UsageError,
            "the disk of out is full; nothing was written to the tables",
            "make room, then run the same command again: it begins where this run did",
            id="the disk is full",
        ),
        pytest.param(
            Py4JError("java.nio.file.AccessDeniedException: out/.staging"),
            UsageError,
            "cannot write below out",
            "name a folder you may write to",
            id="a folder that may not be written",
        ),
        pytest.param(
            OSError(errno.EDQUOT, "Disk quota exceeded"),
            UsageError,
            "cannot write to out: Disk quota exceeded",
            "make room, then run the same command again: it begins where this run did",
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
        pytest.param(PySparkException(message="MALFORMED_RECORD_IN_PARSING"), id="our own bug"),
        pytest.param(RuntimeError("counts"), id="the tripwire"),
        pytest.param(KeyboardInterrupt(), id="the user stops it"),
    ],
)
def test_what_passes_through(raised: BaseException) -> None:
    with pytest.raises(type(raised)) as told, translated(Path("out")):
        raise raised
    assert told.value is raised
