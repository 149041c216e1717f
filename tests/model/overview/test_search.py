"""Search over messages: the order of hits, and words that nothing matches."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelreg import load
from babelreg.model.overview import overviews, search

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def messages():
    return overviews(load.from_tree(load.folder(ROOT / "registry.example")))


@pytest.mark.parametrize(
    "words, urn, where",
    [
        pytest.param(["registered"], "urn:babel:customers:registered", ("urn",), id="a word of the URN"),
        pytest.param(["EMAIL"], "urn:babel:notifications:email.welcome.send", ("urn",), id="the URN before a field"),
        pytest.param(["sku"], "urn:babel:orders:created.v2", ("field lines[].sku",), id="a field"),
        pytest.param(["team-media", "url"], "urn:babel:media:thumbnail.generate", None, id="two words"),
        pytest.param(["crm", "birth"], "urn:babel:customers:registered", None, id="a service and a part of a field"),
        pytest.param(["curency", "refund"], "urn:babel:orders:cancelled", None, id="a misspelt word"),
    ],
)
def test_the_best_match_comes_first(messages, words, urn, where):
    best = search(messages, words).hits[0]
    assert best.message.urn == urn
    assert where is None or best.where == where


def test_a_misspelt_word_is_replaced_by_the_most_similar_one(messages):
    assert search(messages, ["curency"]).words == ("currency",)


def test_every_word_must_occur(messages):
    assert search(messages, ["currency", "thumbnail"]).hits == ()


def test_nothing_similar_is_no_hit(messages):
    assert search(messages, ["zzzzzzzz"]).hits == ()
