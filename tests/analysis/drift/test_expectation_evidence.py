"""Evidence of expectations: each keyword, and agreement with the validator that judges each value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inferred import sketched

from babelreg.analysis.drift.expectation_evidence import SketchEvidence, evidence
from babelreg.schema.dialects import DEFAULT

X = ["EUR", "USD"]


@pytest.mark.parametrize(
    "values, expected, result",
    [
        pytest.param(X, {"enum": X}, SketchEvidence(0, 2), id="members"),
        pytest.param([*X, "GBP", "GBP"], {"enum": X}, SketchEvidence(2, 4), id="a member more"),
        pytest.param([*X, None], {"enum": X}, SketchEvidence(1, 3), id="null beside texts"),
        pytest.param(["a b"], {"enum": X}, None, id="texts that are not kept"),
        pytest.param([1, 2], {"enum": X}, SketchEvidence(2, 2), id="numbers for texts"),
        pytest.param([1, 2], {"enum": [1]}, None, id="members that are numbers"),
        pytest.param([True, True], {"const": True}, None, id="one of two booleans"),
        pytest.param([True, False], {"enum": [True, False, None]}, SketchEvidence(0, 2), id="both booleans"),
        pytest.param(X, {"enum": X, "x-open-enum": True}, None, id="an open enumeration"),
        pytest.param([1, 1.0, "a"], {"type": "integer"}, SketchEvidence(1, 3), id="types"),
        pytest.param([1, 1.0, 1.5], {"type": "integer"}, SketchEvidence(1, 3, exact=False), id="numbers, some of them whole"),
        pytest.param([1, 1.5], {"type": "number"}, SketchEvidence(0, 2), id="an integer is a number"),
        pytest.param([0, 5], {"minimum": 0}, SketchEvidence(0, 2), id="no number is negative"),
        pytest.param([0, -5], {"minimum": 0}, None, id="a bound that was crossed"),
        pytest.param([0, 5], {"minimum": 3}, None, id="a bound that no sketch decides"),
        pytest.param([[], [1]], {"minItems": 1}, None, id="lengths of lists"),
        pytest.param([[], []], {"minItems": 1}, SketchEvidence(2, 2), id="only empty lists"),
        pytest.param([[], [1]], {"minItems": 0}, SketchEvidence(0, 2), id="a bound that bounds nothing"),
        pytest.param([[1], ["a"]], {"items": {"type": "integer"}}, SketchEvidence(1, 2, exact=False), id="items"),
        pytest.param([{"a": 1}, {}], {"required": ["a"]}, SketchEvidence(1, 2), id="presence"),
        pytest.param([{"a": 1}, {"b": 1}, {"a": 1, "b": 1}], {"required": ["a", "b"]}, SketchEvidence(2, 3), id="presence of two"),
        pytest.param([{"4711": 1}], {"required": ["4711"]}, None, id="presence of a name that is data"),
        pytest.param([{"a": "EUR"}, {"a": "GBP"}], {"properties": {"a": {"enum": X}}}, SketchEvidence(1, 2), id="below"),
        pytest.param(["2026-11-20", "2026-11-21"], {"format": "date"}, SketchEvidence(0, 2), id="a format that all texts have"),
        pytest.param(["2026-11-20", "no date"], {"format": "date"}, None, id="a format that some lack"),
        pytest.param(["abc", "de"], {"maxLength": 2}, SketchEvidence(1, 2), id="texts that are kept"),
        pytest.param(["abc", "de"], {"pattern": "^a"}, SketchEvidence(1, 2), id="a pattern"),
        pytest.param(["a", 1], {"type": "string", "minimum": 3}, SketchEvidence(1, 2, exact=False), id="one keyword of two is decided"),
        pytest.param([1], {"not": {}}, None, id="a keyword that no sketch decides"),
        pytest.param([1], {"$ref": "#"}, None, id="a reference"),
        pytest.param([1], True, SketchEvidence(0, 1), id="true"),
        pytest.param([1], False, SketchEvidence(1, 1), id="false"),
        pytest.param([1], {"description": "any"}, SketchEvidence(0, 1), id="annotations"),
    ],
)  # fmt: skip
def test_a_keyword_is_decided_where_the_sketch_tells(values, expected, result):
    assert evidence(sketched(values), expected) == result


SCALARS = st.sampled_from([None, True, False, 0, 1, -1, 1.0, 2.5, "EUR", "USD", "GBP", "no member", "2026-11-20"])
NAMES = st.sampled_from(["a", "b", "c", "4711"])
VALUES = st.recursive(
    SCALARS, lambda below: st.lists(below, max_size=3) | st.dictionaries(NAMES, below, max_size=3), max_leaves=6
)
TYPES = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])


def keywords(below):
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.lists(TYPES, min_size=1, max_size=3, unique=True),
            "enum": st.lists(SCALARS, min_size=1, max_size=3),
            "const": SCALARS,
            "minimum": st.sampled_from([-1, 0, 1]),
            "minItems": st.integers(0, 2),
            "maxItems": st.integers(0, 2),
            "minLength": st.integers(0, 4),
            "pattern": st.sampled_from(["^E", "U"]),
            "format": st.sampled_from(["date", "uuid"]),
            "required": st.lists(NAMES, max_size=2, unique=True),
            "properties": st.dictionaries(NAMES, below, max_size=2),
            "items": below,
            "allOf": st.lists(below, min_size=1, max_size=2),
        },
    )


SCHEMAS = st.recursive(st.booleans(), keywords, max_leaves=4).flatmap(lambda inner: keywords(st.just(inner)))


@given(st.lists(VALUES, max_size=6), SCHEMAS)
def test_evidence_agrees_with_the_validator(values, expected):
    found = evidence(sketched(values), expected)
    if found is None:
        return
    validator = DEFAULT.validator_for(expected)
    failed = sum(not validator.is_valid(value) for value in values)
    assert found.values == len(values)
    assert found.failed == failed if found.exact else 0 < found.failed <= failed
