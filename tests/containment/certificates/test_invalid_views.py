"""A certificate whose view is no schema of its dialect is refused, by what is wrong with it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from each import each
from proofs import certificate

from babelreg.containment.certificates.checker import CertificateRefused, check
from babelreg.containment.certificates.content import VERSION
from babelreg.schema.dialects import DIALECTS

WRONG: list[dict[str, Any]] = [
    {"required": "a"}, {"required": ["a", 1]}, {"properties": []}, {"properties": {"a": 1}}, {"patternProperties": ["a"]},
    {"minimum": "1"}, {"multipleOf": 0}, {"type": "strin"}, {"type": ["string", "strin"]}, {"type": {"enum": ["string"]}},
    {"minLength": -1}, {"maxItems": "2"}, {"enum": "ab"}, {"allOf": {}}, {"anyOf": []}, {"oneOf": [1]}, {"not": []},
    {"items": "string"}, {"uniqueItems": "yes"}, {"pattern": 1}, {"additionalProperties": "no"}, {"dependencies": {"a": 1}},
    {"definitions": {"a": {"type": "strin"}}},
]  # fmt: skip


def of_equal_views(schema: Any, dialect: str) -> dict[str, Any]:
    """A certificate that a schema contains itself."""
    views = {"inner": schema, "outer": copy.deepcopy(schema)}
    of = {"version": VERSION, "dialect": dialect, "formats": False, "readings": {"ecma": 0, "python": 0}, "tables": []}
    return {**of, **views, "steps": [["same", [0, 1], []]]}


@each("dialect", DIALECTS)
@each("wrong", WRONG, ids=str)
def test_a_view_that_is_no_schema_of_its_dialect_is_refused(wrong: dict[str, Any], dialect: str) -> None:
    within = {"properties": {"a b": wrong}, "required": ["a b"]}
    named = {"properties": {"b": {"$ref": "#/$defs/a%20b"}}, "$defs": {"a b": {"properties": {"a": wrong}}}}
    for schema in (wrong, within, {"$ref": "#/definitions/a", "definitions": {"a": wrong}}, named):
        with pytest.raises(CertificateRefused, match=f"not a schema of {dialect}: ") as refused:
            check(of_equal_views(schema, dialect))
        assert refused.value.step is None
        assert len(str(refused.value)) < 400


@pytest.mark.parametrize("dialect", ["draft4", "draft6", "draft7"])
def test_what_an_older_dialect_does_not_know_is_not_looked_at(dialect: str) -> None:
    for ignored in ({"dependentRequired": {"a": 1}}, {"$defs": {"a": {"type": "strin"}}}, {"prefixItems": "a"}):
        schema = {"required": ["a"], **ignored}
        DIALECTS[dialect].validator_for(schema)
        made = certificate(schema, {**schema, "minProperties": 1}, DIALECTS[dialect])
        assert made is not None
        check(made)


def test_the_refusal_names_the_view_and_the_place() -> None:
    made = certificate({"type": "string"}, {"properties": {"a": {"type": "integer"}}})
    assert made is not None
    made["outer"]["properties"]["a"]["type"] = "strin"
    with pytest.raises(
        CertificateRefused, match=r"the outer view is not a schema of draft2020-12: /properties/a/type: "
    ):
        check(made)
