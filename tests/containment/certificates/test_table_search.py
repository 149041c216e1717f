"""The search for tables of patterns, and that automata say what a search by the pattern says."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.containment.certificates import pattern_tables
from babelreg.containment.certificates.table_search import table_of


def matches(pattern: str, text: str) -> bool | None:
    return pattern_tables.matches(pattern, "ecma", text)


def no_string_left(
    matching: list[str], none_of: list[str] | None = None, least: int = 0, most: int | None = None, *, but: Any = ()
) -> bool:
    """True if a table shows that no string matches all of some patterns and none of others; it is verified."""
    patterns = (tuple((pattern, "ecma") for pattern in patterns) for patterns in (matching, none_of or []))
    table, _ = table_of(*patterns, tuple(but), least, most)
    if table is not None:
        pattern_tables.verify(table)
    return table is not None


TEXTS = ["".join(t) for n in range(4) for t in itertools.product("ab01x-.]_\n", repeat=n)]


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "^[a-b]+$",
            "ab|x0$",
            r"^\d{2,3}$",
            "^(a|b)*x?$",
            "[A-Za-b]{2}-",
            r"^\u0061\.[^x\-]$",
            "a.b",
            "x{2}?0",
            r"^[\w-]+$",
        ),
        *(
            "^$",
            "",
            "(ab)+?",
            r"\S",
            r"^[\]a]$",
            "^a{0,2}$",
            "^.{2,}$",
            r"[\s\d]x",
            "(?:a|b0)$",
            "^[^ab]",
            r"\x61",
            r"\u{62}$",
        ),
    ],
)
def test_an_automaton_finds_what_the_pattern_finds(pattern: str) -> None:
    # Python calls the end of a text before a line feed $ too, which ECMA-262 does not.
    python = pattern.replace("$", r"\Z").replace(r"\u{62}", "b")
    for text in TEXTS:
        assert matches(pattern, text) == bool(re.search(python, text)), text


@pytest.mark.parametrize(
    "but, nothing",
    [
        pytest.param(["a", "b"], True, id="both are left out of account"),
        pytest.param(["a"], False, id="one is left"),
        pytest.param(["a\n", "b"], False, id="a line feed makes it another text"),
    ],
)
def test_single_texts_are_left_out_of_account(but: list[str], nothing: bool) -> None:
    assert no_string_left(["^[ab]$"], but=but) is nothing


def test_the_empty_text_is_left_out_of_account_too() -> None:
    assert no_string_left(["^$"], but=[""])
    assert not no_string_left(["^a?$"], but=[""])


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("(?=a)b", id="look-ahead"),
        pytest.param("(?<=a)b", id="look-behind"),
        pytest.param(r"(a)\1", id="a back-reference"),
        pytest.param(r"\bа", id="a word boundary"),
        pytest.param(r"\p{Lu}", id="a property of Unicode"),
        pytest.param("a^b", id="an anchor in the middle"),
        pytest.param("(^a|b$)", id="anchors in a group"),
        pytest.param("(", id="half a group"),
        pytest.param("[a", id="half a set"),
        pytest.param("a{2", id="half a repetition"),
        pytest.param("[b-a]", id="a range backwards"),
        pytest.param("a{3,1}", id="a repetition backwards"),
        pytest.param("[[:alpha:]]", id="a class of POSIX"),
        pytest.param("a{9999}", id="many repetitions"),
        pytest.param("(a{90}){90}", id="repetitions of repetitions"),
        pytest.param("a**", id="two quantifiers"),
        pytest.param(r"\<a", id="the start of a word"),
        pytest.param("[a-z--b]", id="a difference of sets"),
        pytest.param("[a||b]", id="a union of sets"),
        pytest.param(r"[\d-x]", id="a range from a class"),
        pytest.param("(?i)a", id="a flag"),
        pytest.param("\\—", id="an escape beyond ASCII"),
        pytest.param("\\", id="half an escape"),
    ],
)
def test_what_engines_disagree_on_or_no_automaton_can_do_is_not_read(pattern: str) -> None:
    assert matches(pattern, "ab") is None
    assert not no_string_left([pattern])
    assert not no_string_left(["^a$"], [pattern])


@pytest.mark.parametrize(
    "matching, none_of, least, most, nothing",
    [
        pytest.param(["^[a-z]+$"], ["^[a-z0-9]+$"], 0, None, True, id="all letters are letters or digits"),
        pytest.param(["^[a-z0-9]+$"], ["^[a-z]+$"], 0, None, False, id="not all of those are letters"),
        pytest.param(["^a"], ["a$"], 0, 1, True, id="one letter is first and last"),
        pytest.param(["^a", "^b"], [], 0, None, True, id="two beginnings"),
        pytest.param([".+"], [], 0, 0, True, id="nothing is too short"),
        pytest.param([], [".+"], 1, None, False, id="a line feed is no dot"),
        pytest.param([".{3}"], [".{2}"], 0, None, True, id="dots are the same on both sides"),
        pytest.param(["^.$"], [r"^[^\n]$"], 0, None, True, id="no dot is a line feed"),
        pytest.param([r"^[^\n]$"], ["^.$"], 0, None, True, id="all but a line feed is a dot"),
        pytest.param([r"^\d$"], ["^[0-9]$"], 0, None, True, id="digits are those of ASCII"),
        pytest.param([r"^\d$"], [r"^\w$"], 0, None, True, id="digits are word characters"),
        pytest.param(
            [r"^\s$"], [r"^[ \t\n\v\f\r\u00a0\ufeff]$"], 0, None, False, id="there are more spaces than a few"
        ),
        pytest.param([r"^[\u2000-\u200a\u3000]$"], [r"^\s$"], 0, None, True, id="the spaces of typography"),
        pytest.param([r"^\u200b$"], [r"^\s$"], 0, None, False, id="a space without width is none"),
        pytest.param(
            [r"^[^A-Za-z0-9_\u0660-\u0669]$"], [r"^\W$"], 0, None, True, id="all but the ASCII word is no word"
        ),
        pytest.param([r"^\W$"], [r"^[^\u00e0-\u00ff]$"], 0, None, False, id="letters with accents are no word"),
        pytest.param([r"^[\u{10000}-\u{10ffff}]$"], ["^.$"], 0, 1, True, id="an astral character is one character"),
        pytest.param([], [], 0, None, False, id="everything is left"),
    ],
)
def test_what_is_left(matching: list[str], none_of: list[str], least: int, most: int | None, nothing: bool) -> None:
    assert no_string_left(matching, none_of, least, most) is nothing


_ATOMS = st.sampled_from(["a", "b", "[ab]", "[^a]", ".", "0", "x-"])
_PIECES = st.builds("{}{}".format, _ATOMS, st.sampled_from(["", "*", "+", "?", "{1,2}"]))
_BODIES = st.lists(_PIECES, min_size=1, max_size=3).map("".join)
patterns = st.builds("{}{}{}".format, st.sampled_from(["^", ""]), _BODIES, st.sampled_from(["$", ""]))


@settings(max_examples=150, deadline=None)
@given(wide=patterns, narrow=patterns)
def test_no_text_is_left_where_none_is_said_to_be(wide: str, narrow: str) -> None:
    if no_string_left([narrow], [wide]):
        for text in TEXTS:
            assert not (matches(narrow, text) and not matches(wide, text))
