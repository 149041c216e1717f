from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.typemap.names import pascal, singular, visible


@pytest.mark.parametrize(
    "many, one",
    [
        pytest.param("lines", "line", id="s"),
        pytest.param("addresses", "address", id="sses"),
        pytest.param("categories", "category", id="ies"),
        pytest.param("boxes", "box", id="xes"),
        pytest.param("status", "status", id="a singular in us"),
        pytest.param("address", "address", id="a singular in ss"),
        pytest.param("data", "data", id="no s"),
    ],
)
def test_an_item_is_called_by_the_singular(many: str, one: str) -> None:
    assert singular(many) == one


@pytest.mark.parametrize("code", [0x202E, 0x200B, 0x2028, 0xFEFF, 0xD800, 0x00, 0x85, 0xE0001])
def test_nothing_invisible_is_left(code: int) -> None:
    assert chr(code) not in visible(f"a{chr(code)}b")


@given(st.text())
def test_a_class_name_is_an_identifier(text: str) -> None:
    assert f"X{pascal(text)}".isidentifier()
    assert pascal(text).isascii()
