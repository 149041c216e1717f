from __future__ import annotations

import pytest

from babelreg.finding import Finding, Place, Severity
from babelreg.report.styles import text

FINDINGS = [
    Finding(
        "property-required",
        Severity.ERROR,
        "property 'total' became required",
        Place("orders/created.yaml", 14, 9),
        fix="make it optional again, or run `babelreg mint urn:babel:orders:created`",
        against=Place("main:orders/created.yaml", 13, 9),
        breaks=('orders-api (producer) may still send {"order_id": 1042}',),
    ),
    Finding("file-unreadable", Severity.WARNING, "this is a folder", Place("orders/paid.yaml")),
]
GOLDEN = """\
orders/created.yaml:14:9: error: property 'total' became required [property-required]
  against: main:orders/created.yaml:13:9
  breaks: orders-api (producer) may still send {"order_id": 1042}
  fix: make it optional again, or run `babelreg mint urn:babel:orders:created`
orders/paid.yaml: warning: this is a folder [file-unreadable]
"""


def test_the_wording() -> None:
    assert text.render(FINDINGS) == GOLDEN


def test_colour_changes_nothing_else() -> None:
    import re

    coloured = text.render(FINDINGS, colour=True)
    assert coloured != GOLDEN
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == GOLDEN


def test_nothing_found_is_nothing_printed() -> None:
    assert text.render([]) == ""


@pytest.mark.parametrize(
    "written, shown",
    [
        pytest.param("a\x1b[2Jb", "a\\x1b[2Jb", id="a terminal's escape"),
        pytest.param("a\nb\r", "a\\nb\\r", id="line ends"),
        pytest.param("a\u202eb", "a\\u202eb", id="right to left"),
        pytest.param("a\u200bb", "a\\u200bb", id="zero width"),
        pytest.param("a\x9bb", "a\\x9bb", id="a control of eight bits"),
        pytest.param("a\ud800b", "a\\ud800b", id="half a character"),
        pytest.param("größer 🙂 \\ '", "größer 🙂 \\ '", id="letters and signs stay"),
    ],
)
def test_what_files_hold_cannot_move_the_cursor(written: str, shown: str) -> None:
    finding = Finding("r", Severity.INFO, written, Place(written, 1, 1), fix=written, breaks=(written,))
    assert text.render([finding]) == f"{shown}:1:1: info: {shown} [r]\n  breaks: {shown}\n  fix: {shown}\n"


def test_a_long_line_is_not_cut() -> None:
    assert "x" * 5000 in text.render([Finding("r", Severity.INFO, "x" * 5000, Place("a"))])


def test_no_file_name_begins_a_line_with_a_command_to_github() -> None:
    assert (
        text.render([Finding("r", Severity.INFO, "m", Place("::add-mask::a", 1, 1))])
        == "./::add-mask::a:1:1: info: m [r]\n"
    )
