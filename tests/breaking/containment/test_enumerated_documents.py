"""Documents of a schema that enumerates them."""

from __future__ import annotations

from typing import Any

import pytest

from babelreg.breaking import compare
from babelreg.breaking.containment.enumerations import enumerated_documents
from babelreg.schema.dialects import DEFAULT, DIALECTS


@pytest.mark.parametrize(
    "schema, documents",
    [
        pytest.param({"const": 1}, [1], id="one value"),
        pytest.param({"enum": [1, "a"], "type": "string"}, [1, "a"], id="several, though some are refused"),
        pytest.param({"anyOf": [{"const": 1}, {"enum": [2]}]}, [2, 1], id="a union"),
        pytest.param({"$ref": "#/$defs/x", "$defs": {"x": {"const": None}}}, [None], id="by reference"),
        pytest.param({"allOf": [{"type": "string"}, {"enum": ["a"]}]}, ["a"], id="beside another"),
        pytest.param({"anyOf": [{"const": 1}, {"type": "null"}]}, None, id="a branch that lists none"),
        pytest.param({"type": "boolean"}, None, id="a type"),
        pytest.param(True, None, id="everything"),
        pytest.param({"$ref": "#"}, None, id="a circle"),
        pytest.param({"enum": list(range(2000))}, None, id="too many"),
    ],
)
def test_the_documents_of_a_schema_that_lists_them(schema: Any, documents: list[Any] | None) -> None:
    assert enumerated_documents(schema, DEFAULT) == documents


def test_draft_4_lists_nothing_since_one_may_be_written_in_two_ways() -> None:
    assert enumerated_documents({"enum": [1]}, DIALECTS["draft4"]) is None


def test_listed_documents_are_compared_one_by_one() -> None:
    circle = {"properties": {"foo": {"$ref": "#"}}, "additionalProperties": False}
    found = compare({"const": {"foo": {"foo": {}}}}, circle, reader="strict")
    assert (found.backward.kind, found.forward.kind) == ("compatible", "breaking")
