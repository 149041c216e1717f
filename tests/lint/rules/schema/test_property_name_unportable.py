from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]
RULE = "property-name-unportable"


@pytest.mark.parametrize(
    "name, fix",
    [
        pytest.param("order id", "rename it to order_id", id="a space"),
        pytest.param("Total (EUR)", "rename it to total_eur", id="brackets"),
        pytest.param("a,b", "rename it to a_b", id="a comma"),
        pytest.param("a;b", "rename it to a_b", id="a semicolon"),
        pytest.param("a=b", "rename it to a_b", id="an equals sign"),
        pytest.param("a\\tb", "rename it to a_b", id="a tab"),
        pytest.param("a\\nb", "rename it to a_b", id="a line break"),
        pytest.param(" ", "rename it to letters, digits and underscores", id="nothing else"),
    ],
)
@pytest.mark.parametrize("around", ["{}", "{{a: {{type: object, properties: {}}}}}"], ids=["at the top", "deeper"])
def test_what_columns_do_not_take_is_reported(name: str, fix: str, around: str, findings: Lint) -> None:
    properties = around.format(f'{{"{name}": {{type: integer}}}}')
    block = f"urn: urn:babel:orders:created\ndata: {{type: object, properties: {properties}}}\n"
    assert [f.fix for f in findings(block, RULE)] == [fix]


@pytest.mark.parametrize(
    "name", ["order_id", "orderId", "order-id", "order.id", "@type", "$id", "a:b", "a/b", "größe", "x%", "${a b}"]
)
def test_other_names_are_not(name: str, findings: Lint) -> None:
    block = f'urn: urn:babel:orders:created\ndata: {{type: object, properties: {{"{name}": {{type: integer}}}}}}\n'
    assert findings(block, RULE) == []


def test_values_and_patterns_are_no_columns(in_data: Callable[..., list[str]]) -> None:
    assert in_data(RULE, "a: {enum: [x y], patternProperties: {'a b': {type: string}}}") == []
