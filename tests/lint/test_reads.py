"""The quick look along a path never says yes where the closer look says no."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.lint.reads import Reader, leads, steps_of

PATHS = ["a", "b", "a.b", "a[].b", "[]", "a[][].b", "b.a.a"]
references = st.sampled_from(["#/$defs/a", "#/$defs/b", "#/definitions/a", "#", "a", "#/$defs/a/b"]).map(
    lambda r: {"$ref": r}
)
schemas = st.recursive(
    references | st.sampled_from([{}, True, False, None, {"type": "string"}, {"type": "array"}, {"type": "object"}]),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from("ab"), inner, max_size=2) | inner,
            "items": inner,
            "additionalProperties": inner,
            "allOf": st.lists(inner, max_size=2),
            "type": st.sampled_from(["array", "object", "string"]),
            "$ref": st.sampled_from(["#/$defs/a", "#/$defs/b"]),
        },
    ),
    max_leaves=12,
)


@given(
    schema=schemas, definitions=st.dictionaries(st.sampled_from("ab"), schemas, max_size=2), path=st.sampled_from(PATHS)
)
def test_a_quick_yes_is_a_yes(schema: Any, definitions: Any, path: str) -> None:
    whole = {**(schema if isinstance(schema, dict) else {}), "$defs": definitions}
    if leads(whole, path):
        assert Reader(whole).stops(steps_of(path)) is None


@pytest.mark.parametrize(
    "path, found",
    [
        ("a", True),
        ("a.b", True),
        ("c[].b", True),
        ("c", True),
        ("b", False),
        ("a.x", False),
        ("c.b", False),
        ("d", False),
    ],
)
def test_a_plain_path_needs_no_closer_look(path: str, found: bool) -> None:
    inner = {"properties": {"b": {"type": "string"}}}
    schema = {"properties": {"a": {"$ref": "#/$defs/a"}, "c": {"items": inner}, "d": True}, "$defs": {"a": inner}}
    assert leads(schema, path) is found
