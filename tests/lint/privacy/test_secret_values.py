"""The search for tokens looks at every text that has the shape of one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.lint.privacy.secret_values import _SHAPES, may_have_token, token

ADDRESS = r"[a-z]{2,8}://[a-z]{1,8}:[a-z0-9]{4,12}@[a-z]{1,12}"


@pytest.mark.parametrize("shape", [*_SHAPES.values(), ADDRESS], ids=[*_SHAPES, "password in an address"])
@settings(max_examples=10)
@given(data=st.data())
def test_a_text_with_a_token_is_searched(shape: str, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(shape, fullmatch=True))
    assert may_have_token(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("urn:babel:orders:line-item.created", id="a URN"),
        pytest.param("2026-11-20T09:31:12Z", id="a time"),
        pytest.param("An order was accepted, and its payment is due.", id="a sentence"),
        pytest.param("../_common/address.yaml", id="a reference"),
    ],
)
def test_most_texts_are_not_searched(text: str) -> None:
    assert not may_have_token(text)
    assert token(text) is None
