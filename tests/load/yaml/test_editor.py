"""Many edits of one text are made at once, or are told to wait."""

from __future__ import annotations

from itertools import combinations

import pytest

from babelreg.load.yaml import parser
from babelreg.load.yaml.editor import Draft
from babelreg.load.yaml.emitter import EditError
from babelreg.model import Edit

TEXT = """\
flow: [v, w, x, y, z]
lines:
  - v
  - w  # w
  - x
  - y
  - z
pairs: {v: 1, w: 2, x: 3, y: 4, z: 5}
open: [
  v,  # one
  w,  # two
  x,
  y,
]
"""
NAMES = ["v", "w", "x", "y", "z"]


def taken(draft: Draft, *edits: Edit) -> bool:
    splices = draft.plan(edits)
    fits = draft.fits(splices)
    if fits:
        draft.take(edits, splices)
    return fits


def remove(*pointer: str | int) -> Edit:
    return Edit("", "remove", pointer)


@pytest.mark.parametrize("where", ["flow", "lines", "pairs"])
@pytest.mark.parametrize("gone", [c for n in (1, 2, 3, 4) for c in combinations(range(1, 5), n)], ids=str)
def test_neighbours_are_removed_together(where: str, gone: tuple[int, ...]) -> None:
    draft = Draft(TEXT)
    steps: list[str | int] = [NAMES[i] for i in gone] if where == "pairs" else list(gone)
    assert taken(draft, *(remove(where, step) for step in reversed(steps)))
    left = [name for index, name in enumerate(NAMES) if index not in gone]
    said = parser.read(draft.result())
    assert list(said[where]) == left
    assert {key: value for key, value in said.items() if key != where} == {
        key: value for key, value in parser.read(TEXT).items() if key != where
    }


def test_comments_within_brackets_stay() -> None:
    draft = Draft(TEXT)
    assert taken(draft, remove("open", 1))
    assert "# one" in draft.result()
    assert "# two" in draft.result()


def test_edits_may_come_in_any_order() -> None:
    edits = [
        remove("pairs", "w"),
        Edit("", "replace", ("lines", 4), "end"),
        remove("flow", 0),
        Edit("", "insert", ("pairs", "q"), [1]),
    ]
    results = set()
    for order in (edits, edits[::-1]):
        draft = Draft(TEXT)
        assert all(taken(draft, edit) for edit in order)
        results.add(draft.result())
    (result,) = results
    assert "pairs: {v: 1, x: 3, y: 4, z: 5, q: [1]}" in result
    assert "flow: [w, x, y, z]" in result
    assert "  - end\n" in result


@pytest.mark.parametrize(
    "first, second",
    [
        pytest.param(remove("lines", 1), Edit("", "replace", ("lines", 1), 1), id="what was removed"),
        pytest.param(Edit("", "replace", ("pairs",), {}), remove("pairs", "w"), id="what stood within"),
        pytest.param(Edit("", "insert", ("a",), 1), Edit("", "insert", ("b",), 1), id="the same place"),
        pytest.param(Edit("", "replace", ("flow", 0), 1), Edit("", "replace", ("flow", 0), 2), id="the same value"),
    ],
)
def test_what_touches_an_earlier_edit_has_to_wait(first: Edit, second: Edit) -> None:
    draft = Draft(TEXT)
    assert taken(draft, first)
    before = draft.result()
    assert not taken(draft, second)
    assert draft.result() == before


def test_a_key_is_put_behind_the_neighbour_that_is_named() -> None:
    draft = Draft(TEXT, lambda pointer, keys: "flow" if pointer == ("new",) else None)
    assert taken(draft, Edit("", "insert", ("new",), "yes"))
    assert draft.result().startswith('flow: [v, w, x, y, z]\nnew: "yes"\nlines:\n')


def test_what_is_no_yaml_is_refused() -> None:
    with pytest.raises(EditError, match="line 2"):
        Draft("a: 1\na: 2\n")
