"""What the commands of ``babelreg spark`` share: ``--debug``, and errors that do not look like our own bug."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from py4j.protocol import Py4JError

from babelreg.cli.spark import group

EXAMPLE = Path(__file__).parents[3] / "registry.example"


INGEST = ["ingest", "--input", ".", "--lake", "x", "--registry", str(EXAMPLE)]


@pytest.mark.parametrize(
    "missing, arguments, fix",
    [
        pytest.param("pyarrow", INGEST, "pip install 'babelreg[spark]'", id="ingest"),
        pytest.param("pyarrow", ["compact", "--lake", "x"], "pip install 'babelreg[spark]'", id="compact"),
        pytest.param("pyarrow", [*INGEST, "--engine", "local"], "pip install 'babelreg[local]'", id="locally"),
        pytest.param(
            "pyarrow", [*INGEST, "--engine", "local", "--dry-run"], "pip install 'babelreg[local]'", id="a dry run"
        ),
        pytest.param("numpy", [*INGEST, "--engine", "local"], "pip install 'babelreg[local]'", id="without NumPy"),
        pytest.param(
            "pyspark", INGEST, "pip install 'babelreg[spark]'; or do without Spark: --engine local", id="without Spark"
        ),
    ],
)
def test_what_is_missing_is_named_with_a_way_out(missing: str, arguments: list[str], fix: str, tmp_path: Path) -> None:
    script = f"import sys; sys.modules[{missing!r}] = None; from babelreg.cli import main; main(sys.argv[1:])"
    (tmp_path / "x").mkdir()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a").write_text("{}\n")
    words = [str(tmp_path / "in") if word == "." else word for word in arguments]
    done = subprocess.run(
        [sys.executable, "-c", script, "spark", *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-2:] == [f"babelreg: error: {missing} is not installed", f"  fix: {fix}"]


@pytest.mark.parametrize("name", sorted(group.command.commands))
def test_every_command_has_debug(name: str) -> None:
    assert "--debug" in [option for one in group.command.commands[name].params for option in one.opts]


@pytest.mark.parametrize(
    "debug, environment, shown",
    [
        pytest.param([], {}, False, id="two lines"),
        pytest.param(["--debug"], {}, True, id="and a traceback with --debug"),
        pytest.param([], {"BABELREG_DEBUG": "1"}, True, id="or with the variable"),
    ],
)
def test_debug_shows_what_is_behind_an_error(
    debug: list[str],
    environment: dict[str, str],
    shown: bool,
    run: Callable[..., tuple[int, str, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*arguments: object) -> NoReturn:
        raise Py4JError("An error occurred while calling o1.x. Trace:\n\tat java.base/java.lang.Thread.run")

    monkeypatch.setattr("babelreg.lake.storage.current_files.all_files", fail)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    code, _, err = run("spark", "files", "--lake", "x", *debug)
    assert (code, err.splitlines()[0]) == (
        3,
        "babelreg: error: Spark failed for an unknown reason; nothing was lost: the batch was not committed, "
        "and the next run reads its messages again",
    )
    assert ("java.base" in err, len(err.splitlines()) > 2) == (shown, shown)
    monkeypatch.undo()
    assert "Traceback" not in run("explain", "no-such-rule")[2]  # the option is that of one command
