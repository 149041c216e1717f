"""Where a value stands in a line of JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.load.files.json_positions import column, repeated_keys

LINE = '  {"a": 1, "b\\u0062": [ true , {"c" : "x"}], "é": {"a": {}}, "a": 2}  '


@pytest.mark.parametrize(
    "pointer, key, stands",
    [
        pytest.param((), False, LINE[2:], id="the document"),
        pytest.param(("a",), False, "2}", id="the last of two members of one name"),
        pytest.param(("a",), True, '"a": 2', id="its key"),
        pytest.param(("bb",), False, "[ true", id="a name with an escape"),
        pytest.param(("bb", 0), False, "true", id="the first item"),
        pytest.param(("bb", 1, "c"), False, '"x"', id="in an item"),
        pytest.param(("bb", 1, "c"), True, '"c"', id="a key in an item"),
        pytest.param(("bb", 1), True, '{"c"', id="an item has no key"),
        pytest.param(("é", "a"), False, "{}", id="behind a letter of two bytes"),
        pytest.param(("é", "missing"), False, '{"a": {}}', id="what is absent is at its parent"),
        pytest.param(("bb", 2), False, "[ true", id="beyond the last item"),
        pytest.param(("a", "b"), False, "2}", id="below a number"),
    ],
)
def test_column(pointer: tuple[str | int, ...], key: bool, stands: str) -> None:
    at = column(LINE, pointer, key=key) - 1
    assert LINE[at:].startswith(stands)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(VALUES, st.booleans())
def test_every_value_is_found_where_it_stands(value: Any, ascii_only: bool) -> None:
    line = json.dumps(value, ensure_ascii=ascii_only)
    for pointer, part in _parts(value):
        assert json.JSONDecoder().raw_decode(line, column(line, pointer) - 1)[0] == part


def _parts(value: Any) -> list[tuple[tuple[str | int, ...], Any]]:
    steps: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        steps = list(value.items())
    elif isinstance(value, list):
        steps = list(enumerate(value))
    return [((), value), *(((step, *rest), part) for step, below in steps for rest, part in _parts(below))]


@pytest.mark.parametrize(
    "text, keys",
    [
        pytest.param('{"a": 1, "b": {"a": 2}}', [], id="equal keys of two objects"),
        pytest.param('{"a": 1, "a": 2}', [("a", 9)], id="twice"),
        pytest.param('{"a": "a", "b": ["a", {"a": 1}, "a"]}', [], id="texts"),
        pytest.param('{"\\u0061": 1, "a": {"\\"": 1, "\\"": 2}}', [("a", 14), ('"', 29)], id="escapes"),
        pytest.param('[{"a": [], "a": 1, "a": {}}]', [("a", 11), ("a", 19)], id="three times"),
    ],
)
def test_repeated_keys_are_found(text, keys):
    assert list(repeated_keys(text)) == keys
