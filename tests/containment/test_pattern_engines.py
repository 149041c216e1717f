"""A change of patterns is compatible only if it is for jsonschema-rs and for Python's ``re``."""

from __future__ import annotations

from typing import Any

import pytest

from babelreg.containment import compare


def text(pattern: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "pattern": pattern, **more}


def kinds(old: Any, new: Any, dialect: str = "draft2020-12") -> str:
    return compare(old, new, reader="strict", dialect=dialect).backward.kind


@pytest.mark.parametrize(
    "old, new",
    [
        pytest.param(text("^[^A-Za-z0-9_\u0660-\u0669\u00e0-\u00ff]+$"), text(r"^\W+$"), id="Python has more letters"),
        pytest.param(text("^[^0-9\u0660-\u0669]+$"), text(r"^\D+$"), id="Python has more digits"),
        pytest.param(text(r"^\d$"), text("^[0-9\u0660-\u0669]$"), id="and more than Arabic ones"),
        pytest.param(text(r"^[\ufeff]$"), text(r"^\s$"), id="the byte order mark is no space to Python"),
        pytest.param(text(r"^\s$"), text(r"^[ \t\n\v\f\r\u00a0\ufeff]$"), id="spaces are more than a few"),
        pytest.param(text(r"^[\x1c-\x1f]$"), text(r"^\S$"), id="separators of files are spaces to Python"),
        pytest.param({"const": "\u00e9"}, text(r"^\W$"), id="one letter with an accent"),
        pytest.param({"enum": ["!", "\u0431"]}, text(r"^\W$"), id="a Cyrillic letter among those listed"),
        pytest.param({"const": "\u0663"}, {"not": text(r"^\d$")}, id="a digit that is none to ECMA-262"),
        pytest.param({"type": "string", "minLength": 2}, {"not": text("^a$")}, id="a line feed behind the end"),
        pytest.param(
            {"type": "object", "properties": {"\u0431": {"type": "integer"}}, "additionalProperties": False},
            {"type": "object", "patternProperties": {r"^\w$": {"type": "string"}}},
            id="the name of a property",
        ),
        pytest.param(text(r"^\bа\b$"), text(r"^\bа\b$", maxLength=0), id="the edge of a word"),
        pytest.param({"const": "\u0431"}, text(r"\B."), id="no edge of a word beyond ASCII"),
        pytest.param({"const": "\u0130"}, {"not": text("(?i)^i$")}, id="a case that only Python folds"),
    ],
)
def test_what_is_compatible_for_one_engine_only_is_not_called_so(old: Any, new: Any) -> None:
    assert kinds(old, new) != "compatible"


@pytest.mark.parametrize(
    "old, new",
    [
        pytest.param(text(r"^\d+$"), text(r"^\w+$"), id="digits are word characters to both"),
        pytest.param(text(r"^\s$"), text(r"^\D$"), id="no space is a digit"),
        pytest.param(text("^[0-9]+$"), text(r"^\d+$"), id="the digits of ASCII"),
        pytest.param(text(r"^\W$"), text("^[^A-Za-z0-9_]$"), id="no word character of either is one of ASCII"),
        pytest.param(text("^[cds]$"), {"enum": ["c", "d", "s"]}, id="a pattern that became a list"),
        pytest.param(text("^[A-Z]{3}$"), text("^[A-Z]{3}$", maxLength=3), id="a length that the pattern has"),
        pytest.param({"const": "\u0663"}, text("^[^0-9]$"), id="no class of an engine"),
        pytest.param(text(r"^\w+$", maxLength=5), text(r"^\w+$"), id="the same pattern"),
        pytest.param(text("(?i)^ab$", maxLength=5), text("(?i)^ab$"), id="the same pattern with a flag"),
        pytest.param(text(r"^\p{L}$", minLength=1), text(r"^\p{L}$"), id="the same pattern, unknown to Python"),
        pytest.param(text(r"^(?=a)\bab$", minLength=2), text(r"^(?=a)\bab$"), id="the same look-ahead"),
    ],
)
def test_what_is_compatible_for_both_is(old: Any, new: Any) -> None:
    assert kinds(old, new) == "compatible"


@pytest.mark.parametrize("dialect", ["draft2019-09", "draft2020-12"])
@pytest.mark.parametrize(
    "old, new",
    [
        pytest.param(
            {"type": "object", "dependencies": {"a": ["b"]}},
            {"type": "object", "dependencies": {"a": ["b"]}, "dependentRequired": {"a": ["c"]}},
            id="names, and other names",
        ),
        pytest.param(
            {"type": "object", "dependentRequired": {"a": ["b"]}, "properties": {"a": {"pattern": "x"}}},
            {
                "type": "object",
                "dependentRequired": {"a": ["c"]},
                "dependencies": {"a": ["b"]},
                "properties": {"a": {"pattern": "x"}},
            },
            id="the older keyword says what held before",
        ),
        pytest.param(
            {"type": "object"},
            {"type": "object", "dependentSchemas": {"a": {"required": ["b"]}}, "dependencies": {"a": True}},
            id="the older keyword says nothing",
        ),
    ],
)
def test_both_keywords_on_one_name_hold(old: Any, new: Any, dialect: str) -> None:
    assert kinds(old, new, dialect) == "breaking"
