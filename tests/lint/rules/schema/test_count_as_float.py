from __future__ import annotations

from collections.abc import Callable

import pytest

InData = Callable[..., list[str]]
RULE = "count-as-float"


@pytest.mark.parametrize(
    "field",
    [
        "item_count: {type: number}",
        "itemCount: {type: number, minimum: 0}",
        "count: {type: [number, 'null']}",
        "number_of_seats: {type: number}",
        "numOfRetries: {type: number}",
        "attempts: {type: number}",
        "retries: {type: number, default: 3}",
    ],
)
def test_a_count_as_a_number_is_reported(field: str, in_data: InData) -> None:
    assert in_data(RULE, field) == [field.partition(":")[0]]


@pytest.mark.parametrize(
    "field",
    [
        "item_count: {type: integer}",
        "item_count: {type: string}",
        "item_count: {type: number, multipleOf: 1}",
        "avg_count: {type: number}",
        "count_per_hour: {type: number}",
        "estimated_count: {type: number}",
        "quantity: {type: number}",
        "discount: {type: number}",
        "account: {type: number}",
        "country: {type: number}",
        "count_weight: {type: number}",
        "count: {type: number, examples: [2.5]}",
        "count: {type: [number, string]}",
        "counts: {type: object, additionalProperties: {type: string}}",
    ],
)
def test_what_may_be_a_fraction_is_not(field: str, in_data: InData) -> None:
    assert in_data(RULE, field) == []
