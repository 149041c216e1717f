"""What the commands of ``babelreg spark`` share: ``--debug``, and errors that do not look like our own bug."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import click
import pytest

from babelreg.cli.lake import group as lake
from babelreg.cli.spark import group as spark

EXAMPLE = Path(__file__).parents[3] / "registry.example"


NO_SPARK = "pip install 'babelreg[spark]'; or run without Spark: --engine local"
INGEST = ["ingest", "--input", ".", "--lake", "x", "--registry", str(EXAMPLE)]


@pytest.mark.parametrize(
    "missing, arguments, fix",
    [
        pytest.param("pyarrow", ["lake", *INGEST], "pip install 'babelreg[lake]'", id="ingest"),
        pytest.param("pyarrow", ["lake", "compact", "--lake", "x"], "pip install 'babelreg[lake]'", id="compact"),
        pytest.param("pyarrow", ["lake", *INGEST, "--dry-run"], "pip install 'babelreg[lake]'", id="a dry run"),
        pytest.param("numpy", ["lake", *INGEST], "pip install 'babelreg[lake]'", id="without NumPy"),
        pytest.param("pyarrow", ["spark", *INGEST], "pip install 'babelreg[spark]'", id="with Spark"),
        pytest.param("pyarrow", ["spark", *INGEST, "--engine", "local"], "pip install 'babelreg[lake]'", id="local"),
        pytest.param("pyspark", ["spark", *INGEST], NO_SPARK, id="without Spark"),
        pytest.param("pyspark", ["lake", *INGEST, "--engine", "spark"], NO_SPARK, id="where it is named"),
    ],
)
def test_what_is_missing_is_named_with_a_way_out(missing: str, arguments: list[str], fix: str, tmp_path: Path) -> None:
    script = f"import sys; sys.modules[{missing!r}] = None; from babelreg.cli import main; main(sys.argv[1:])"
    (tmp_path / "x").mkdir()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a").write_text("{}\n")
    words = [str(tmp_path / "in") if word == "." else word for word in arguments]
    done = subprocess.run(
        [sys.executable, "-c", script, *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-2:] == [f"babelreg: error: {missing} is not installed", f"  fix: {fix}"]


COMMANDS = [pytest.param(name, command, id=f"{group.name} {name}")
            for group in (lake.command, spark.command) for name, command in sorted(group.commands.items())]  # fmt: skip


@pytest.mark.parametrize("name, command", COMMANDS)
def test_every_command_has_debug_once(name: str, command: click.Command) -> None:
    assert [option for one in command.params for option in one.opts].count("--debug") == 1


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
    protocol = pytest.importorskip("py4j.protocol")

    def fail(*arguments: object) -> NoReturn:
        raise protocol.Py4JError("An error occurred while calling o1.x. Trace:\n\tat java.base/java.lang.Thread.run")

    monkeypatch.setattr("babelreg.lake.storage.current_files.all_files", fail)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    code, _, err = run("lake", "files", "--lake", "x", *debug)
    assert (code, err.splitlines()[0]) == (
        3,
        "babelreg: error: Spark failed for an unknown reason; nothing was lost: the batch was not committed, "
        "and the next run reads its messages again",
    )
    assert ("java.base" in err, len(err.splitlines()) > 2) == (shown, shown)
    monkeypatch.undo()
    assert "Traceback" not in run("explain", "no-such-rule")[2]  # the option is that of one command
