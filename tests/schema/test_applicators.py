from __future__ import annotations

from typing import Any

import pytest

from babelreg.schema.applicators import (
    Anchors,
    applied_in_place,
    subschemas,
    without_annotations,
)
from babelreg.schema.keywords import KNOWN


@pytest.mark.parametrize(
    "schema, left",
    [
        pytest.param({"title": "A", "type": "object"}, {"type": "object"}, id="a title"),
        pytest.param(
            {"properties": {"title": {"title": "A"}}}, {"properties": {"title": {}}}, id="a property named title"
        ),
        pytest.param({"x-unit": "ms", "x-open-enum": True}, {"x-open-enum": True}, id="extensions, but for open enums"),
        pytest.param({"enum": [{"title": "A"}]}, {"enum": [{"title": "A"}]}, id="values stay"),
        pytest.param({"anyOf": [{"default": 1}, True]}, {"anyOf": [{}, True]}, id="in a list"),
        pytest.param(
            {"$ref": "#/x-parts/a", "x-parts": {"a": {"title": "A"}}},
            {"$ref": "#/x-parts/a", "x-parts": {"a": {"title": "A"}}},
            id="what a reference needs stays",
        ),
    ],
)
def test_without_annotations(schema: Any, left: Any) -> None:
    before = repr(schema)
    assert without_annotations(schema, formats=True) == left
    assert repr(schema) == before


def test_formats_stay_where_they_are_asserted() -> None:
    assert without_annotations({"format": "date"}, formats=True) == {"format": "date"}
    assert without_annotations({"format": "date"}, formats=False) == {}


@pytest.mark.parametrize(
    "reference, pointer",
    [
        pytest.param("#", (), id="the root"),
        pytest.param("#/$defs/a~1b", ("$defs", "a/b"), id="an escaped pointer"),
        pytest.param("#/$defs/c%25", ("$defs", "c%"), id="a quoted pointer"),
        pytest.param("#named", ("$defs", "n"), id="an anchor"),
        pytest.param("https://example.com/n", ("$defs", "n"), id="an identifier"),
        pytest.param("#/$defs/none", None, id="nothing"),
        pytest.param("#nobody", None, id="no anchor"),
        pytest.param(3, None, id="no text"),
        pytest.param("#/type", None, id="no schema"),
    ],
)
def test_anchors(reference: Any, pointer: Any) -> None:
    named = {"$id": "https://example.com/n", "$anchor": "named"}
    anchors = Anchors({"type": "object", "$defs": {"a/b": {}, "c%": {}, "n": named}})
    found = anchors.target(reference)
    assert (found[0] if found else None) == pointer


def test_the_keywords_are_those_of_all_dialects() -> None:
    value = {"a": {}}
    single = {word for word in KNOWN if list(subschemas({word: {"type": []}})) == [((word,), {"type": []})]}
    listed = {word for word in KNOWN if list(subschemas({word: [{}]})) == [((word, 0), {})]}
    named = {word for word in KNOWN if list(subschemas({word: value})) == [((word, "a"), {})]}
    assert (len(single), len(listed), len(named)) == (12, 5, 6)
    assert listed - single == {"allOf", "anyOf", "oneOf", "prefixItems"}
    every = {word: [{}] if word in listed else value if word in named else {} for word in KNOWN}
    assert {steps[0] for steps, _ in applied_in_place(every)} == {
        "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies",
    }  # fmt: skip
