"""Workers whose Python cannot run our functions are reported in one line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg.errors import UsageError
from babelreg.model import Registry
from babelreg.spark import validate_frame
from babelreg.spark.platform import worker_function

pytestmark = pytest.mark.spark

URN = "urn:babel:orders:created"
_NO_ARROW = "raise ModuleNotFoundError(\"No module named 'pyarrow'\", name='pyarrow')\n"
_OTHER = "import sys\nsys.version_info = type('V', (tuple,), {'major': 3, 'minor': 99})((3, 99, 0, 'final', 0))\n"


def _python(folder: Path, module: str, text: str) -> str:
    """A Python whose workers find ``module`` before any other of its name."""
    (folder / module).parent.mkdir(parents=True, exist_ok=True)
    (folder / module).write_text(text)
    program = folder / "python"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{folder}:$PYTHONPATH" exec "{sys.executable}" "$@"\n')
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize(
    "module, text, message",
    [
        pytest.param("pyarrow/__init__.py", _NO_ARROW, "a worker's Python has no pyarrow", id="without Arrow"),
        pytest.param("sitecustomize.py", _OTHER, "the workers run Python 3.99 and this process", id="another Python"),
    ],
)
def test_workers_that_cannot_run_are_reported_by_validate_frame(
    module: str, text: str, message: str, spark: Any, make_registry: Callable[..., Registry], tmp_path: Path
) -> None:
    own = spark.newSession()
    frame = own.createDataFrame([("{}",)], "value string")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(own.sparkContext, "pythonExec", _python(tmp_path, module, text))
        with pytest.raises(UsageError) as told:
            validate_frame(frame, make_registry({URN: {"type": "object"}}))
        assert message in told.value.message
        assert "\n" not in told.value.message
        assert told.value.fix
    validate_frame(frame, make_registry({URN: {"type": "object"}}))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(worker_function, "batch_function", None)
        validate_frame(frame, make_registry({URN: {"type": "object"}}))  # asks once a session
