"""Keywords of schemas as written, with their pointers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.load.registry.written_keywords import keywords, references
from babelreg.schema.pointer import find

_NAMES = st.sampled_from(["$ref", "properties", "items", "allOf", "enum", "x-note", "$defs", "unknown"])
_SCHEMAS = st.recursive(
    st.none() | st.booleans() | st.sampled_from(["#", "a.yaml"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ({"$ref": "#"}, [("$ref",)]),
        ({"items": {"$ref": "#"}, "$ref": "#"}, [("$ref",), ("items", "$ref")]),
        ({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}, [("allOf", 0, "$ref"), ("allOf", 1, "$ref")]),
        ({"unknown": [[{"$ref": "#"}]]}, [("unknown", 0, 0, "$ref")]),
        ({"properties": {"$ref": {"$ref": "#"}}}, [("properties", "$ref", "$ref")]),
        ({"properties": {"enum": {"$ref": "#"}}}, [("properties", "enum", "$ref")]),
        ({"properties": {"properties": {"$ref": "#"}}}, [("properties", "properties", "$ref")]),
        ({"enum": [{"$ref": "#"}], "default": {"$ref": "#"}, "x-note": {"$ref": "#"}}, []),
        ({"$ref": 3}, []),
        (True, []),
    ],
    ids=str,
)
def test_references_are_found_in_subschemas_and_not_in_data(schema: Any, found: list[tuple[str | int, ...]]) -> None:
    assert [at for at, _ in references(schema)] == found


@given(_SCHEMAS)
def test_a_pointer_leads_to_the_value_and_ends_in_the_keyword(schema: Any) -> None:
    for at, keyword, value in keywords(schema, frozenset({"$ref", "items"})):
        assert at[-1] == keyword
        assert find(schema, at) is value


@given(_SCHEMAS)
def test_wanting_less_yields_the_same_of_it(schema: Any) -> None:
    both = keywords(schema, frozenset({"$ref", "items"}))
    assert list(keywords(schema, frozenset({"items"}))) == [each for each in both if each[1] == "items"]
