"""Nothing that a user reads names a pattern of paths below a lake: not every file in a folder counts."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from babelreg import load
from babelreg.cli.lake.group import command
from babelreg.gen.targets import TARGETS
from babelreg.load.service.starter import example_folder

ROOT = Path(__file__).parents[2]
PATTERN = re.compile(
    r"(?:\b(?:lake|out|tables|quarantine|DIR)/[\w./=-]*[*{?\[]|/batch=|batch=[0*]|part-0|[*]\.parquet)"
)


@pytest.mark.parametrize(
    "text, named",
    [
        pytest.param("read_parquet('lake/tables/*/*/*.parquet')", True, id="every table"),
        pytest.param("lake/tables/orders/created/batch=*", True, id="every batch"),
        pytest.param("spark.read.parquet('DIR/quarantine/*')", True, id="the quarantine"),
        pytest.param("spark.read.parquet(*files('lake', urn))", False, id="the files that count"),
        pytest.param("table, in lake/tables", False, id="a folder alone"),
    ],
)
def test_what_a_pattern_is(text: str, named: bool) -> None:
    assert bool(PATTERN.search(text)) == named


def _help(name: str) -> str:
    found = command.commands[name]
    return found.get_help(click.Context(found, info_name=name))


def _generated(target: str) -> str:
    registry = load.registry(example_folder())
    return "\n".join(file.text for file in TARGETS[target].files(registry, {}))


@pytest.mark.parametrize(
    "text",
    [
        *(
            pytest.param(page.read_text("utf-8"), id=page.stem)
            for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
        ),
        *(pytest.param(_help(name), id=f"help of {name}") for name in sorted(command.commands)),
        *(pytest.param(_generated(target), id=f"gen {target}") for target in ("spark", "docs")),
    ],
)
def test_no_pattern_of_paths_below_a_lake_is_named(text: str) -> None:
    assert PATTERN.findall(text) == []
