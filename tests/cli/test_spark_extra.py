"""Without the ``spark`` extra its commands say what to install, and nothing looks like our own bug."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "registry.example"


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["files", "--lake", "x"], id="files"),
        pytest.param(["ingest", "--input", ".", "--lake", "x", "--registry", str(EXAMPLE)], id="ingest"),
        pytest.param(["compact", "--lake", "x"], id="compact"),
    ],
)
def test_what_is_missing_is_named_with_a_way_out(arguments: list[str], tmp_path: Path) -> None:
    script = "import sys; sys.modules['pyarrow'] = None; from babelreg.cli import main; main(sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", script, "spark", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-2:] == [
        "babelreg: error: pyarrow is not installed",
        "  fix: pip install 'babelreg[spark]'",
    ]
