"""Every construct of a pattern: read as the two engines read it, or not read at all.

The engines are jsonschema-rs for ECMA-262 and Python's ``re``. V8 agrees with the first on all of these texts, but for the dot, which in ECMA-262 does not match U+000D, U+2028 and U+2029 either.
"""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Iterable

import jsonschema_rs
import pytest
from each import each

from babelreg.containment.certificates import pattern_tables
from babelreg.schema.regex.character_classes import CLASSES
from babelreg.schema.regex.code_points import named

CLASS_ESCAPES = [r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", ".", "[.]", r"[^\d]", r"[\D]", r"[^\W]", r"[\w-]",
                 r"[\s\S]", r"[^\s\S]", r"[\d\D]", r"[^\n]", r"[\x00-\x1f]", r"[^\x00-\x7f]", "[é-ü]", "[😀-😎]"]  # fmt: skip
UNICODE = [r"\p{L}", r"\p{Lu}", r"\P{L}", r"\p{Letter}", r"\p{Script=Greek}", r"\p{Any}", r"\pL", r"[\p{L}]",
           r"[^\p{L}]", r"\p{}", r"\p{Foo}", r"\p"]  # fmt: skip
CODE_POINTS = [r"\n", r"\r", r"\t", r"\f", r"\v", r"\0", r"\x41", r"\xe9", r"\x4", r"\x", r"\u0041", r"\u{41}",
               r"\u{1F600}", r"\u{110000}", r"\u{}", r"\u004", r"\u", r"\cA", r"\ca", r"\c1", r"\c", r"[\cA]", r"[\c_]",
               r"\01", r"\012", r"\08", r"[\01]", r"[\0]", r"\ud83d\ude00", r"\ud83d", r"[\ud83d\ude00]", r"\U0001F600",
               r"\x{41}", r"\N{DIGIT ONE}", "😀", "é", r"[\x41-\x43]", r"[\u0041-\u{43}]", r"[\b]", r"\o{101}"]  # fmt: skip
SETS = ["[]", "[^]", "[]a]", "[^]a]", "[a[b]]", "[[a]]", "[a-]", "[-a]", r"[a-\d]", r"[\d-a]", r"[\w-a]", "[a&&b]",
        "[a--b]", "[a~~b]", "[a||b]", "[&&]", "[[:alpha:]]", "[[.a.]]", "[[=a=]]", "[^^]", "[a^]", "[$]", r"[\^]",
        r"[\]]", r"[\-]", r"[\B]", r"[\q]", r"[\h]", "[b-a]", "[ ]", r"[\ ]", "[A-z]", "[^a-z]"]  # fmt: skip
ESCAPES = [rf"\{char}" for char in "aehiklmoqyzAGHKLQRXYZ189_-/:\"'@#%&~`,;=!<>é ^$.*({[|"] + ["\\\n", "\\"]
ANCHORS = ["^", "$", "^$", "^*", "$*", "^+", "^?", "(?=a)*", r"\b*", "^^a$$", "a^b", "a$b", "(^a|b$)", "^a|b$",
           "(?:^a)b", "(^)a", "a($)", r"\Aa", r"a\Z", r"a\z", r"\b", r"\B", r"\ba", r"a\b", r"^\b", "(?=a)a",
           "(?!a).", "(?<=a)b", "(?<!a)b", "$a", "a^"]  # fmt: skip
GROUPS = ["(?i)a", "(?i)k", "(?i)s", "(?i:a)", "(?s).", "(?s:.)", "(?m)^a", "(?m)a$", "(?x) a", "(?-i)a", "(?u)\\w",
          "(?a)\\w", "(?a)\\s", "(?:a)", "(a)", "(?<n>a)", "(?P<n>a)", "(?'n'a)", r"(?<n>a)\k<n>", r"\k<n>", r"(a)\1",
          r"(a)\2", r"\1(a)", "(?P=n)", "(?>a)", "(?#c)a", "(?|a|b)", "()", "(?:)", "(", ")", "(?"]  # fmt: skip
