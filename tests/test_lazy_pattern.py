"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from babelreg.lazy_pattern import LazyPattern


def test_a_pattern_is_compiled_once_and_not_before_its_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    compile_now = re.compile

    def recorded(pattern: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(pattern)
        return compile_now(pattern, flags)

    monkeypatch.setattr(re, "compile", recorded)
    pattern = LazyPattern("a+b")
    assert compiled == []
    assert [bool(pattern.search(text)) for text in ("ab", "b")] == [True, False]
    assert pattern.match("xab") is None
    assert compiled == ["a+b"]


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda pattern: pattern.search("x AB"), id="search"),
        pytest.param(lambda pattern: pattern.search("abab", 2), id="search from a position"),
        pytest.param(lambda pattern: pattern.match("ABx"), id="match"),
        pytest.param(lambda pattern: pattern.fullmatch("ABx"), id="fullmatch"),
        pytest.param(lambda pattern: [match.span() for match in pattern.finditer("abxAB")], id="finditer"),
        pytest.param(lambda pattern: pattern.sub("-", "abxAB"), id="sub"),
    ],
)
def test_each_method_answers_as_that_of_the_compiled_pattern(call: Callable[[Any], Any]) -> None:
    lazy, compiled = (call(made("(?P<both>ab)", re.IGNORECASE)) for made in (LazyPattern, re.compile))
    assert repr(lazy) == repr(compiled)
