"""A reference into a keyword that no dialect knows: nothing there was read by the dialect, so nothing is proved."""

from __future__ import annotations

import pytest

from babelreg.breaking.containment.certificates import checker
from babelreg.breaking.containment.certificates.prove import prove
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
    assert prove(elsewhere, outer, known, formats=True)["readings"] == []


def test_the_checker_refuses_such_a_reference():
    part = {"definitions": {"a": {"enum": [1]}}, "x-parts": {"a": {"const": 1}}}
    made = prove({**part, "$ref": "#/definitions/a"}, {"enum": [1]}, DIALECTS["draft4"], formats=True)
    inner = {**part, "$ref": "#/x-parts/a"}
    with pytest.raises(checker.CertificateRefused, match="not among the facts"):
        checker.check({**made["certificate"], "inner": inner, "outer": {"enum": [1]}})
