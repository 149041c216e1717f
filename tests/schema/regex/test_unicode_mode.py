"""Patterns as the flag ``u`` of JavaScript reads them. Ajv's verdicts are compared in tests/gen/targets/typescript."""

from __future__ import annotations

import pytest

from babelreg.schema.regex.unicode_mode import in_unicode_mode


@pytest.mark.parametrize(
    "pattern, spelled",
    [
        pytest.param(r"^[a-z]{1,3}$", r"^[a-z]{1,3}$", id="what all engines read stays"),
        pytest.param(r"\d\w\s\.\u{1f600}\p{Lu}\n", r"\d\w\s\.\u{1f600}\p{Lu}\n", id="escapes of ECMA-262 stay"),
        pytest.param(r"\@\-\_é\é", r"@-_éé", id="escapes that need none go"),
        pytest.param(r"[\-\@\]]", r"[\-@\]]", id="in a set, the hyphen keeps its escape"),
        pytest.param(r"a.b[.]", r"a[^\n]b[.]", id="the dot stops at a line feed alone"),
        pytest.param("]}", r"\]\}", id="brackets that close nothing"),
        pytest.param("[]a]", r"[\]a]", id="a set that begins with its end"),
    ],
)
def test_a_pattern_keeps_its_meaning(pattern: str, spelled: str) -> None:
    assert in_unicode_mode(pattern) == spelled


@pytest.mark.parametrize(
    "pattern, instead",
    [
        pytest.param("(?i)a", "the letters of both cases", id="a flag in the pattern"),
        pytest.param(r"\Aa", r"write \^", id="a letter that begins the text elsewhere"),
        pytest.param("(?P<a>b)", r"\(\?<name>", id="a name as Python writes it"),
        pytest.param("[[:alpha:]]", "A-Za-z", id="a class of POSIX"),
    ],
)
def test_a_construct_of_another_language_says_what_to_write(pattern: str, instead: str) -> None:
    with pytest.raises(ValueError, match=instead):
        in_unicode_mode(pattern)
