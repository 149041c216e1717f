"""Candidate arrays: the subschemas of an item."""

from __future__ import annotations

from typing import Any

import pytest

from babelreg.containment import compare
from babelreg.containment.search.alternatives import alternatives
from babelreg.containment.search.node import SearchDocument, nodes_below
from babelreg.schema.dialects import DEFAULT, DIALECTS

TAIL: dict[str, Any] = {"const": "baz"}


@pytest.mark.parametrize(
    "schema, dialect, index, pointers",
    [
        pytest.param({"items": TAIL}, DEFAULT, 3, [("items",)], id="every item"),
        pytest.param({"prefixItems": [True], "items": TAIL}, DEFAULT, 0, [("prefixItems", 0)], id="in the tuple"),
        pytest.param({"prefixItems": [True], "items": TAIL}, DEFAULT, 1, [("items",)], id="after the tuple"),
        pytest.param({"items": [True], "additionalItems": TAIL}, DIALECTS["draft7"], 1, [("additionalItems",)], id="7"),
        pytest.param({"contains": TAIL}, DEFAULT, 0, [], id="contains is not for each item"),
        pytest.param({"unevaluatedItems": TAIL}, DEFAULT, 0, [("unevaluatedItems",)], id="unevaluated"),
        pytest.param(
            {"allOf": [{"prefixItems": [TAIL]}], "unevaluatedItems": False},
            DEFAULT,
            0,
            [("allOf", 0, "prefixItems", 0)],
            id="evaluated by another subschema",
        ),
    ],
)
def test_the_subschemas_of_an_item(schema: Any, dialect: Any, index: int, pointers: list[Any]) -> None:
    (way,) = alternatives((SearchDocument(schema, dialect, formats=False).node,))
    assert [node.pointer for node in nodes_below(way, index)] == pointers


def test_items_that_a_branch_evaluates_are_searched() -> None:
    branches = [{"prefixItems": [True, {"const": "bar"}]}, {"prefixItems": [True, TAIL]}]
    new = {"prefixItems": [{"const": "foo"}], "oneOf": branches, "unevaluatedItems": False}
    verdict = compare({"enum": [["foo", "bar"], ["foo", "bar", 42]]}, new, reader="strict").forward
    assert (verdict.kind, verdict.witness) == ("breaking", ["foo", "baz"])
