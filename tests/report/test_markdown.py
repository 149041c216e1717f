from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from babelreg.finding import Finding, Place, Severity
from babelreg.report import About, markdown

PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
SIGNS = st.text("|`<>&*_[]()!~#@\\$^:/ -+=.whtps1\n\t{}\"'x", max_size=40)


def test_the_wording(findings, about, golden):
    golden("report.md", markdown.render(findings, about=about))


def cells(text: str) -> list[str]:
    """The cells of the table's body as HTML."""
    page = PARSER.render(text)
    return re.findall(r"<td>(.*?)</td>", page, re.DOTALL)


def shown(html: str) -> str:
    """What a reader sees of HTML that has no markup but ours."""
    from html import unescape

    return unescape(re.sub(r"</?(code|strong)>|<br>", "", html)).replace("\u200b", "")


@given(message=SIGNS, path=SIGNS)
def test_whatever_stands_in_a_file_is_text(message, path):
    text = markdown.render([Finding("r", Severity.INFO, message, Place(path))])
    found = cells(text)
    assert len(found) == 2
    for cell in found:
        assert set(re.findall(r"<[^>]*>", cell)) <= {"<code>", "</code>", "<strong>", "</strong>", "<br>"}
    words = shown(found[1]).removeprefix("info").removesuffix("r").split()
    expected = message.replace("\n", "\\n").replace("\t", "\\t")
    paired = expected.count("`") % 2 == 0
    assert "".join(words) == "".join((expected.replace("`", "") if paired else expected).split())


@pytest.mark.parametrize(
    "said, html",
    [
        pytest.param("ask @babel/team", "ask @\u200bbabel/team", id="a mention"),
        pytest.param("fixes #12", "fixes #\u200b12", id="a reference"),
        pytest.param("`@babel/team`", "<code>@babel/team</code>", id="in code nobody is mentioned"),
        pytest.param("`a@b.example`", "<code>a@b.example</code>", id="an address in code"),
        pytest.param("urn:babel:key:sent", "<code>urn:babel:key:sent</code>", id="a URN with an emoji's name"),
        pytest.param("<img src=x onerror=a()>", "&lt;img src=x onerror=a()&gt;", id="HTML"),
        pytest.param("see https://a.example and www.b.example", "see https://a.example and www.b.example", id="links"),
        pytest.param("order_id and _x_", "order_id and _x_", id="underscores"),
        pytest.param("a | b", "a | b", id="a pipe"),
        pytest.param("one ` alone", "one ` alone", id="one backtick"),
    ],
)
def test_text_is_made_harmless(said: str, html: str) -> None:
    text = markdown.render([Finding("r", Severity.ERROR, said, Place("a"))])
    assert cells(text)[1] == f"<strong>error</strong> {html} <code>r</code>"
    # No renderer at hand makes links of bare addresses; what GitHub looks for is these.
    assert not re.search(r"://|www\.", text)


def test_a_document_fits_into_a_comment_and_says_what_it_left_out() -> None:
    many = [Finding("r", Severity.ERROR, "&" * 3000, Place(f"a{n}.yaml", n, 1), fix="x" * 3000) for n in range(1, 101)]
    text = markdown.render(many)
    assert len(text) <= 65_000
    rows = len(cells(text)) // 2
    assert 0 < rows < 100
    assert text.endswith(f"\n{100 - rows} more are left out here; `--format text` prints them all.\n")


def test_nothing_found_is_said() -> None:
    assert markdown.render([], about=About("babelreg lint", checked="3 messages")) == (
        "### babelreg lint: no findings in 3 messages\n"
    )
