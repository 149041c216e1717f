"""Samples match their patterns."""

from __future__ import annotations

import pytest

from babelreg.schema.regex.matching import matches
from babelreg.schema.regex.samples import samples


@pytest.mark.parametrize(
    "pattern",
    [
        "^[A-Z]{3}$",
        "^a|b$",
        "(foo|bar)+",
        "^\\d{4}-\\d\\d$",
        "[^a-z]",
        "^.{3,5}$",
        "\\w+@\\w+",
        "(?:x(?:y)?)*z",
        "[\\s-]",
        "^\\p{Lu}$",
        "^\\u{1F600}",
        "(?i)^[a-f]+$",
        "(?P<year>[0-9]{4})",
    ],
)
def test_every_text_matches(pattern: str) -> None:
    assert samples(pattern)
    assert all(matches(pattern, text) for text in samples(pattern))


@pytest.mark.parametrize("pattern", ["(", "a{99999999999999999999}", "(" * 5000 + ")" * 5000])
def test_what_cannot_be_read_gives_nothing(pattern: str) -> None:
    assert samples(pattern) == ()


@pytest.mark.parametrize("number", [1, 6, 7, 40, 60])
def test_every_branch_of_a_list_of_words_has_a_sample(number: int) -> None:
    words = [f"w{at}" for at in range(number)]
    assert set(words) <= set(samples(f"^({'|'.join(words)})$"))


def test_a_long_list_of_words_has_samples_of_both_ends() -> None:
    words = [f"w{at}" for at in range(200)]
    found = samples(f"^({'|'.join(words)})$")
    assert {words[0], words[5], words[-1], words[-50]} <= set(found)
    assert len(found) == 60


@pytest.mark.parametrize(
    "pattern, texts",
    [
        pytest.param("((){9999}){9999}b", ("b",), id="a group of nothing, again and again"),
        pytest.param("(x{20001}){0}y", ("y",), id="a group that is left out may be of any length"),
        pytest.param("((a{9999}){9999}){9999}", (), id="too long"),
        pytest.param("(ab){10000}", ("ab" * 10_000,), id="as long as a sample may be"),
        pytest.param("(ab){10000}c", (), id="a character longer"),
    ],
)
def test_a_group_is_written_once_however_often_it_is_repeated(pattern: str, texts: tuple[str, ...]) -> None:
    assert samples(pattern) == texts
