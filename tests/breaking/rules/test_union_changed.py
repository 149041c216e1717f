from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from babelreg.finding import Finding


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            {"anyOf": [{"type": "string"}]},
            ["'x' may no longer be 0 (anyOf)"],
            id="a branch is gone",
        ),
        pytest.param(
            {"anyOf": [{"type": "string"}]},
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            ["'x' may now be 0 (anyOf)"],
            id="a branch is new",
        ),
        pytest.param(
            {"oneOf": [{"type": "string"}, {"type": "integer"}]},
            {"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "number"}]},
            ["'x' may no longer be 0 (oneOf, because two variants accept it), and may now be 0.5 (oneOf)"],
            id="two branches admit the same",
        ),
        pytest.param(
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            [],
            id="another order",
        ),
    ],
)
def test_union_changed(old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    assert [f.message for f in data_breaks(old, new) if f.rule == "union-changed"] == found


TEXT: dict[str, Any] = {"type": "string"}


def card(**more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"by": {"const": "card"}, "number": TEXT, **more}, "required": ["by"]}


TRANSFER = {"type": "object", "properties": {"by": {"const": "transfer"}, "iban": TEXT}, "required": ["by"]}


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(
            {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"a": TEXT}}]},
            {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"a": {"type": "integer"}}}]},
            ["the type of 'x.a' changed from string to integer"],
            id="what is null or an object",
        ),
        pytest.param(
            {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"a": TEXT}}]},
            {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}]},
            ["property 'x.a' became required"],
            id="a property of what may be null",
        ),
        pytest.param(
            {"anyOf": [{"enum": ["a"]}, {"type": "null"}]},
            {"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]},
            ["value \"b\" of 'x' was added"],
            id="values that have no type said",
        ),
        pytest.param(
            {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]},
            {"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}]},
            ["value \"b\" of 'x' was added"],
            id="values of what may be null",
        ),
        pytest.param(
            {"oneOf": [TRANSFER, card()]},
            {"oneOf": [TRANSFER, card(number={**TEXT, "maxLength": 19})]},
            ["maxLength 19 was added to 'x.number'"],
            id="a variant with a tag",
        ),
        pytest.param(
            {"oneOf": [TRANSFER, card()]},
            {"oneOf": [TRANSFER]},
            ['\'x\' may no longer be {"by": "card"} (oneOf)'],
            id="a variant with a tag is gone",
        ),
        pytest.param(
            {"anyOf": [TRANSFER, {"type": "number"}]},
            {"anyOf": [TRANSFER, {"type": "number"}, {"type": "object", "required": ["cash", "till"]}]},
            ['\'x\' may now be {"cash": 0, "till": 0} (anyOf)'],
            id="a variant is new beside one that is not",
        ),
        pytest.param(
            {"anyOf": [card(), {"type": "object", "properties": {"number": {"type": "integer"}}}]},
            {"anyOf": [card(), {"type": "string"}]},
            ["'x' may no longer be {} (anyOf), and may now be \"\" (anyOf)"],
            id="a variant that became another, beside one that is not",
        ),
        pytest.param(
            {"type": "array"},
            {"anyOf": [{"type": "object"}, {"type": "array"}, {"type": "null"}]},
            ["the type of 'x' changed from array to object or array or null"],
            id="a union in place of a type",
        ),
        pytest.param(
            {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"anyOf": [{"required": ["a"]}, {"required": ["b", "c"]}]},
            ["'x' may no longer be {\"b\": 0} (anyOf)"],
            id="variants that nothing tells apart",
        ),
    ],
)
def test_the_variant_that_was_meant_names_the_change(
    old: Any, new: Any, found: list[str], data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    assert [f.message for f in data_breaks(old, new) if f.rule != "spark-type-changed"] == found


def test_what_changed_in_a_variant_is_shown_there(data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    (found,) = data_breaks({"oneOf": [TRANSFER, card()]}, {"oneOf": [TRANSFER, card(number={**TEXT, "maxLength": 19})]})
    assert found.pointer == "/data/properties/x/oneOf/1/properties/number/maxLength"
    same = {"properties": {"n": {"maximum": 5}}}
    old = {"oneOf": [{**same, "required": ["a"]}, {"required": ["b"], "properties": {"n": {"maximum": 9}}}]}
    new = {"oneOf": [{**same, "required": ["a"]}, {"required": ["b"], "properties": {"n": {"maximum": 7}}}]}
    messages = [finding.message for finding in data_breaks(old, new)]
    assert not any("from 5" in message for message in messages)


LEAVES = st.sampled_from(
    [
        TEXT,
        {"type": "integer"},
        {"enum": ["a", "b"]},
        {**TEXT, "maxLength": 5},
        {"const": "x"},
        {"type": ["string", "null"]},
    ]
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(lambda held: {"type": "object", "properties": held}, st.dictionaries(st.sampled_from("abc"), inner)),
        st.builds(
            lambda names, held: {"type": "object", "properties": dict.fromkeys("ab", held), "required": names},
            st.lists(st.sampled_from("ab"), unique=True),
            inner,
        ),
        st.builds(lambda word, several: {word: several}, st.sampled_from(["anyOf", "oneOf"]),
                  st.lists(inner, min_size=1, max_size=3)),
    ),
    max_leaves=6,
)  # fmt: skip


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(old=st.lists(SCHEMAS, min_size=1, max_size=3), edited=SCHEMAS, at=st.integers(0, 2))
def test_nothing_changed_to_what_it_was(
    old: list[Any], edited: Any, at: int, data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    new = [edited if n == at % len(old) else one for n, one in enumerate(old)]
    for finding in data_breaks({"anyOf": old}, {"anyOf": new}):
        said = re.search(r"changed from (.+) to (.+)$", finding.message)
        assert said is None or said[1] != said[2], finding.message


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param(
            card(note=TEXT),
            {"oneOf": [card(note=TEXT), TRANSFER]},
            [("union-changed", "forward")],
            id="an object became one variant of two",
        ),
        pytest.param(
            {"anyOf": [card(), TRANSFER]},
            card(),
            [("union-changed", "backward")],
            id="only one variant of two is left",
        ),
    ],
)
def test_keywords_that_a_variant_has_as_well_are_not_listed(
    old: Any, new: Any, found: list[Any], data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    assert [(f.rule, f.direction) for f in data_breaks(old, new)] == found


def test_the_properties_of_a_variant_go_with_it(data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    (finding,) = data_breaks(
        {"anyOf": [card(), {**TRANSFER, "properties": {**TRANSFER["properties"], "bic": TEXT}}]}, card()
    )
    assert finding.breaks[-1] == "properties 'x.iban' and 'x.bic' are removed with it"


def test_a_variant_is_named_by_the_only_value_it_lists(data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    def cell(kind: str, *required: str) -> dict[str, Any]:
        properties = {"kind": {"enum": [kind]}, "id": TEXT}
        return {"type": "object", "properties": properties, "required": ["kind", *required]}

    old, new = ({"oneOf": [cell("raw", *names), cell("code")]} for names in ([], ["id"]))
    (found,) = data_breaks(old, new)
    assert found.message == "property 'x.id' became required"


def test_a_large_value_is_told_by_its_names_and_its_variants(data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    def wide(title: str, *names: str) -> dict[str, Any]:
        numbers = {name: {"type": "integer"} for name in names}
        return {"title": title, "type": "object", "properties": numbers, "required": list(names)}

    names = [f"a_rather_long_name_{number}" for number in range(8)]
    old = {"anyOf": [wide("Long", *names), wide("Short", "a")]}
    (found,) = [each for each in data_breaks(old, {"anyOf": [wide("Short", "a")]}) if each.rule == "union-changed"]
    named = ", ".join(f"'{name}'" for name in names[:6])
    assert found.message == f"'x' may no longer be an object with {named} and 2 more (anyOf of Short)"
