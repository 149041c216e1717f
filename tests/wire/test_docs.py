"""Pages on wire formats: every code, and every sentence of the five specifications with tests that exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from wire_vectors import FOLDER, rows

from babelreg.wire.formats.table import FORMATS

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "wires.md").read_text("utf-8")
SENTENCES = (ROOT / "docs" / "wire-sentences.md").read_text("utf-8")
ROWS = [row for kind in ("vector", "bridge", "mask") for row in rows(kind)]
NAMES = {row["name"] for row in ROWS}
ROW = re.compile(r"^\| (.+) \| (.+) \|$", re.MULTILINE)
PAGES = {
    "FlowLayer V1: Message Envelopes": 39,
    "php-mq/protocol: README": 42,
    "Strata: Envelope Types": 73,
    "BabelQueue: The Envelope": 100,
    "BabelQueue: URN Naming": 39,
}
"""The pages, and the number of sentences, table rows and examples that each has."""


def rows(page: str) -> list[tuple[str, str]]:
    section = SENTENCES.split(f"## {page}\n")[1].split("\n## ")[0]
    return [
        (sentence, tests) for sentence, tests in ROW.findall(section) if not sentence.startswith(("Sentence", "---"))
    ]


@cache
def functions(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def exists(name: str) -> bool:
    path, colons, test = name.partition("::")
    if not colons:
        return name in NAMES
    if not (ROOT / path).is_file():
        return False
    return bool(functions(path)) if test == "*" else test in functions(path)


@pytest.mark.parametrize("page", PAGES)
def test_every_sentence_names_tests_that_exist(page: str) -> None:
    found = rows(page)
    assert len(found) == PAGES[page]
    for sentence, tests in found:
        named = re.findall(r"`([^`]+)`", tests)
        assert named or tests == "no requirement", sentence
        assert [name for name in named if not exists(name)] == [], sentence


def test_a_test_that_does_not_exist_is_noticed() -> None:
    assert not exists("tests/wire/test_docs.py::test_nothing_of_the_kind")
    assert not exists("flowlayer-nothing-of-the-kind")
    assert not exists("tests/nowhere.py::*")


def test_every_vector_is_written_down_in_its_source() -> None:
    assert all(row["source"] for row in ROWS)


def test_no_vector_is_left_out() -> None:
    assert len(NAMES) == len(ROWS) == sum(path.read_bytes().count(b"\n") for path in FOLDER.glob("*.jsonl"))


@pytest.mark.parametrize("name", ["flowlayer", "phpmq", "strata", "cloudevents", "json"])
def test_every_code_is_documented(name: str) -> None:
    section = TEXT.split(f"### Codes of {name}\n")[1].split("\n#")[0]
    codes = FORMATS[name].CODES
    rows = [
        f"| `{code}` | {'the format' if found.published else 'babelreg'} | {found.meaning} |"
        for code, found in codes.items()
    ]
    assert [line for line in section.splitlines() if line.startswith("| `")] == rows
