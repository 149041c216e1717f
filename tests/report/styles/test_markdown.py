from __future__ import annotations

import re

import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from babelreg.finding import Finding, FragmentUse, Hurt, Place, Severity
from babelreg.report import RunInfo
from babelreg.report.styles import markdown

PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
SIGNS = st.text("|`<>&*_[]()!~#@\\$^:/ -+=.whtps1\n\t{}\"'x", max_size=40)


def test_the_wording(findings, run_info, golden):
    golden("report.md", markdown.render(findings, run_info=run_info))


def cells(text: str) -> list[str]:
    """The cells of the table's body as HTML."""
    page = PARSER.render(text)
    return re.findall(r"<td>(.*?)</td>", page, re.DOTALL)


def shown(html: str) -> str:
    """What a reader sees of HTML that has no markup but ours."""
    from html import unescape

    return unescape(re.sub(r"</?(code|strong)>|<br>", "", html)).replace("\u200b", "")


@settings(deadline=None)
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


TAGS = {"code", "strong", "br", "details", "summary"}


@settings(max_examples=fewer(50), deadline=None)
@given(said=st.lists(SIGNS, min_size=9, max_size=9))
def test_whoever_is_hurt_is_text_too(said):
    hurt = Hurt(said[0], "consumer", said[1], said[2], said[3], (said[4],), said[5])
    finding = Finding(
        "r",
        Severity.ERROR,
        "m",
        Place("a"),
        fix=said[6],
        breaks=tuple(said),
        hurts=(hurt,),
        messages=(FragmentUse(*said[7:]),),
    )
    text = markdown.render([finding], run_info=RunInfo(notes=tuple(said)))
    (_, cell) = cells(text)
    assert {tag.strip("</>") for tag in re.findall(r"<[^>]*>", cell)} <= TAGS
    assert [cell.count(tag) for tag in ("<details>", "</details>", "<summary>", "</summary>")] == [1, 1, 1, 1]
    assert not re.search(r"://|www\.|@[a-z]|#\d", re.sub(r"&#\d+;", " ", text))
    assert [len(re.findall(f"<{tag}[ >]", PARSER.render(text))) for tag in ("h3", "p", "table", "sub")] == [1, 1, 1, 1]
    assert not re.search("<(ul|ol|li|pre|hr|blockquote|h[12456])", PARSER.render(text))


def details_of(finding: Finding) -> tuple[str, str]:
    """The line that is shown of what is folded away, and what is."""
    found = re.search("<details><summary>(.*)</summary>(.*)</details>", cells(markdown.render([finding]))[1])
    assert found
    return found[1], found[2]


def hurt(service: str, reads: tuple[str, ...] | None = None) -> Hurt:
    return Hurt(service, "consumer", "relies on it", reads=reads)


@pytest.mark.parametrize(
    "hurts, messages, direction, line",
    [
        pytest.param([hurt("lake")], 0, None, "hurts lake", id="one service"),
        pytest.param([hurt("lake"), hurt("lake")], 2, None, "breaks 2 messages; hurts lake", id="messages"),
        pytest.param([hurt(f"s{n}") for n in range(9)], 1, None, "breaks 1 message; hurts s0, s1, s2, s3 and 5 more",
                     id="many"),
        pytest.param([hurt("lake", ()), hurt("crm", ("a",))], 0, None, "hurts crm", id="who reads other fields is not"),
        pytest.param([hurt("lake", ())], 0, "backward", "hurts lake", id="unless it refuses the whole message"),
        pytest.param([hurt("")], 0, "backward", "whom it breaks", id="nobody that is declared"),
    ],
)  # fmt: skip
def test_whom_it_hurts_is_folded_away_below_one_line(hurts, messages, direction, line) -> None:
    uses = tuple(FragmentUse(f"urn:babel:a:m{n}", "f") for n in range(messages))
    finding = Finding(
        "r", Severity.ERROR, "m", Place("a"), fix="f", breaks=("b1", "b2"), hurts=tuple(hurts), messages=uses,
        direction=direction,
    )  # fmt: skip
    shown_line, folded = details_of(finding)
    assert shown_line == line
    assert folded.endswith("breaks: b1<br>breaks: b2")
    assert "<br>fix: f<details>" in cells(markdown.render([finding]))[1]


def test_what_it_was_compared_with_is_said() -> None:
    run_info = RunInfo("babelreg breaking", notes=("compared with 742573cc (main)", "1 waived"))
    assert markdown.render([], run_info=run_info).endswith("\n\n<sub>compared with 742573cc (main); 1 waived</sub>\n")


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
    waste = (Hurt("&" * 900, "consumer", "refuses it"),) * 4
    many = [
        Finding("r", Severity.ERROR, "&" * 3000, Place(f"a{n}.yaml", n, 1), fix="x" * 3000, hurts=waste)
        for n in range(1, 101)
    ]
    text = markdown.render(many)
    assert len(text) <= 65_000
    rows = len(cells(text)) // 2
    assert 0 < rows < 100
    assert text.endswith(f"\n{100 - rows} more are left out here; `--format text` prints them all.\n")


def test_nothing_found_is_said() -> None:
    assert markdown.render([], run_info=RunInfo("babelreg lint", checked="3 messages")) == (
        "### babelreg lint: no findings in 3 messages\n"
    )
