from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg import lint
from babelreg.lint.rules.schema import enum_duplicate
from babelreg.lint.scope import Scope
from babelreg.model import Edit, Registry

RULE = "enum-duplicate"
InData = Callable[..., list[str]]


def block(values: str) -> str:
    return f"urn: urn:babel:orders:created\ndata:\n  type: object\n  properties:\n    a: {{enum: {values}}}\n"


@pytest.mark.parametrize(
    "values, indexes",
    [
        pytest.param("[x, y, x]", [2], id="a text again"),
        pytest.param("[x, x, x]", [1, 2], id="three times"),
        pytest.param("[1, 1.0]", [1], id="a number in two spellings"),
        pytest.param("[null, null]", [1], id="null again"),
        pytest.param("[{a: 1, b: 2}, {b: 2, a: 1}]", [1], id="an object in another order"),
        pytest.param("[Paid, paid]", [1], id="another case"),
        pytest.param("[stra\u00dfe, STRASSE]", [1], id="another case beyond ASCII"),
    ],
)
def test_a_repeated_value_is_reported_where_it_is_repeated(values: str, indexes: list[int], in_data: InData) -> None:
    assert in_data(RULE, f"a: {{enum: {values}}}") == [f"a.{index}" for index in indexes]


@pytest.mark.parametrize(
    "values",
    [
        pytest.param("[x, y]", id="two texts"),
        pytest.param("[1, true, '1', 'true']", id="equal to weak languages alone"),
        pytest.param("[0, false, null, '']", id="all that is false to some"),
        pytest.param("[m, M, kb, KB]", id="units"),
        pytest.param("[1, 10]", id="two numbers"),
        pytest.param("[[1, 2], [2, 1]]", id="lists in another order"),
        pytest.param("[{a: x}, {a: X}]", id="objects that differ in the case of a value"),
    ],
)
def test_different_values_are_not(values: str, in_data: InData) -> None:
    assert in_data(RULE, f"a: {{enum: {values}}}") == []


def test_only_an_exact_repetition_is_taken_out(registry: Callable[[str], Registry]) -> None:
    scope = Scope(registry(block("[paid, Paid, paid]")))
    edits = [problem.edits for problem in enum_duplicate.check(scope)]
    assert edits == [(), (Edit("orders/created.yaml", "remove", ("data", "properties", "a", "enum", 2)),)]


def test_thousands_of_values_are_looked_at_once(registry: Callable[[str], Registry]) -> None:
    values = ", ".join(str(number) for number in range(20_000))
    assert [f for f in lint.run(registry(block(f"[{values}]"))) if f.rule == RULE] == []
