"""Failures of Spark jobs, told to the user."""

from __future__ import annotations

import errno
import random
import sys
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from babelreg.errors import BabelregError, InputError, UsageError
from babelreg.spark import ingest, manifest
from babelreg.spark.failure import translated

sys.path.insert(0, str(Path(__file__).parent / "shared"))
import disk
import once

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
            "`babelreg spark pack`, and give the workers what it writes: --archives babelreg.tar.gz#babelreg",
            id="workers that lack babelreg",
        ),
        pytest.param(
            PySparkException(message="...\nModuleNotFoundError: No module named 'jsonschema_rs.jsonschema_rs'\n"),
            UsageError,
            "a worker's Python has no jsonschema_rs",
            "`babelreg spark pack`, and give the workers what it writes: --archives babelreg.tar.gz#babelreg",
            id="workers that lack half of a package",
        ),
        pytest.param(
            PySparkException(
                message="[PACKAGE_NOT_INSTALLED] PyArrow >= 15.0.0 must be installed; however, it was not found."
            ),
            UsageError,
            "a worker's Python has no pyarrow",
            "`babelreg spark pack --arrow`, and give the workers what it writes: --archives babelreg.tar.gz#babelreg",
            id="workers that lack Arrow",
        ),
        pytest.param(
            PySparkException(
                message="[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.10 than that in driver: 3.11, "
                "PySpark cannot run with different minor versions."
            ),
            UsageError,
            "the workers run Python 3.10 and this is 3.11; Spark wants them to be the same",
            "set spark.pyspark.python (or PYSPARK_PYTHON) to the same Python on both sides",
            id="workers with another Python",
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


@pytest.mark.spark
def test_a_disk_that_is_full_under_the_workers(spark: Any, make_registry: Any, tmp_path: Path) -> None:
    registry = make_registry(once.schemas(1))
    (tmp_path / "in").mkdir()
    lines = (once.lines(random.Random(number), number) for number in range(1500))
    (tmp_path / "in" / "a").write_bytes(b"".join(lines))
    with disk.mounted(tmp_path / "disk", "500k") as small:
        with pytest.raises(UsageError, match="is full; nothing was written|No space left on device") as told:
            ingest(spark, registry, tmp_path / "in", small / "out")
        assert (told.value.fix or "").startswith("make room")
        assert (list(manifest.numbers(small / "out")), list((small / "out").rglob("*.parquet"))) == ([], [])
        disk.grown(small, "100m")
        summary = ingest(spark, registry, tmp_path / "in", small / "out")
        assert summary.read == (tmp_path / "in" / "a").read_bytes().count(b"\n")
        assert summary.read == summary.accepted + summary.duplicates + summary.quarantined
