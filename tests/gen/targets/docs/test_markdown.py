from __future__ import annotations

import html
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.gen.targets.docs.markdown import (
    block,
    code,
    comment,
    fence,
    inline,
    relative,
    table,
)
from babelreg.typemap.names import visible

CHARACTERS = st.one_of(st.characters(), st.sampled_from("\\`*_[]()<>&|~$#+-=!.:\n\t1 ab"))
TEXTS = st.text(CHARACTERS, max_size=24)
LAW = settings(max_examples=150, deadline=None)


def rendered(markdown: str) -> str:
    renderer = pytest.importorskip("markdown_it")
    shown: str = renderer.MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(markdown)
    return shown


def squeezed(text: str) -> str:
    return " ".join(text.split())


@LAW
@given(TEXTS)
def test_a_paragraph_shows_the_text_and_nothing_else(text: str) -> None:
    written = inline(text)
    shown = rendered(f"x {written} x")
    assert re.fullmatch(r"<p>[^<]*</p>\n", shown), (written, shown)
    assert squeezed(html.unescape(shown[3:-5])) == squeezed(f"x {visible(text)} x")


@LAW
@given(TEXTS)
def test_a_text_that_begins_a_line_starts_no_heading_list_or_rule(text: str) -> None:
    written = inline(text)
    if written:
        shown = rendered(written)
        assert re.fullmatch(r"<p>[^<]*</p>\n", shown), (written, shown)
        assert html.unescape(shown[3:-5]) == squeezed(visible(text))


@LAW
@given(TEXTS, TEXTS)
def test_a_table_cell_shows_the_text_or_the_code(text: str, coded: str) -> None:
    shown = rendered(table(("A", "B", "C"), [(inline(text), code(coded), "end")]))
    cells = re.findall(r"<td>(.*?)</td>", shown, re.DOTALL)
    assert cells[-1] == "end", shown
    inner = re.fullmatch(r"<code>(.*)</code>", cells[-2], re.DOTALL)
    assert inner, (code(coded), cells)
    assert html.unescape(inner[1]) == visible(coded).replace("\n", "\\n")
    if len(cells) == 3:  # an empty column is left out
        assert html.unescape(cells[0]) == squeezed(visible(text))


@LAW
@given(TEXTS)
def test_a_comment_is_one_comment(text: str) -> None:
    written = comment(text)
    assert written.startswith("<!-- ")
    assert "--" not in written[4:-3]
    assert "\n" not in written


@LAW
@given(TEXTS)
def test_a_block_of_code_holds_all_of_its_text(text: str) -> None:
    shown = rendered(fence(visible(text), "text"))
    assert shown.startswith('<pre><code class="language-text">')
    assert shown.count("<pre>") == 1
    assert shown.endswith("</code></pre>\n")
    assert "<" not in shown[33:-14]


@pytest.mark.parametrize(
    "text, shown",
    [
        pytest.param("plain words, order_id 2.5 (100 %)", "plain words, order_id 2.5 (100 %)", id="plain text stays"),
        pytest.param("a | b", "a \\| b", id="a pipe"),
        pytest.param("1. first", "1\\. first", id="a list"),
        pytest.param("# heading", "\\# heading", id="a heading"),
        pytest.param("_a_ a_b_", "\\_a\\_ a_b\\_", id="underscores that would slant"),
        pytest.param("<b> &amp;", "&lt;b&gt; &amp;amp;", id="HTML"),
        pytest.param("two\n\nparagraphs", "two paragraphs", id="lines"),
        pytest.param("\u202egnp.exe", "\\\\u202egnp.exe", id="text that would run backwards"),
    ],
)
def test_text_in_a_line(text: str, shown: str) -> None:
    assert inline(text) == shown


def test_paragraphs_stay_apart() -> None:
    assert block("one\ntwo\n \n# three\n") == "one two\n\n\\# three"


@pytest.mark.parametrize(
    "page, other, way",
    [
        pytest.param("README.md", "orders/created.md", "orders/created.md", id="down"),
        pytest.param("orders/created.md", "README.md", "../README.md", id="up"),
        pytest.param("orders/created.md", "orders/created.v2.md", "created.v2.md", id="beside"),
        pytest.param("orders/created.md", "_services/crm.md", "../_services/crm.md", id="across"),
    ],
)
def test_a_link_leads_from_page_to_page(page: str, other: str, way: str) -> None:
    assert relative(page, other) == way


def test_a_column_that_is_empty_everywhere_is_left_out() -> None:
    assert table(("A", "B"), [("1", ""), ("2", "")]) == "| A |\n| --- |\n| 1 |\n| 2 |"
    assert table(("A", "B"), []) == ""
