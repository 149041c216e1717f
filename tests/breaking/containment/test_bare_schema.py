"""The checker of certificates sees that a schema without annotations asserts the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from corpora import CORPORA, corpora_needed

from babelreg.breaking.containment import bare_schema
from babelreg.breaking.containment.bare_schema import bare
from babelreg.breaking.containment.certificates.core_schemas import DRAFTS, same_assertions
from babelreg.schema.dialects import DEFAULT, DIALECTS
from babelreg.schema.simplify import without_annotations, without_keywords

SCHEMA = {
    "title": "A",
    "type": "object",
    "properties": {"a": {"$ref": "#/x-d/s"}, "b": {"minLength": 3, "default": "b", "format": "int64"}},
    "x-d": {"s": {"type": "string"}},
}
PLAIN = {**SCHEMA, "properties": {"b": SCHEMA["properties"]["b"]}}  # type: ignore[index]


def test_annotations_are_left_out() -> None:
    expected = {"type": "object", "properties": {"b": {"minLength": 3, "format": "int64"}}}
    assert bare(PLAIN) == expected
    assert bare(PLAIN, asserted=True) == {"type": "object", "properties": {"b": {"minLength": 3}}}
    assert bare(PLAIN, formats=False) == {"type": "object", "properties": {"b": {"minLength": 3}}}
    assert bare(SCHEMA) == SCHEMA


def test_equal_subschemas_are_told_apart() -> None:
    text = {"type": "string"}
    for schema in ({"properties": {"a": text, "b": text}}, {"$ref": "#/x-a", "properties": {"a": text, "b": text}}):
        parts = bare(schema)["properties"]
        assert parts["a"] == parts["b"]
        assert parts["a"] is not parts["b"]


@pytest.mark.parametrize(
    "schema, strip",
    [
        pytest.param(PLAIN, lambda s: without_keywords(s, frozenset({"minLength"})), id="an assertion"),
        pytest.param(PLAIN, lambda s: {**s, "properties": {}}, id="a property"),
        pytest.param(PLAIN, lambda s: {**s, "minProperties": 1}, id="more than there was"),
        pytest.param(SCHEMA, lambda s: {k: v for k, v in s.items() if k != "x-d"}, id="the target of a reference"),
        pytest.param({"$ref": "#x", "$defs": {"a": {"$anchor": "x"}}},
                     lambda s: {**s, "$defs": {"a": {}}}, id="the name of a target"),
        pytest.param({"enum": [1]}, lambda s: {"enum": [1.0]}, id="the spelling of a number"),
        pytest.param({"$ref": "#/other/a", "other": {"a": {"type": "string"}}},
                     lambda s: {**s, "other": {"a": {}}}, id="what an unknown keyword holds"),
        pytest.param({"format": "date"}, lambda s: {}, id="an asserted format"),
    ],
)  # fmt: skip
def test_what_a_wrong_function_would_leave_out_is_seen(
    schema: Any, strip: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bare_schema, "without_annotations", lambda given, **_: strip(given))
    assert bare(schema) == schema


@corpora_needed
def test_the_checker_agrees_about_every_real_schema() -> None:
    refused = tried = 0
    for file in sorted(CORPORA.glob("*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            case = json.loads(line)
            dialect = DIALECTS.get(case["draft"], DEFAULT)
            for schema in (case["old"], case["new"]):
                stripped = without_annotations(schema, formats=True, asserted=True)
                tried += 1
                refused += not same_assertions(schema, stripped, DRAFTS.index(dialect.name), formats=True)
    assert refused <= tried / 500
