"""Field paths are read as they are written, whatever the names."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.schema.field_path import EACH, PathError, parse, parts, spelled

NAMES = st.text(st.sampled_from("ab.\\[]_ é'"), max_size=5)


@settings(max_examples=200, deadline=None)
@given(NAMES, st.lists(NAMES | st.just(EACH), max_size=4), NAMES)
def test_every_path_is_read_as_it_was_written(first: str, between: list[Any], last: str) -> None:
    steps = (first, *between, last)
    assert parse(spelled(steps)) == parts(spelled(steps)) == steps


@pytest.mark.parametrize(
    "text, steps",
    [
        pytest.param("lines[0].qty", ("lines", EACH, "qty"), id="an index"),
        pytest.param("lines[*].qty", ("lines", EACH, "qty"), id="a star"),
        pytest.param("lines[]", ("lines", EACH), id="it may end in an item"),
        pytest.param("a[b", ("a[b",), id="a bracket in a name"),
        pytest.param("a.''", ("a", ""), id="a name without letters"),
        pytest.param("''[].''", ("", EACH, ""), id="names without letters around an item"),
        pytest.param("a.\\''", ("a", "''"), id="a name of two apostrophes"),
        pytest.param("it''s.''s", ("it''s", "''s"), id="apostrophes in names"),
    ],
)
def test_paths_of_reads_may_be_sloppy(text: str, steps: Any) -> None:
    assert parts(text) == steps


@pytest.mark.parametrize(
    "text, says",
    [
        pytest.param("a..b", "empty name", id="two dots"),
        pytest.param("a.", "empty name", id="a dot at the end"),
        pytest.param("a[]", "end in a name", id="an item at the end"),
        pytest.param("[].a", "begin with a name", id="an item at the start"),
        pytest.param("a[]b", "after", id="a name after an item"),
        pytest.param("a\\", "backslash", id="a backslash at the end"),
    ],
)
def test_paths_of_upcasts_may_not(text: str, says: str) -> None:
    with pytest.raises(PathError, match=says):
        parse(text)
