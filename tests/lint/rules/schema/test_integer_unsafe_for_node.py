from __future__ import annotations

from collections.abc import Callable

import pytest

InData = Callable[..., list[str]]

NODE = "consumers: [storefront]\n"
GO = "consumers: [billing-worker]\n"


@pytest.mark.parametrize(
    "field, found",
    [
        pytest.param("n: {type: integer}", [], id="unbounded says nothing"),
        pytest.param("n: {type: integer, maximum: 9007199254740991}", [], id="the largest"),
        pytest.param("n: {type: integer, maximum: 9007199254740992}", ["n.maximum"], id="one more"),
        pytest.param("n: {type: integer, minimum: -9007199254740991}", [], id="the smallest"),
        pytest.param("n: {type: integer, format: int64}", ["n"], id="a 64-bit format"),
        pytest.param("n: {type: integer, format: int64, maximum: 1000}", [], id="a 64-bit format with a bound"),
        pytest.param("n: {type: integer, format: int32}", [], id="a 32-bit format"),
        pytest.param("created_at_ns: {type: integer}", ["created_at_ns"], id="a time in nanoseconds"),
        pytest.param("latency_ns: {type: integer}", [], id="a short time in nanoseconds"),
        pytest.param("created_at_ms: {type: integer}", [], id="a time in milliseconds"),
        pytest.param("n: {type: integer, examples: [9007199254740993]}", ["n.examples.0"], id="listed"),
        pytest.param("n: {type: string}", [], id="a string"),
    ],
)
def test_integer_unsafe_for_node(field: str, found: list[str], in_data: InData) -> None:
    assert in_data("integer-unsafe-for-node", field, more=NODE) == found
    assert in_data("integer-unsafe-for-node", field, more=GO) == []


def test_an_example_shows_that_large_values_are_meant(in_data: InData) -> None:
    more = f"{NODE}examples: [{{n: 9007199254740993}}]\n"
    assert in_data("integer-unsafe-for-node", "n: {type: integer}", more=more) == ["n"]


def test_the_consumer_may_be_named_in_the_service_file(in_data: InData) -> None:
    more = "# file: _services/web.yaml\nlang: node\nconsumes:\n  - urn: urn:babel:orders:created\n"
    assert in_data("integer-unsafe-for-node", "n: {type: integer, format: int64}", more=more) == ["n"]


def test_a_fragment_counts_for_all_who_refer_to_it(in_data: InData) -> None:
    fragments = """\
# file: _common/a.yaml
type: object
properties:
  b: {$ref: b.yaml}
# file: _common/b.yaml
type: integer
format: int64
"""
    field = "a: {$ref: ../_common/a.yaml}"
    assert in_data("integer-unsafe-for-node", field, more=NODE + fragments) == [""]
    assert in_data("integer-unsafe-for-node", field, more=GO + fragments) == []
