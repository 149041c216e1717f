"""Suggestions for misspelt words."""

from __future__ import annotations

from pathlib import Path

import pytest

import babelreg
from babelreg.suggest import closest, likely_typo

WORDS = ["orders", "order", "customers", "payment"]


@pytest.mark.parametrize(
    "word, cutoff, found",
    [
        pytest.param("oders", 0.6, "orders", id="a letter is missing"),
        pytest.param("orders", 0.6, "orders", id="a known word is closest to itself"),
        pytest.param("pay", 0.6, "payment", id="the first half of a word"),
        pytest.param("pay", 0.75, None, id="the first half of a word is below a higher cutoff"),
        pytest.param("xyz", 0.6, None, id="nothing in common"),
        pytest.param("orders" * 50, 0.0, None, id="a word too long to compare"),
    ],
)
def test_the_closest_word_is_suggested(word, cutoff, found):
    assert closest(word, WORDS, cutoff) == found


@pytest.mark.parametrize(
    "urn, found",
    [
        pytest.param("urn:babel:oders:created", "urn:babel:orders:created", id="a letter of the context is missing"),
        pytest.param("urn:babel:orders:create", "urn:babel:orders:created", id="a letter of the name is missing"),
        pytest.param("urn:babel:orders:zebra", None, id="another name of the same context"),
        pytest.param("urn:babel:zebra:created", None, id="the same name of another context"),
        pytest.param("urn:babel:orders", None, id="no name"),
    ],
)
def test_equal_parts_do_not_make_urns_alike(urn, found):
    assert closest(urn, ["urn:babel:media:thumbnail.made", "urn:babel:orders:created"]) == found


@pytest.mark.parametrize(
    "word, found",
    [
        pytest.param("costumers", "customers", id="two letters swapped"),
        pytest.param("orders", "order", id="never the word itself"),
        pytest.param("pay", None, id="too short for a typo of it"),
        pytest.param("orders" * 50, None, id="a word too long to compare"),
    ],
)
def test_a_likely_typo_has_a_similar_length_and_most_letters(word, found):
    assert likely_typo(word, WORDS) == found


def test_no_other_module_compares_words_by_itself():
    package = Path(babelreg.__file__).parent
    users = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if "get_close_matches" in path.read_text()
    }
    assert users == {"suggest.py"}
