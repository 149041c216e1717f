"""Where references by text lead: to what both validators find, or nowhere.

The checker of certificates trusts this resolver, so a target that a validator does not see would be a false proof.
"""

from __future__ import annotations

import itertools
from typing import Any

import jsonschema
import pytest
from each import each
from jsonschema_specifications import REGISTRY

from babelreg.errors import SchemaError
from babelreg.schema.dialects import DIALECTS, Dialect
from babelreg.schema.local_references import LocalReferences, StrictReferences
from babelreg.schema.pointer import Pointer

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
NAMES = {"$id": "#foo", "id": "#foo", "$anchor": "foo", "$dynamicAnchor": "foo"}
MAPS = ("definitions", "$defs", "properties", "patternProperties", "dependentSchemas", "dependencies")
LISTS = ("allOf", "anyOf", "oneOf", "prefixItems", "enum", "examples")
ONES = (
    *("not", "if", "then", "else", "additionalProperties", "additionalItems", "contains", "propertyNames", "items"),
    *("unevaluatedItems", "unevaluatedProperties", "contentSchema", "x-d", "foo", "default", "const"),
)


def accepts(schema: Any, document: Any, dialect: Dialect) -> tuple[bool | None, bool | None]:
    """The answers of jsonschema-rs and of jsonschema; None where one cannot use the schema."""
    answers: list[bool | None] = []
    peer = getattr(jsonschema, dialect.validator)
    for judge in (
        lambda: dialect.validator_for(schema, formats=False).is_valid(document),
        lambda: peer(schema, registry=REGISTRY).is_valid(document),
    ):
        try:
            answers.append(bool(judge()))
        except Exception:  # whatever it raises, it cannot use the schema
            answers.append(None)
    return answers[0], answers[1]


def judged(schema: dict[str, Any], reference: str, dialect: Dialect) -> str:
    """What both validators demand of a value where ``reference`` applies: "text", "number", or "" without agreement."""
    asking = {**schema, "properties": {**schema.get("properties", {}), "q": {"$ref": reference}}}
    text, number = accepts(asking, {"q": "a"}, dialect), accepts(asking, {"q": 1}, dialect)
    if text == (True, True) and number == (False, False):
        return "text"
    return "number" if text == (False, False) and number == (True, True) else ""


def resolved(schema: dict[str, Any], reference: str) -> str:
    """What the target of ``reference`` demands, through further references; "" where there is none."""
    references, target = LocalReferences(schema), LocalReferences(schema).target(reference)
    while target is not None and "$ref" in target[1]:
        target = references.target(target[1]["$ref"])
    return "" if target is None else {"string": "text", "integer": "number"}[target[1]["type"]]


@each("dialect", DIALECTS.values(), ids=lambda dialect: dialect.name)
@each("first, second", [*itertools.permutations([*NAMES, ""], 2)])
def test_names_count_in_their_dialects_only(dialect: Dialect, first: str, second: str) -> None:
    spelled = [({keyword: NAMES[keyword]} if keyword else {}) for keyword in (first, second)]
    definitions = {"a": {**spelled[0], **TEXT}, "b": {**spelled[1], **NUMBER}}
    schema = {"$schema": dialect.uri, "definitions": definitions}
    if None in accepts(schema, {}, dialect):  # from 2019-09 on, an $id of a fragment is an invalid schema
        assert not dialect.ref_alone
        assert "$id" in (first, second)
        return
    assert resolved(schema, "#foo") == judged(schema, "#foo", dialect)
    try:
        target = StrictReferences(schema).schema({"$ref": "#foo"})
        viewed = "text" if target["type"] == "string" else "number"
    except SchemaError:
        viewed = ""
    assert viewed == judged(schema, "#foo", dialect)


def placed(keyword: str, schema: Any) -> dict[str, Any]:
    return {keyword: {"p": schema} if keyword in MAPS else [schema] if keyword in LISTS else schema}


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda dialect: dialect.name)
def test_names_count_below_the_keywords_of_the_dialect(dialect: Dialect) -> None:
    name = "$anchor" if not dialect.ref_alone else dialect.identifier
    wrong = []
    for keyword in (*MAPS, *LISTS, *ONES):
        # Below a definition that nothing refers to, so that only the name counts.
        schema = {"$schema": dialect.uri, "definitions": {"d": placed(keyword, {name: NAMES[name], **TEXT})}}
        if resolved(schema, "#foo") != judged(schema, "#foo", dialect):
            wrong.append(keyword)
    assert wrong == []


D7, NEWEST = DIALECTS["draft7"].uri, DIALECTS["draft2020-12"].uri


