from __future__ import annotations

from collections.abc import Callable

import pytest

InData = Callable[..., list[str]]


@pytest.mark.parametrize(
    "field, found",
    [
        pytest.param("paid: {type: boolean}", [], id="a boolean"),
        pytest.param("paid: {enum: [0, 1]}", ["paid"], id="0 and 1"),
        pytest.param("paid: {type: integer, enum: [1, 0]}", ["paid"], id="1 and 0"),
        pytest.param("paid: {type: string, enum: ['true', 'false']}", ["paid"], id="texts"),
        pytest.param("paid: {type: string, enum: ['False', 'True']}", ["paid"], id="texts with capitals"),
        pytest.param("paid: {enum: ['0', '1']}", ["paid"], id="texts of digits"),
        pytest.param("paid: {enum: ['true', 'false', null]}", ["paid"], id="texts or null"),
        pytest.param("paid: {enum: [true, false]}", [], id="booleans listed"),
        pytest.param("paid: {enum: [0, 1, 2]}", [], id="three values"),
        pytest.param("answer: {enum: ['yes', 'no']}", [], id="an answer"),
        pytest.param("priority: {enum: [0, 1]}", [], id="a priority"),
        pytest.param("winner: {enum: [0, 1]}", [], id="one of two sides"),
        pytest.param("is_winner: {enum: [0, 1]}", ["is_winner"], id="a question about a side"),
        pytest.param("party: {enum: [0, 1], description: '0 = buyer, 1 = seller'}", [], id="a code"),
        pytest.param("paid: {enum: [0, 1], description: '0: no, 1: yes'}", ["paid"], id="a code for yes and no"),
        pytest.param("is_gift: {type: integer, minimum: 0, maximum: 1}", ["is_gift"], id="bounds and a question"),
        pytest.param("isGift: {type: integer, minimum: 0, maximum: 1}", ["isGift"], id="a question in camel case"),
        pytest.param("quantity: {type: integer, minimum: 0, maximum: 1}", [], id="bounds of a quantity"),
        pytest.param("is_gift: {type: integer, examples: [0, 1]}", ["is_gift"], id="examples"),
        pytest.param("is_gift: {type: integer}", [], id="a question with an unknown answer"),
        pytest.param("is_valid_probability: {type: number, minimum: 0, maximum: 1}", [], id="a probability"),
        pytest.param("flag: {type: string, pattern: '^(true|false)$'}", ["flag"], id="a pattern"),
        pytest.param("flag: {type: string, pattern: '^[01]$'}", ["flag"], id="a pattern of digits"),
        pytest.param("bits: {type: string, pattern: '^[01]+$'}", [], id="a pattern of many digits"),
        pytest.param("island: {type: integer, minimum: 0, maximum: 1}", [], id="a word that begins like a question"),
    ],
)
def test_boolean_not_json(field: str, found: list[str], in_data: InData) -> None:
    assert in_data("boolean-not-json", field) == found
