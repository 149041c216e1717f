"""docs/wires.md: every sentence of the five pages names tests, and they exist."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest

from babelreg.wire.formats import FORMATS

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "wires.md").read_text("utf-8")
MANIFEST = json.loads((Path(__file__).parent / "vectors" / "manifest.json").read_text("utf-8"))
NAMES = {row["name"] for kind in ("vectors", "bridges", "masks") for row in MANIFEST[kind]}
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
    section = TEXT.split(f"### {page}\n")[1].split("\n### ")[0]
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
    assert all(row["source"] for kind in ("vectors", "bridges", "masks") for row in MANIFEST[kind])


@pytest.mark.parametrize("kind", ["vectors", "bridges"])
def test_no_file_of_the_vectors_is_an_orphan(kind: str) -> None:
    folder = Path(__file__).parent / "vectors"
    listed = {
        row[key] for rows in (MANIFEST["vectors"], MANIFEST["bridges"]) for row in rows for key in ("input", "expected")
    }
    stored = {path.relative_to(folder).as_posix() for path in folder.glob("*/*")}
    assert stored == listed


@pytest.mark.parametrize("name", ["flowlayer", "phpmq", "strata"])
def test_every_code_is_documented(name: str) -> None:
    section = TEXT.split(f"### Codes of {name}\n")[1].split("\n#")[0]
    codes = FORMATS[name].CODES
    rows = [
        f"| `{code}` | {'the format' if found.published else 'babelreg'} | {found.meaning} |"
        for code, found in codes.items()
    ]
    assert [line for line in section.splitlines() if line.startswith("| `")] == rows
