"""Formats are asked by their interface: nothing outside of the family compares with the name of one."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator

import pytest
from syntax_trees import modules

from babelreg.load.registry.file_validation import schema_text
from babelreg.wire.formats.table import FORMATS

FAMILY = "wire/formats/"
CODECS = "runtime/wires/"
"""A module for each format with typed codecs, which is the format's own."""


def names_in(node: ast.expr) -> set[str]:
    """The names of formats that an operand of a comparison holds, or the keys of a table."""
    return {
        part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and part.value in FORMATS
    }  # fmt: skip


def named(tree: ast.AST) -> Iterator[tuple[int, set[str]]]:
    """The comparisons, membership tests, matches and tables by name of a module."""
    for node in ast.walk(tree):
        operands: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
        elif isinstance(node, ast.MatchValue):
            operands = [node.value]
        elif isinstance(node, ast.Dict):
            operands = [key for key in node.keys if key is not None]
        elif isinstance(node, ast.Subscript):
            operands = [node.slice]
        found = {name for operand in operands for name in names_in(operand)}
        if found:
            yield node.lineno, found


def ambiguous(name: str, found: set[str]) -> bool:
    """Other words that spell like the name of a format, in packages that know none."""
    elsewhere = {"json"} if name.startswith(("lake/", "load/", "model/")) else {"json", "babelqueue"}
    return found <= elsewhere and not name.startswith("wire/")


def test_no_module_outside_of_the_family_asks_for_the_name_of_a_format() -> None:
    asked = [
        (module.name, line, sorted(found))
        for module in modules()
        if not module.name.startswith((FAMILY, CODECS))
        for line, found in named(module.tree)
        if not ambiguous(module.name, found)
    ]
    assert asked == []


@pytest.mark.parametrize(
    "text, found",
    [
        pytest.param('wire.name == "phpmq"', True, id="a comparison"),
        pytest.param('wire in ("phpmq", "strata")', True, id="a membership test"),
        pytest.param('{"flowlayer": 1}[wire]', True, id="a table"),
        pytest.param('match wire:\n    case "strata": pass', True, id="a match"),
        pytest.param('say("babelreg wire decode --wire phpmq dump.bin")', False, id="an example"),
    ],
)
def test_each_way_to_ask_is_noticed(text: str, found: bool) -> None:
    assert bool(list(named(ast.parse(text)))) == found


def test_the_settings_have_a_block_for_each_format_with_names() -> None:
    properties = json.loads(schema_text("settings"))["properties"]
    blocks = {name: wire.names.block for name, wire in FORMATS.items() if wire.names is not None}
    assert properties["wires"]["properties"] == blocks


@pytest.mark.parametrize("name", [name for name, wire in FORMATS.items() if wire.spans is None])
def test_a_format_without_separators_has_spans(name: str) -> None:
    assert FORMATS[name].line_based