QUANTIFIERS = ["a??", "a*?", "a+?", "a{1,2}?", "a{0}", "a{2}", "a{2,}", "a{,2}", "a{", "a{}", "a{1", "a{1,2", "{1}",
               "x{,}", "a++", "a*+", "a?+", "a**", "a|b", "a||", "||", "}", "]", "-", "(ab)*", "(a|b){2}"]  # fmt: skip
PATTERNS = [*CLASS_ESCAPES, *UNICODE, *CODE_POINTS, *SETS, *ESCAPES, *ANCHORS, *GROUPS, *QUANTIFIERS]

SHORT = ["".join(t) for n in range(4) for t in itertools.product("ab1 \n-", repeat=n)]
ODD = ["a😀", "😀b", "éa", "aé", "a\r", "a\r\n", "a\u2028", "\u2028a", "ab\n\n", "AB", "\n8", "\x088", "^]", "[]", "x]",
       "a{", "a{1", "a{,2}", "a{}", "&&", "--", "a&", "b]", "a]b]", "u0041", "x41", "cA", "p{L}", "k<n>", "\\c", "aa",
       "0\n", "x{,}", "a{1,2", "(?", "бб", "KK"]  # fmt: skip


def boundaries() -> set[int]:
    """The first and last code point of each range of each class, and their neighbours."""
    ends = {n for engine in CLASSES for name in CLASSES[engine] for span in named(engine, name) for n in span}
    near = {end + step for end in ends for step in (-1, 0, 1)} | set(range(0x180)) | {0x1F600, 0x212A, 0x17F, 0x130}
    return {n for n in near if 0 <= n <= 0x10FFFF and not 0xD800 <= n <= 0xDFFF}


EDGES = [chr(n) for n in sorted(boundaries())]
TEXTS = list(dict.fromkeys([*SHORT, *ODD, *EDGES]))


def matches(pattern: str, text: str, reading: str = "ecma") -> bool | None:
    return pattern_tables.matches(pattern, reading, text)


def by_ecma(pattern: str, texts: list[str]) -> set[str] | None:
    """The texts that jsonschema-rs finds ``pattern`` in; None where it refuses it."""
    try:
        validator = jsonschema_rs.Draft202012Validator({"items": {"not": {"pattern": pattern}}})
    except ValueError:
        return None
    return {texts[int(error.instance_path[0])] for error in validator.iter_errors(texts)}


def by_python(pattern: str, texts: Iterable[str]) -> set[str] | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compiled = re.compile(pattern)
        except re.error:
            return None
    return {text for text in texts if compiled.search(text)}


def check(pattern: str, texts: list[str]) -> None:
    """Compare our readings of ``pattern`` with the engines."""
    for reading, found in (("ecma", by_ecma(pattern, texts)), ("python", by_python(pattern, texts))):
        if found is not None and matches(pattern, "", reading) is not None:
            assert {text for text in texts if matches(pattern, text, reading)} == found


@each("pattern", PATTERNS)
def test_a_construct_is_read_as_the_engines_read_it(pattern: str) -> None:
    check(pattern, [*SHORT, *ODD, *EDGES[:400]])
    check(f"^(?:{pattern})$", [*SHORT, *ODD])


@pytest.mark.parametrize("pattern", [f"^{pattern}$" for pattern in CLASS_ESCAPES])
def test_a_class_ends_where_the_engines_end_it(pattern: str) -> None:
    check(pattern, TEXTS)


def test_most_constructs_are_read() -> None:
    assert sum(matches(pattern, "") is not None for pattern in PATTERNS) > 90


@pytest.mark.long
@pytest.mark.parametrize("pattern", [f"^{pattern}$" for pattern in [*CLASS_ESCAPES, *UNICODE, *CODE_POINTS, *SETS]])
def test_a_class_has_the_same_code_points_of_all(pattern: str) -> None:
    check(pattern, [chr(n) for n in range(0x110000) if not 0xD800 <= n <= 0xDFFF])
