"""Commands in copies of a process that has imported them do what they do in a new interpreter."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import commands
import pytest

from babelreg.load.service.starter import example_folder

NEW = [sys.executable, "-m", "babelreg"]
LINES = [
    pytest.param(["--version"], id="a line"),
    pytest.param(["lint", "--registry", str(example_folder())], id="notes on stderr"),
    pytest.param(["lint", "nowhere"], id="wrong use"),
    pytest.param(["lnt"], id="no such command"),
    pytest.param(["rules"], id="a long table"),
]


@pytest.mark.parametrize("arguments", LINES)
def test_output_and_exit_code_are_those_of_a_new_interpreter(arguments: list[str], tmp_path: Path) -> None:
    copied = commands.run(*arguments, at=tmp_path)
    new = subprocess.run(
        [*NEW, *arguments], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(commands.ROOT)}, capture_output=True, text=True
    )  # fmt: skip
    assert (copied.returncode, copied.stdout, copied.stderr) == (new.returncode, new.stdout, new.stderr)


def test_a_shell_has_the_streams_and_the_exit_code(tmp_path: Path) -> None:
    babelreg = shlex.join(commands.words())
    script = f"{babelreg} lint nowhere 2> said; echo $?; echo '{{' | {babelreg} validate --registry '{example_folder()}' | wc -l"
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    code, lines = done.stdout.split()
    assert code == "2"
    assert int(lines) > 0
    assert (tmp_path / "said").read_text().startswith("babelreg: error: nowhere does not exist")


def test_a_copy_leaves_nothing_to_the_next(tmp_path: Path) -> None:
    environment = {**os.environ, "BABELREG_REGISTRY": str(tmp_path / "no-registry")}
    assert commands.run("lint", at=tmp_path, env=environment).returncode == 2
    assert commands.run("lint", at=example_folder()).returncode == 0


def test_what_only_a_new_interpreter_reads_is_refused() -> None:
    with pytest.raises(ValueError, match="only a new interpreter reads PYTHONUTF8"):
        commands.run("--version", env={**os.environ, "PYTHONUTF8": "0"})
