"""Results in a notebook: counts as tables, and no text of anybody else as markup."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from babelreg.lake.ingest.thresholds import ExceededThreshold
from babelreg.spark import Compacted, Summary

EVIL = '<script src="https://evil.example/x.js">alert("1")</script><img onerror=x>&amp;\x1b[2J'


class Tags(HTMLParser):
    """Collects tags, attributes and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text += f" {data}"


HOSTILE = [
    pytest.param(
        Summary(EVIL, EVIL, 1, 1, 0, 3, 1, 1, 1, {EVIL: 1}, {EVIL: 1}, {EVIL: 1}, {EVIL: {EVIL: 1}}, {EVIL: EVIL}, EVIL,
                0, {EVIL: EVIL}, (ExceededThreshold(EVIL, EVIL, EVIL, 1, 1, {EVIL: 1}),), copies=(EVIL,)),
        id="a summary",
    ),
    pytest.param(Compacted(EVIL, 1, {EVIL: 2}, {EVIL: 3}), id="a compaction"),
]  # fmt: skip


@pytest.mark.parametrize("result", HOSTILE)
def test_every_text_is_escaped(result: Summary | Compacted) -> None:
    page = Tags(result._repr_html_())
    assert page.tags <= {"div", "p", "strong", "br", "table", "thead", "tbody", "tr", "th", "td"}
    assert page.attributes <= {"colspan"}
    assert '<script src="https://evil.example/x.js">' in page.text
    assert "\x1b" not in page.text


def test_a_summary_has_its_counts() -> None:
    summary = Summary("in", "lake", 3, 1, 0, 1_110, 1_000, 10, 100, {"urn:a": 1_000}, {"urn:a": 10}, {"poison": 100})
    text = Tags(summary._repr_html_()).text
    for words in ("Batch 3", "1,110 read = 1,000 accepted + 10 duplicates + 100 quarantined", "urn:a", "poison"):
        assert words in text


@pytest.mark.parametrize(
    "summary, title",
    [
        pytest.param(Summary("in", "lake"), "Nothing new", id="nothing new"),
        pytest.param(Summary("in", "lake", read=2, quarantined=2, held=True), "Batch held", id="a held batch"),
        pytest.param(Summary("in", "lake", read=2), "Nothing changed", id="a redrive that changes nothing"),
    ],
)
def test_a_run_without_a_batch_says_why(summary: Summary, title: str) -> None:
    assert title in Tags(summary._repr_html_()).text


def test_of_many_tables_the_largest_are_shown() -> None:
    tables = {f"urn:babel:a:t{number}": number for number in range(1, 101)}
    text = Tags(Summary("in", "lake", 1, tables=tables)._repr_html_()).text
    assert "urn:babel:a:t100" in text
    assert "urn:babel:a:t80" not in text
    assert "and 80 more" in text
