from __future__ import annotations

import re

import pytest

from babelreg.breaking.containment.search.strings import matching


@pytest.mark.parametrize(
    "pattern",
    [
        "^[A-Z]{3}$",
        "^a|b$",
        "(foo|bar)+",
        "^\\d{4}-\\d\\d$",
        "[^a-z]",
        "^.{3,5}$",
        "\\w+@\\w+",
        "(?:x(?:y)?)*z",
        "[\\s-]",
    ],
)
def test_every_text_matches(pattern: str) -> None:
    assert matching(pattern)
    assert all(re.search(pattern, text) for text in matching(pattern))


@pytest.mark.parametrize("pattern", ["(", "\\p{L}", "[z-a]", "a{99999999999999999999}", "(" * 5000 + ")" * 5000])
def test_what_python_cannot_read_gives_nothing(pattern: str) -> None:
    assert matching(pattern) == ()
