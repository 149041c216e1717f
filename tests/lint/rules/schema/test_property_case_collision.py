from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

InData = Callable[..., list[str]]
RULE = "property-case-collision"


@pytest.mark.parametrize(
    "properties, found",
    [
        pytest.param("orderId: {}\norderID: {}", ["orderID"], id="another capital"),
        pytest.param("id: {}\nID: {}\nId: {}", ["ID", "Id"], id="three of them"),
        pytest.param("a: {properties: {x: {}, X: {}}}", ["a.X"], id="deeper"),
        pytest.param("a: {items: {properties: {x: {}, X: {}}}}", ["a.X"], id="in a list"),
        pytest.param('"caf\\u00e9": {}\n"cafe\\u0301": {}', ["cafe\u0301"], id="letters composed in two ways"),
        pytest.param('"\\u00c4": {}\n"\\u00e4": {}', ["\u00e4"], id="letters beyond ASCII"),
        pytest.param('"\\u0131": {}\n"\\u0130": {}', ["\u0130"], id="an i without a dot, and a capital with one"),
        pytest.param('"\\u00df": {}\nss: {}', ["ss"], id="letters that are two in capitals"),
    ],
)
def test_names_that_are_one_to_others_are_reported(properties: str, found: list[str], in_data: InData) -> None:
    assert in_data(RULE, properties) == found


@pytest.mark.parametrize(
    "properties",
    [
        pytest.param("order_id: {}\norderid: {}", id="a separator between"),
        pytest.param("x: {properties: {a: {}}}\ny: {properties: {A: {}}}", id="in two objects"),
        pytest.param("a: {enum: [x, X]}", id="values"),
        pytest.param("a: {required: [x, X]}", id="required alone"),
        pytest.param("a: {$defs: {x: {}, X: {}}}", id="definitions"),
        pytest.param("patternProperties: {properties: {x: {}}}", id="a property named properties"),
    ],
)
def test_other_names_are_not(properties: str, in_data: InData) -> None:
    assert in_data(RULE, properties) == []


def test_names_that_look_alike_are_told_apart(findings: Callable[..., list[Finding]]) -> None:
    block = 'urn: urn:babel:orders:created\ndata: {properties: {"caf\\u00e9": {}, "cafe\\u0301": {}}}\n'
    (found,) = findings(block, RULE)
    assert found.message.endswith(r"composed in two ways, 'cafe\u0301' and 'caf\xe9'")
