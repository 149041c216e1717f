from __future__ import annotations

import random
import re
from collections.abc import Iterable
from typing import Any

import jsonschema_rs
import pytest

from babelreg.containment.certificates import pattern_tables
from babelreg.containment.certificates.pattern_tables import Automaton, TableRefused, automaton, matches, verify
from babelreg.containment.certificates.table_search import table_of

PATTERNS = [
    *(
        r"^[a-z]+$",
        r"a|b$",
        r"^\d{2,4}x?$",
        r"^(ab|c)*$",
        r"\w\s",
        r"^[^a-c\d]{3}",
        r"^a{2,}b{0,2}$",
        r"^$",
        "",
        r"a.c",
    ),
    *(r"^\u0041\x42\.$", r"^[\w.-]+@[\w-]+\.com$", r"^(a|b|)c$", r"^x{0}y$", r"^(a?){3}$", r"^[a-]$", r"[\s\S]", r"\W"),
    *(r"^(?:[ab]{1,2}|c+?)$", r"^\S+$", r"^[^\s]$", r"\D\-", r"^[\]\[]+$", r"^a*?b+$", r"é", r"^[à-ÿ]+$"),
]
TEXT = "abcxy019 .-@\n\té٣Ax\x00B_[]\u2003\ufeffcom"


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_is_read_as_the_two_engines_read_it(pattern: str) -> None:
    chance = random.Random(1)
    ecma = jsonschema_rs.Draft7Validator({"pattern": pattern})
    for _ in range(400):
        text = "".join(chance.choice(TEXT) for _ in range(chance.randrange(7)))
        assert matches(pattern, "ecma", text) is ecma.is_valid(text), text
        assert matches(pattern, "python", text) is bool(re.search(pattern, text)), text


EVERY_LETTER = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))


def letters(ranges: Iterable[tuple[int, int]]) -> str:
    """The letters with codes in the ranges, each with its last code: no surrogates, as no text has them."""
    place = [
        (code if code < 0xD800 else max(code - 0x800, 0xD800)) for both in ranges for code in (both[0], both[1] + 1)
    ]
    return "".join(EVERY_LETTER[first:end] for first, end in zip(place[::2], place[1::2], strict=True))


@pytest.mark.parametrize("letter", "dDwWsS")
def test_the_classes_hold_for_every_code_point(letter: str) -> None:
    ecma, whole = (
        jsonschema_rs.Draft7Validator({"pattern": text}).is_valid for text in (f"\\{letter}", f"^\\{letter}*$")
    )
    engines = {
        "ecma": (ecma, whole),
        "python-sender": (re.compile(rf"\{letter}").search, re.compile(rf"\{letter}*").fullmatch),
    }
    for reading, (found_in, all_of) in engines.items():
        machine = automaton(f"^\\{letter}$", reading)
        assert machine is not None
        members = sorted(machine.sets[1])
        ends = [-1, *(code for both in members for code in both), 0x110000]
        others = letters((end + 1, first - 1) for end, first in zip(ends[::2], ends[1::2], strict=True))
        assert len(letters(members)) + len(others) == len(EVERY_LETTER)
        assert not found_in(others)
        assert all_of(letters(members))
        assert not all_of(EVERY_LETTER)


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "a$b",
            "(?=a)",
            r"\b",
            "(?i)a",
            "[]a]",
            "a**",
            "a{2}{3}",
            "x{,3}",
            r"\p{L}",
            "(?P<n>a)",
            "a^",
            "(a$)",
            "(?<n>a)",
        ),
        *(
            r"[a-\d]",
            r"[\d-z]",
            "[z-a]",
            r"\1",
            r"\ud83d",
            "a{3,2}",
            "[[:alpha:]]",
            "[a&&b]",
            "a++",
            "a{99999}",
            "(",
            "]",
        ),
    ],
)
def test_what_engines_read_differently_is_not_read(pattern: str) -> None:
    assert automaton(pattern, "ecma") is None


@pytest.mark.parametrize("pattern", ["((){3000}){3000}", "^(((){99}){99}){99}$", "((a{0}){3000}){3000}"])
def test_nothing_is_not_repeated_without_end(pattern: str) -> None:
    assert automaton(pattern, "ecma") is None


def test_an_automaton_has_a_bounded_number_of_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = 0
    built = Automaton._built

    def counted(self: Automaton, term: Any) -> Any:
        nonlocal terms
        terms += 1
        return built(self, term)

    monkeypatch.setattr(Automaton, "_built", counted)
    assert automaton("x|((){2999}){2999}", "ecma") is None
    assert terms == pattern_tables.MOST_TERMS + 1


def claim(*matching: str, none_of: tuple[str, ...] = (), reading: str = "ecma", **bounds: Any) -> dict[str, Any]:
    readings = {"matching": tuple((p, reading) for p in matching), "none_of": tuple((p, reading) for p in none_of)}
    return {**readings, **bounds}


TRUE = [
    pytest.param(claim("^[a-c]{2}$", none_of=("^[a-z]+$",)), id="a class within a class"),
    pytest.param(claim("^a", "^b"), id="two beginnings"),
    pytest.param(claim("^[ab]$", but=("a", "b")), id="all strings are listed"),
    pytest.param(claim("^[a-z]+$", none_of=("^[a-z]{1,5}$",), most=5), id="a length bounds a repetition"),
    pytest.param(claim("^a{3,}$", most=2), id="too short for a pattern"),
    pytest.param(claim(r"^\d+$", none_of=(r"^\w+$",), reading="python"), id="digits are letters to Python"),
    pytest.param(claim("b", none_of=("b|c",)), id="searched for anywhere"),
]


@pytest.mark.parametrize("lemma", TRUE)
def test_a_table_shows_a_claim(lemma: dict[str, Any]) -> None:
    table, _ = table_of(**lemma)
    assert table is not None
    verify(table)


@pytest.mark.parametrize("lemma", TRUE)
def test_a_damaged_table_is_refused(lemma: dict[str, Any]) -> None:
    table, _ = table_of(**lemma)
    assert table is not None
    for at in range(len(table["rows"])):
        with pytest.raises(TableRefused):
            verify({**table, "rows": [row for n, row in enumerate(table["rows"]) if n != at]})
    for wrong in ({"all": []}, {"none": [], "but": [], "most": None}):
        weaker = {**table, **wrong}
        if len(weaker["all"] + weaker["none"] + weaker["but"]) < len(table["all"] + table["none"] + table["but"]):
            with pytest.raises(TableRefused):
                verify(weaker)


def test_a_claim_that_a_string_refutes_has_no_table() -> None:
    chance, true = random.Random(5), 0
    for _ in range(300):
        matching, none_of = chance.sample(PATTERNS, 2)
        reading = chance.choice(["ecma", "python", "python-sender"])
        lemma = claim(matching, none_of=(none_of,), reading=reading)
        table, _ = table_of(**lemma)
        if table is None:
            continue
        verify(table)
        true += 1
        for _ in range(100):
            text = "".join(chance.choice(TEXT) for _ in range(chance.randrange(6)))
            assert not (matches(matching, reading, text) and not matches(none_of, reading, text)), (lemma, text)
    assert true > 10
