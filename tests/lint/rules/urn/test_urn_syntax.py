from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "urn, column",
    [
        pytest.param("urn:babel:orders:created", None, id="two parts are fine"),
        pytest.param("urn:babel:orders:email.welcome.send", None, id="sub-parts are fine"),
        pytest.param("urn:babel:order-items:line_2.added-by-hand", None, id="hyphens underscores and digits are fine"),
        pytest.param("urn:babel:orders:created.v2", None, id="a version is fine"),
        pytest.param("urn:babel:orders:created.v20", None, id="a version of two digits is fine"),
        pytest.param("urn:babel:orders", 22, id="the name is missing"),
        pytest.param("urn:babel::created", 16, id="the context is missing"),
        pytest.param("orders:created", 6, id="the prefix is missing"),
        pytest.param("urn:acme:orders:created", 6, id="another namespace"),
        pytest.param("urn:babel:orders:created.", 31, id="a dot at the end"),
        pytest.param("urn:babel:orders:a..b", 25, id="two dots in a row"),
        pytest.param("urn:babel:orders:.created", 23, id="a dot at the start"),
        pytest.param("urn:babel:orders:-created", 23, id="a sub-part starts with a hyphen"),
        pytest.param("urn:babel:orders:cre ated", 26, id="a space"),
        pytest.param("urn:babel:orders:créated", 25, id="a letter beyond ASCII"),
        pytest.param("urn:babel:order_items:created", 21, id="an underscore in the context"),
        pytest.param("urn:babel:order.items:created", 21, id="a dot in the context"),
        pytest.param("urn:babel:orders:created.v1", 31, id="version 1 is spelled out"),
        pytest.param("urn:babel:orders:created.v0", 31, id="version 0"),
        pytest.param("urn:babel:orders:created.v02", 31, id="a leading zero"),
        pytest.param("urn:babel:orders:created.v2.v3", 31, id="two versions"),
        pytest.param("urn:babel:orders:v2.created", 23, id="the version is not last"),
        pytest.param("urn:babel:orders:v2", 23, id="a version without a name"),
        pytest.param("urn:babel:orders:created:2", 30, id="a fifth part"),
        pytest.param("URN:BABEL:orders:created", None, id="capitals are for another rule"),
    ],
)
def test_urn_syntax(urn: str, column: int | None, findings: Lint) -> None:
    found = findings(f"# file: orders/created.yaml\nurn: {urn}\n", "urn-syntax")
    assert [(f.place.line, f.place.column) for f in found] == ([] if column is None else [(1, column)])


@pytest.mark.parametrize(
    "written, meant",
    [
        ("orders:created", "urn:babel:orders:created"),
        ("urn:babel:orders:created.v1", "urn:babel:orders:created"),
        ("urn:babel:orders:created.v02", "urn:babel:orders:created.v2"),
        ("urn:babel:orders:invoice..requested", "urn:babel:orders:invoice.requested"),
        ("urn:babel:order_items:added", "urn:babel:order-items:added"),
        ("urn:babel:orders:payment captured", "urn:babel:orders:payment-captured"),
        ("created", "urn:babel:orders:created"),
        ("urn:babel:orders", "urn:babel:orders:created"),
        ("urn:babel:orders:paid.v2.v3", "urn:babel:orders:paid.v3"),
        ("urn:babel:orders:v2.paid", "urn:babel:orders:paid.v2"),
        ("urn:babel:orders:pay\u00e9", "urn:babel:orders:paye"),
        ("urn:babel:orders:p\u0430id", "urn:babel:orders:paid"),
        ("urn:babel:orders:paid-ada@example.com", "urn:babel:orders:created"),
    ],
)
def test_the_fix_is_a_urn_that_can_be_pasted(written: str, meant: str, findings: Lint) -> None:
    (found,) = findings(f"# file: orders/created.yaml\nurn: {written}\n", "urn-syntax")
    assert found.fix == f"urn: {meant}"
    assert written in found.message


def test_a_letter_that_only_looks_latin_is_named_by_its_number(findings: Lint) -> None:
    (found,) = findings("# file: orders/created.yaml\nurn: urn:babel:orders:p\u0430id\n", "urn-syntax")
    assert "(U+0430)" in found.message


def test_a_quoted_urn_shows_the_same_character(findings: Lint) -> None:
    (found,) = findings('# file: orders/created.yaml\nurn: "urn:babel:orders:a..b"\n', "urn-syntax")
    assert (found.place.line, found.place.column) == (1, 26)


@pytest.mark.parametrize("written", ['""', '" "', "x" * 300, "':'", "'🙂'", '"\\u0000"'])
def test_no_text_is_too_odd_for_a_way_out(written: str, findings: Lint) -> None:
    found = findings(f"# file: orders/created.yaml\nurn: {written}\n")
    assert any(f.rule == "urn-syntax" and f.fix for f in found)
