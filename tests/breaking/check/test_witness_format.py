"""What a person sees of a witness."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.breaking.check.witness_format import abbreviated, first_difference

ORDER: dict[str, Any] = {
    "order_id": 1042,
    "total": {"minor": 9990, "currency": "EUR"},
    "lines": [{"sku": "A-1", "qty": 1}, {"sku": "B-2", "qty": 0}],
    "email": "someone@example.com",
}


@pytest.mark.parametrize(
    "document, at, shown",
    [
        pytest.param({"order_id": 1042}, ["order_id"], '{"order_id": 1042}', id="a short one whole"),
        pytest.param(ORDER, ["lines", 1, "qty"], '{"lines": […, {"qty": 0, …}], …}', id="what is refused"),
        pytest.param(ORDER, ["total"], '{"total": {"minor": 9990, "currency": "EUR"}, …}', id="a value of several parts"),
        pytest.param(ORDER, [], '{"order_id": …, "total": …, "lines": …, "email": …}', id="the names of the whole"),
        pytest.param(ORDER, ["nowhere"], '{"order_id": …, "total": …, "lines": …, "email": …}', id="a place not there"),
        pytest.param({"a": "x" * 256}, ["a"], '{"a": "xxxxxxxxxx… (256 characters)"}', id="a long text"),
        pytest.param({"a": list(range(99))}, ["a"], '{"a": [… 99 items]}', id="a long list"),
        pytest.param({f"n{n}": n for n in range(99)}, [], '{"n0": …, "n1": …, "n2": …, "n3": …, "n4": …, "n5": …, …}',
                     id="many names"),
        pytest.param(None, [], "null", id="null"),
    ],
)  # fmt: skip
def test_what_is_shown(document: Any, at: list[str | int], shown: str) -> None:
    assert abbreviated(document, at) == shown


@pytest.mark.parametrize(
    "one, other, place",
    [
        pytest.param({"a": {"b": 1}, "c": 0}, {"a": {"b": ""}, "c": 0}, ["a", "b"], id="one value"),
        pytest.param({"a": [1, 2]}, {"a": [1, 3]}, ["a", 1], id="one item"),
        pytest.param({"a": 1, "b": 1}, {"a": 2, "b": 2}, [], id="two values"),
        pytest.param({"a": {"b": 1}}, {"a": {}}, ["a"], id="a name that one lacks"),
        pytest.param({"a": 1}, {"a": "", "b": 1}, ["a"], id="a value, and a name that one lacks"),
        pytest.param({}, {}, [], id="nothing"),
    ],
)
def test_where_two_documents_differ(one: Any, other: Any, place: list[str | int]) -> None:
    assert first_difference(one, other) == place


DOCUMENTS = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: st.one_of(st.lists(inner, max_size=9), st.dictionaries(st.text(), inner, max_size=9)),
    max_leaves=12,
)


@settings(deadline=None)
@given(DOCUMENTS, st.lists(st.text() | st.integers(0, 3)))
def test_it_fits_on_a_line_and_is_whole_or_has_dots(document: Any, at: list[str | int]) -> None:
    shown = abbreviated(document, at)
    assert len(shown) <= 200
    assert "\n" not in shown
    assert shown == json.dumps(document, ensure_ascii=False) or "…" in shown
