"""The checker of certificates sees that a schema without annotations asserts the same."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from corpora import CORPORA, corpora_needed
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.containment import bare_schema, compare
from babelreg.containment.bare_schema import bare
from babelreg.containment.certificates.core_schemas import DRAFTS, same_assertions
from babelreg.errors import SchemaError
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


def test_annotations_stay_where_a_reference_has_a_name_in_them() -> None:
    named = {"$anchor": "n", "type": "string"}
    hidden = {"title": "A", "properties": {"a": {"$ref": "#n"}}, "x-d": named}
    assert bare(hidden) == hidden
    found = {"title": "A", "properties": {"a": {"$ref": "#n"}, "b": named}}
    assert bare(found) == {"properties": found["properties"]}
    verdict = compare(hidden, {**hidden, "x-d": {**named, "minLength": 3}}).backward
    assert verdict.kind == "unknown"


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


HOLDERS = ("x-d", "default", "examples", "title", "$defs", "definitions", "properties", "other", "enum")


def spelled(pointer: tuple[str, ...], chance: random.Random) -> str:
    """A reference to ``pointer`` in which some characters are percent escapes."""
    text = "/" + "/".join(pointer)
    return "#/" + "".join(f"%{ord(c):02{chance.choice('xX')}}" if chance.random() < 0.2 else c for c in text[1:])


@settings(deadline=None)
@given(st.randoms(use_true_random=False))
def test_a_schema_accepts_the_same_without_annotations(chance: random.Random) -> None:
    """Whatever place a reference leads to, and however it is spelled."""
    held: dict[str, Any] = {}
    places: list[tuple[str, ...]] = []
    for holder in chance.sample(HOLDERS, 4):
        target = chance.choice([{"type": "string", "minLength": 2}, {"type": "integer", "title": "A"}, {"enum": ["a"]}])
        inside = {"title": "T", "s": target} if chance.random() < 0.5 else {"s": {"default": target, "x-e": target}}
        held[holder] = [inside] if holder in ("examples", "enum") else inside
        step = ("0",) if holder in ("examples", "enum") else ()
        places += [(holder, *step, "s"), (holder, *step, "s", "default"), (holder, *step, "s", "x-e"), (holder, *step)]
    keyword = chance.choice(["$ref", "$ref", "$dynamicRef"])
    refer = {keyword: spelled(chance.choice(places), chance), "description": "d"}
    schema = {
        **held,
        "title": "A",
        "anyOf": [{"type": "object", "properties": {"a": refer}}, {"not": {"type": "object"}}],
    }
    try:
        written = DEFAULT.validator_for(schema)
    except SchemaError:
        return
    stripped = DEFAULT.validator_for(bare(schema))
    for value in ("", "a", "ab", 1, 1.5, None, {"s": 1}):
        assert stripped.is_valid({"a": value}) == written.is_valid({"a": value})
