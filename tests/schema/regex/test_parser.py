"""The reading of regular expressions, held against an engine."""

from __future__ import annotations

import re

import pytest
from each import each
from hypothesis import given
from hypothesis import strategies as st

from babelreg.schema.regex.parser import (
    MOST_CHARACTERS,
    Chars,
    Sequence,
    parse,
)

CHARACTERS = "aAzZ09_-. \t\n/\\]^é"


def takes(pattern: str, character: str) -> bool:
    node = parse(pattern).node
    assert isinstance(node, Sequence)
    (item,) = node.items
    assert isinstance(item, Chars)
    return any(low <= ord(character) <= high for low, high in item.ranges)


@each(
    "pattern",
    [
        r"a",
        r"[a-z]",
        r"[^a-z]",
        r"[a-zA-Z0-9_-]",
        r"[-a]",
        r"[a-]",
        r"[\w.]",
        r"[^\d]",
        r"\d",
        r"\D",
        r"\.",
        r"\/",
        r"[\]\\^]",
        r"[\t\n]",
        r"\x41",
        r"\u0041",
        r"[A\-Z]",
    ],
)
@each("character", CHARACTERS)
def test_a_set_has_what_an_engine_says_it_has(pattern: str, character: str) -> None:
    assert takes(pattern, character) is (re.fullmatch(pattern, character, re.ASCII) is not None)


@given(st.text(alphabet="ab()[]{}|*+?^$.\\-,0123:=!<>&dwsbupxk", max_size=30))
def test_any_text_is_read_or_not_and_nothing_else(text: str) -> None:
    regex = parse(text)
    assert all(text[use.at : use.at + len(use.text)] == use.text for use in regex.uses)


@pytest.mark.parametrize(
    "pattern",
    ["(", ")", "a)", "[a", "*", "a**", "(?", "(?<n", "\\", "a" * (MOST_CHARACTERS + 1), "(" * 100 + ")" * 100],
)
def test_what_cannot_be_read_is_left_alone(pattern: str) -> None:
    assert parse(pattern).node is None
