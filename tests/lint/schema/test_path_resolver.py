"""Paths through schemas: what a schema declares is there, what it does not is not, however the names are spelled."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.lint.schema.path_resolver import PathResolver, resolves_directly
from babelreg.schema.field_path import EACH, Step, parts, spelled

NAMES = st.text(st.sampled_from("ab.\\[]_ é"), min_size=1, max_size=5)
SCALARS = st.sampled_from([{"type": "string"}, {"type": ["integer", "null"]}, {"type": "boolean", "enum": [True]}])
SCHEMAS = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.dictionaries(NAMES, inner, min_size=1, max_size=3).map(lambda p: {"type": "object", "properties": p}),
        inner.map(lambda items: {"type": "array", "items": items}),
        st.lists(inner, min_size=1, max_size=2).map(lambda parts: {"anyOf": parts}),
        inner.map(lambda part: {"allOf": [part]}),
    ),
    max_leaves=8,
)


def declared(schema: dict[str, Any], before: tuple[Step, ...] = ()) -> list[tuple[Step, ...]]:
    """The steps to everything that ``schema`` declares."""
    found = [before] if before else []
    for name, held in schema.get("properties", {}).items():
        found += declared(held, (*before, name))
    if "items" in schema:
        found += declared(schema["items"], (*before, EACH))
    for part in (*schema.get("anyOf", ()), *schema.get("allOf", ())):
        found += declared(part, before)
    return found


@settings(deadline=None)
@given(SCHEMAS)
def test_what_is_declared_is_there_and_what_is_not_is_not(schema: dict[str, Any]) -> None:
    reader = PathResolver(schema)
    for steps in declared(schema):
        assert reader.first_missing(steps) is None
        stopped = reader.first_missing((*steps, "no such name"))
        assert stopped is not None
        assert stopped[0] == len(steps)


@settings(deadline=None)
@given(SCHEMAS)
def test_the_quick_look_finds_nothing_that_the_long_one_misses(schema: dict[str, Any]) -> None:
    reader = PathResolver(schema)
    for steps in (*declared(schema), ("a", EACH), ("no such name",)):
        assert not resolves_directly(schema, spelled(steps)) or reader.first_missing(parts(spelled(steps))) is None
