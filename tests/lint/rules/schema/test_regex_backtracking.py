from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hang import Hang, limited

from babelreg.finding import Finding
from babelreg.schema.regex.backtracking import explosion
from babelreg.schema.regex.parser import parse

Lint = Callable[..., list[Finding]]
RULE = "regex-backtracking"

EXPLODING = [
    r"^(a+)+$",
    r"^(a*)*$",
    r"^(a|aa)*$",
    r"^(\w|\d)*$",
    r"^([a-z]+)*$",
    r"^(\w+\s?)*$",
    r"^(?:[a-z0-9]+-?)+$",
    r"^[a-z0-9]+(-?[a-z0-9]+)*$",
    r"^(.*,)*$",
    r"(x+x+)+y",
    r"^(\p{L}+)+$",
    r"^([a-z]{1,20})*$",
    r"^(a|b|a)*$",
    r"^([a-z]+){30}$",
    r"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$",
]
HARMLESS = [
    r"(a+)+",
    r"^(a+b)+$",
    r"^[a-z]+$",
    r"^[a-z0-9]+(-[a-z0-9]+)*$",
    r"^(\d{1,3}\.){3}\d{1,3}$",
    r"^([A-Z]{2}[0-9]*)+$",
    r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
    r"^(/[^/~]*(~[01][^/~]*)*)*$",
    r"^([^\"\\]|\\.)*$",
    r"^(([01]?\d|2[0-3]):)+$",
    r"^([\s\S]+)*$",
    r"^(a{1,2}){3}$",
    r"^(\p{Lu}\p{Ll}*)+$",
    r"^-?(0|[1-9]\d*)(\.\d+)?$",
    r"^(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.[0-9a-zA-Z-]+)*))?$",
    r"((((",
    r"^(a+)+($",
]
# CPython has no \p, and makes one set of alternatives that are one character each.
OTHERS = {r"^(\p{L}+)+$", r"^(\w|\d)*$", r"^(a|b|a)*$"}
UNTOLD = [
    r"^((?=a)a+)+$",
    r"^((a)\2*)+$",
    r"^(a?b?)*$",
]


def exploding(pattern: str) -> bool:
    return explosion(parse(pattern), 10_000)[0] is not None


@pytest.mark.parametrize("pattern", EXPLODING)
def test_a_loop_that_explodes_is_found(pattern: str) -> None:
    assert exploding(pattern)


@pytest.mark.parametrize("pattern", HARMLESS)
def test_a_loop_that_does_not_is_not(pattern: str) -> None:
    assert not exploding(pattern)


@pytest.mark.parametrize("pattern", UNTOLD)
def test_what_is_not_certain_is_left_alone(pattern: str) -> None:
    assert not exploding(pattern)


@pytest.mark.parametrize("pattern", [p for p in EXPLODING if p not in OTHERS])
def test_an_engine_that_backtracks_agrees(pattern: str) -> None:
    found, _ = explosion(parse(pattern), 10_000)
    assert found is not None
    # Two to the power of 60 steps on any machine: a pattern that does not explode is done in microseconds.
    with pytest.raises(Hang), limited(0.3):
        re.search(pattern, found[1] * 60 + "\n!")


@pytest.mark.parametrize("pattern", [p for p in HARMLESS if r"\p" not in p and "((((" not in p and "($" not in p])
def test_an_engine_that_backtracks_is_done_at_once(pattern: str) -> None:
    with limited(10):
        for run in "a0A,/~-":
            re.search(pattern, run * 60 + "\n!")


def test_the_loop_is_shown_where_it_stands(findings: Lint) -> None:
    block = 'urn: urn:babel:orders:created\ndata: {type: object, properties: {a: {pattern: "^x-([a-z]+)*$"}}}\n'
    found = findings(block, RULE)
    assert [(f.place.line, f.place.column) for f in found] == [(2, 60)]
    assert "'^x-([a-z]+)*' is tried" in found[0].message


def test_names_of_properties_are_looked_at_too(findings: Lint) -> None:
    block = 'urn: urn:babel:orders:created\ndata: {type: object, patternProperties: {"^(a+)+$": {type: string}}}\n'
    assert [f.pointer for f in findings(block, RULE)] == ["/data/patternProperties/^(a+)+$"]


def test_thousands_of_loops_are_done_in_time(findings: Lint) -> None:
    loops = "".join(f"    p{n}: {{pattern: '^{'(' * 30}[a-z]{')*b+' * 30}{n}$'}}\n" for n in range(500))
    block = f"urn: urn:babel:orders:created\ndata:\n  type: object\n  properties:\n{loops}"
    assert all(f.rule == RULE for f in findings(block, RULE))
