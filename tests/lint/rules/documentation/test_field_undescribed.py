from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]
BLOCK = "urn: urn:babel:orders:created\ndata:\n  type: object\n  properties:\n"


@pytest.mark.parametrize(
    "fields, found",
    [
        pytest.param(["a: {type: string}"], "fields without a description: 'a' (1 of 1)", id="one"),
        pytest.param(["a: {description: d}", "b: {}"], "fields without a description: 'b' (1 of 2)", id="one of two"),
        pytest.param(
            [f"{name}: {{}}" for name in "abcdefg"],
            "fields without a description: 'a', 'b', 'c', 'd', 'e', ... (7 of 7)",
            id="many",
        ),
        pytest.param(["a: {description: ' '}"], "fields without a description: 'a' (1 of 1)", id="a blank one"),
        pytest.param(
            ["a: {type: array, description: d, items: {properties: {b: {}}}}"],
            "fields without a description: 'b' (1 of 2)",
            id="in the items of a list",
        ),
        pytest.param(["a: {description: d}"], None, id="described"),
        pytest.param(["a: {title: What it is}"], None, id="titled"),
        pytest.param(["a: {$ref: ../_common/money.yaml}"], None, id="described by what it refers to"),
        pytest.param(["a: {allOf: [{description: d}]}"], None, id="described in a part"),
        pytest.param(["a: {const: 1}"], None, id="a constant says what it is"),
        pytest.param(["a: {type: array, description: d, items: {type: string}}"], None, id="items need none"),
        pytest.param(["properties: {description: d, type: array, items: {}}"], None, id="one named like the keyword"),
        pytest.param(["a: true"], None, id="no schema to describe it in"),
    ],
)
def test_field_undescribed(fields: list[str], found: str | None, findings: Lint) -> None:
    block = BLOCK + "".join(f"    {field}\n" for field in fields)
    block += "# file: _common/money.yaml\ntype: object\ndescription: An amount.\n"
    assert [f.message for f in findings(block, "field-undescribed")] == ([found] if found else [])


def test_a_shared_schema_is_a_file_of_its_own(findings: Lint) -> None:
    block = BLOCK + "    a: {$ref: ../_common/money.yaml}\n# file: _common/money.yaml\nproperties: {minor: {}}\n"
    assert [str(f.place) for f in findings(block, "field-undescribed")] == [
        "_common/money.yaml:1:14",
        "orders/created.yaml:5:5",
    ]
