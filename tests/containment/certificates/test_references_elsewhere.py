"""A reference into a keyword that no dialect knows: nothing there was read by the dialect, so nothing is proved."""

from __future__ import annotations

from typing import Any

import pytest
from proofs import certificate, is_subschema

from babelreg.containment.certificates import checker
from babelreg.schema.dialects import DIALECTS


@pytest.mark.parametrize(
    "dialect, inner, outer, document",
    [
        pytest.param(
            "draft7", {"dependentRequired": {"a": ["b"]}}, {"dependencies": {"a": ["b"]}}, {"a": 1}, id="a newer keyword"
        ),
        pytest.param("draft4", {"const": 1}, {"enum": [1]}, 2, id="const in draft-04"),
        pytest.param(
            "draft2020-12",
            {"prefixItems": [{}], "additionalItems": False},
            {"maxItems": 1},
            [1, 2],
            id="an older keyword",
        ),
    ],
)  # fmt: skip
def test_what_a_dialect_ignores_is_no_fact_wherever_a_reference_leads(dialect, inner, outer, document):
    elsewhere = {"$ref": "#/x-parts/a", "x-parts": {"a": inner}}
    known = DIALECTS[dialect]
    assert known.validator_for(elsewhere).is_valid(document)
    assert not known.validator_for(outer).is_valid(document)
    assert not is_subschema(elsewhere, outer, known, formats=True)


def test_the_checker_refuses_such_a_reference():
    part = {"definitions": {"a": {"enum": [1]}}, "x-parts": {"a": {"const": 1}}}
    made = certificate({**part, "$ref": "#/definitions/a"}, {"enum": [1]}, DIALECTS["draft4"], formats=True)
    inner = {**part, "$ref": "#/x-parts/a"}
    with pytest.raises(checker.CertificateRefused, match="not among the facts"):
        checker.check({**made, "inner": inner})


@pytest.mark.parametrize("draft", list(DIALECTS))
def test_a_reference_that_a_property_demands_is_followed_once(draft: str) -> None:
    keyword = "dependencies" if DIALECTS[draft].ref_alone else "dependentSchemas"
    inner = {
        "type": "object",
        "required": ["a"],
        keyword: {"a": {"$ref": "#/definitions/with_b"}},
        "definitions": {"with_b": {"required": ["b"]}},
    }
    assert is_subschema(inner, {"required": ["b"]}, DIALECTS[draft])
    assert not is_subschema(inner, {"required": ["c"]}, DIALECTS[draft])


@pytest.mark.parametrize("draft", list(DIALECTS))
def test_a_recursive_union_is_proved_by_induction_in_few_steps(draft: str) -> None:
    def schema(*more: str) -> dict[str, object]:
        nodes = [{"type": "object", "properties": {f"k{n}": {"$ref": "#"}}, "required": [f"k{n}"]} for n in range(12)]
        return {"anyOf": [{"type": "string"}, *nodes, *({"type": name} for name in more)]}

    assert is_subschema(schema(), schema("null"), DIALECTS[draft], steps=3_000)
    assert not is_subschema(schema("null"), schema(), DIALECTS[draft], steps=3_000)


CIRCLE: dict[str, Any] = {
    "$ref": "#/definitions/a",
    "definitions": {"a": {"$ref": "#/definitions/b"}, "b": {"$ref": "#/definitions/a"}},
}
LIST: dict[str, Any] = {"$ref": "#/definitions/a", "definitions": {"a": {"$ref": "#/definitions/b"}, "b": {
    "type": "object", "properties": {"next": {"$ref": "#/definitions/a"}}}}}  # fmt: skip
ENDLESS = {**LIST, "definitions": {**LIST["definitions"], "b": {**LIST["definitions"]["b"], "required": ["next"]}}}


@pytest.mark.parametrize("draft", list(DIALECTS))
@pytest.mark.parametrize(
    "inner, outer, contained",
    [
        pytest.param(ENDLESS, LIST, True, id="a chain of references that comes back below a property"),
        pytest.param(LIST, {"type": "object"}, True, id="a chain of references"),
        pytest.param(LIST, ENDLESS, False, id="a property is required all the way down"),
        pytest.param({"type": "object"}, LIST, False, id="a property may be no object"),
        pytest.param({"type": "object"}, CIRCLE, False, id="a circle in the outer schema"),
        pytest.param(CIRCLE, {"type": "object"}, False, id="a circle in the inner schema"),
    ],
)
def test_chains_of_references_are_followed_to_their_end(draft: str, inner: Any, outer: Any, contained: bool) -> None:
    assert is_subschema(inner, outer, DIALECTS[draft]) is contained
