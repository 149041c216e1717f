"""What a person sees of a witness."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.breaking.check.witness_format import abbreviated, value_at

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
        pytest.param(ORDER, [], '{"order_id": 1042, "total": …, "lines": …, "email": …}', id="the names of the whole"),
        pytest.param(ORDER, ["total", "tax"], "a message without 'total.tax'", id="a place not there"),
        pytest.param({"a": "x" * 256}, ["a"], '{"a": "xxxxxxxxxx… (256 characters)"}', id="a long text"),
        pytest.param({"a": list(range(99))}, ["a"], '{"a": [… 99 items]}', id="a long list"),
        pytest.param({f"n{n}": n for n in range(99)}, [], '{"n0": 0, "n1": 1, "n2": 2, "n3": 3, "n4": 4, "n5": 5, …}',
                     id="many names"),
        pytest.param(None, [], "null", id="null"),
    ],
)  # fmt: skip
def test_what_is_shown(document: Any, at: list[str | int], shown: str) -> None:
    assert abbreviated(document, at) == shown


@pytest.mark.parametrize(
    "at, shown",
    [
        pytest.param(["total", "minor"], "9990", id="a value"),
        pytest.param(["lines"], "[… 2 items]", id="a long value"),
        pytest.param(["total", "tax"], '{"minor": 9990, "currency": "EUR"}', id="the parent of one that is not there"),
    ],
)
def test_the_value_alone(at: list[str | int], shown: str) -> None:
    assert value_at(ORDER, at, 36) == shown


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
    assert shown == json.dumps(document, ensure_ascii=False) or "…" in shown or "without" in shown