@pytest.mark.parametrize(
    "schema, reference",
    [
        pytest.param({"a": {"$anchor": "foo", **TEXT}, "b": {"$anchor": "foo", **NUMBER}}, "#foo", id="one name twice"),
        pytest.param({"a": {"$id": "http://e/x", "$defs": {"b": {"$anchor": "foo", **TEXT}}}}, "#foo", id="a name of an embedded resource"),
        pytest.param({"a": {"$id": "http://e/x", "$defs": {"b": {"$anchor": "foo", **TEXT}}}}, "http://e/x#foo", id="a name there, with its address"),
        pytest.param({"a": {"$id": "http://e/x", "$defs": {"b": TEXT}}}, "http://e/x#/$defs/b", id="a pointer into an embedded resource"),
        pytest.param({"a": {"$id": "http://e/x", "$defs": {"b": {"$id": "y", **TEXT}}}, "c": {"$id": "y", **NUMBER}}, "y", id="a relative id below another id"),
        pytest.param({"a": {"$id": "http://e/x", "$defs": {"b": {"$id": "y", **TEXT}}}, "c": {"$id": "y", **NUMBER}}, "http://e/y", id="its full address"),
        pytest.param({"a": {"$schema": D7, "$id": "#foo", **TEXT}}, "#foo", id="a name in the dialect of its own $schema"),
        pytest.param({"a": {"$schema": D7, "$anchor": "foo", **TEXT}}, "#foo", id="a name that this dialect does not have"),
        pytest.param({"a": {"$recursiveAnchor": True, **TEXT}}, "#", id="$recursiveAnchor is not a name"),
        pytest.param({"a": {"$anchor": "foo", **TEXT}}, "#fo%6f", id="a name with a percent escape"),
        pytest.param({"a": TEXT}, "#/%24defs/a", id="a pointer with a percent escape"),
        pytest.param({"a": TEXT}, "#/$defs%2Fa", id="an escaped slash"),
        pytest.param({"a/": TEXT, "a~1": NUMBER}, "#/$defs/a%7E1", id="an escaped tilde"),
        pytest.param({"a%41": TEXT, "aA": NUMBER}, "#/$defs/a%2541", id="an escaped percent sign"),
        pytest.param({"a": {"allOf": [NUMBER, TEXT]}}, "#/$defs/a/allOf/-1", id="an index from the end"),
    ],
)  # fmt: skip
def test_references_lead_where_both_validators_find_the_target(schema: Any, reference: str) -> None:
    document = {"$schema": NEWEST, "type": "object", "$defs": schema}
    expected = judged(document, reference, DIALECTS["draft2020-12"])
    found = "" if reference == "#" else resolved(document, reference)
    assert found == expected


@pytest.mark.parametrize(
    "definition",
    [
        pytest.param({"a": {"$id": "#foo", "$ref": "#/definitions/b"}, "b": TEXT}, id="a name beside a $ref"),
        pytest.param({"z": {"$ref": "#/definitions/b", "properties": {"a": {"$id": "#foo", **TEXT}}}, "b": {}},
                     id="a name below a keyword that a $ref makes void"),
    ],
)  # fmt: skip
def test_a_ref_beside_it_does_not_hide_a_name_in_draft_7(definition: Any) -> None:
    document = {"$schema": D7, "definitions": definition}
    assert resolved(document, "#foo") == judged(document, "#foo", DIALECTS["draft7"]) == "text"


@pytest.mark.parametrize(
    "root, reference, pointer",
    [
        pytest.param({"$id": "http://e/r"}, "http://e/r", (), id="its own address"),
        pytest.param({"$id": "http://e/r#"}, "http://e/r", (), id="its own address, without the empty fragment"),
        pytest.param(
            {"$id": "http://e/r"}, "http://e/r#/$defs/a", ("$defs", "a"), id="a pointer after its own address"
        ),
        pytest.param({"$id": "r.json"}, "r.json#/$defs/a", ("$defs", "a"), id="a relative address"),
        pytest.param({"$id": "http://e/r"}, "r#/$defs/a", ("$defs", "a"), id="an address relative to its own"),
        pytest.param({}, "r#/$defs/a", None, id="another document"),
        pytest.param({}, "http://[", None, id="a broken address"),
    ],
)
def test_references_with_an_address(root: Any, reference: str, pointer: Pointer | None) -> None:
    found = LocalReferences({**root, "$defs": {"a": TEXT}}).target(reference)
    assert (found[0] if found else None) == pointer


@pytest.mark.parametrize(
    "reference, pointer",
    [
        pytest.param("#", (), id="the root"),
        pytest.param("#/$defs/a~1b", ("$defs", "a/b"), id="an escaped pointer"),
        pytest.param("#/$defs/c%25", ("$defs", "c%"), id="a quoted pointer"),
        pytest.param("#named", ("$defs", "n"), id="an anchor"),
        pytest.param("https://example.com/n", ("$defs", "i"), id="an identifier"),
        pytest.param("#/$defs/none", None, id="nothing"),
        pytest.param("#nobody", None, id="no anchor"),
        pytest.param(3, None, id="no text"),
        pytest.param("#/type", None, id="no schema"),
    ],
)
def test_local_references(reference: Any, pointer: Any) -> None:
    named = {"n": {"$anchor": "named"}, "i": {"$id": "https://example.com/n"}}
    references = LocalReferences({"type": "object", "$defs": {"a/b": {}, "c%": {}, **named}})
    found = references.target(reference)
    assert (found[0] if found else None) == pointer
