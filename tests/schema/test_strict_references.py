"""Where references lead, inside one document and never out of it."""

from __future__ import annotations

from typing import Any

import pytest

from babelreg.errors import SchemaError
from babelreg.schema.dialects import DIALECTS
from babelreg.schema.local_references import StrictReferences

MONEY = {"title": "money"}


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"not": {"$ref": "#/$defs/money"}, "$defs": {"money": MONEY}}, id="a pointer"),
        pytest.param({"not": {"$ref": "#/$defs/a~1b"}, "$defs": {"a/b": MONEY}}, id="a pointer with a slash in a name"),
        pytest.param({"not": {"$ref": "#/$defs/a%20b"}, "$defs": {"a b": MONEY}}, id="a pointer with a quoted space"),
        pytest.param({"not": {"$ref": "#/allOf/1"}, "allOf": [{}, MONEY]}, id="a pointer into a list"),
        pytest.param({"not": {"$ref": "#m"}, "$defs": {"x": {**MONEY, "$anchor": "m"}}}, id="an anchor"),
        pytest.param({"not": {"$dynamicRef": "#m"}, "$defs": {"x": {**MONEY, "$dynamicAnchor": "m"}}}, id="a dynamic one"),
        pytest.param({"not": {"$ref": "money"}, "$defs": {"x": {**MONEY, "$id": "money"}}}, id="an id"),
        pytest.param({"$id": "http://e.com/r", "not": {"$ref": "/m"}, "$defs": {"x": {**MONEY, "$id": "http://e.com/m"}}},
                     id="an id below an id"),
        pytest.param({"$id": "http://e.com/r", "not": {"$ref": "r#/$defs/x"}, "$defs": {"x": MONEY}}, id="its own id"),
        pytest.param({"not": {"$id": "sub", "$ref": "#/$defs/x", "$defs": {"x": MONEY}}}, id="a resource of its own"),
        pytest.param({"not": {"$ref": "sub#a"}, "$defs": {"s": {"$id": "sub", "$defs": {"x": {**MONEY, "$anchor": "a"}}}}},
                     id="an anchor in another resource"),
    ],
)  # fmt: skip
def test_target(schema: Any) -> None:
    document = StrictReferences(schema)
    (target,) = document.schemas(schema["not"])
    assert target["title"] == "money"


def test_the_root() -> None:
    schema: dict[str, Any] = {"not": {"$ref": "#"}}
    assert StrictReferences(schema).schema(schema["not"]) is schema


def test_an_id_that_is_a_fragment_is_an_anchor_in_old_dialects() -> None:
    schema: Any = {"not": {"$ref": "#m"}, "definitions": {"x": {**MONEY, "$id": "#m"}}}
    assert StrictReferences(schema, DIALECTS["draft7"]).schema(schema["not"])["title"] == "money"


@pytest.mark.parametrize(
    "reference, says",
    [
        pytest.param("#/$defs/none", "does not resolve", id="to nothing"),
        pytest.param("#none", "no such anchor", id="to no anchor"),
        pytest.param("other.json", "outside the document", id="to a file"),
        pytest.param("http://example.com/x", "outside the document", id="to the network"),
        pytest.param("http://[", "outside the document", id="to a broken address"),
        pytest.param(5, "must be a string", id="to a number"),
        pytest.param("#/$defs/list/01", "does not resolve", id="to an index with a zero before it"),
    ],
)
def test_references_that_lead_nowhere(reference: Any, says: str) -> None:
    schema = {"not": {"$ref": reference}, "$defs": {"list": [1]}}
    with pytest.raises(SchemaError, match=says):
        StrictReferences(schema).schema(schema["not"])


def test_an_id_that_two_schemas_have_leads_to_neither() -> None:
    schema: Any = {"not": {"$ref": "x"}, "$defs": {"a": {"$id": "x", "type": "string"}, "b": {"$id": "x"}}}
    with pytest.raises(SchemaError, match=r"\$ref 'x': there are two such \$id"):
        StrictReferences(schema).schema(schema["not"])


def test_an_anchor_that_two_schemas_have_leads_to_neither() -> None:
    schema: Any = {"not": {"$ref": "#x"}, "$defs": {"a": {"$anchor": "x"}, "b": {"$anchor": "x"}}}
    with pytest.raises(SchemaError, match="there are two such anchors"):
        StrictReferences(schema).schema(schema["not"])


def test_a_dynamic_reference_across_resources_is_refused_rather_than_guessed() -> None:
    schema: Any = {"not": {"$dynamicRef": "#m"}, "$defs": {"x": {"$id": "x", "$dynamicAnchor": "m"}}}
    with pytest.raises(SchemaError, match="different places"):
        StrictReferences(schema).schema(schema["not"], "$dynamicRef")
