"""A pattern written out means to jsonschema-rs what the pattern means to Python's ``re``."""

from __future__ import annotations

import re
import unicodedata
import warnings

import jsonschema_rs
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from babelreg.breaking.containment.certificates.pattern_tables import matches
from babelreg.schema.regex import character_classes
from babelreg.schema.regex.parser import Chars, Sequence, parse
from babelreg.schema.regex.python_to_ecma import rewritten

LETTERS = [*"aB1_- .$<>#@&~/|[]^\n\t\r\0", "б", "१", "٣", "à", "ж", "\ufeff", "\x1c", "\xa0", "\u2028", "😀", "K", "İ"]
ATOMS = [
    *("a", "б", "1", "१", "_", "-", " ", ".", "$", "^", "|", "(", "(?:", ")", "[", "]", "[^", "*", "+", "?", "{2}"),
    *(r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\b", r"\n", r"\x41", r"\u0436", r"\-", r"\/", r"\<", r"\>", r"\0"),
    *(
        r"[\w-]",
        r"[^\W_]",
        r"[\s\S]",
        r"[\Wa]",
        r"[^\d]",
        "(?=",
        "(?!",
        "(?<=",
        "(?<!",
        "&&",
        "--",
        r"\p{L}",
        "K",
        "{,2}",
    ),
]
TEXTS = ["", *LETTERS, "a\n", "1\n", "\n\n", "a b", "бб", "aб", "٣1", "-a", "😀😀", "ab\n"]


def validator(pattern: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator({"pattern": pattern})


def compiled(pattern: str) -> re.Pattern[str] | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return re.compile(pattern)
        except re.error:
            return None


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(ATOMS), min_size=1, max_size=6).map("".join), st.lists(st.sampled_from(LETTERS)))
def test_it_finds_what_python_finds(pattern: str, letters: list[str]) -> None:
    python = compiled(pattern)
    result = rewritten({"pattern": pattern})
    assume(python is not None and not result.opaque)
    assert python is not None
    try:
        ours = validator(result.schema["pattern"])
    except ValueError:
        assume(False)
    for text in (*TEXTS, "".join(letters)):
        wanted = bool(python.search(text))
        assert ours.is_valid(text) == wanted, (pattern, text)
        assert matches(result.schema["pattern"], "ecma", text) in (None, wanted), (pattern, text)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(ATOMS), min_size=1, max_size=6).map("".join), st.lists(st.sampled_from(LETTERS)))
def test_an_automaton_finds_what_jsonschema_rs_finds(pattern: str, letters: list[str]) -> None:
    try:
        theirs = validator(pattern)
    except ValueError:
        assume(False)
    for text in (*TEXTS, "".join(letters)):
        assert matches(pattern, "ecma", text) in (None, theirs.is_valid(text)), (pattern, text)


@pytest.mark.skipif(
    unicodedata.unidata_version != character_classes.UNICODE, reason="this Python knows another version of Unicode"
)
@pytest.mark.parametrize("pattern", [r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", r"[\W\d]", r"[^\s\w]", "."])
def test_every_code_point_is_in_the_class_that_python_has_it_in(pattern: str) -> None:
    compiled = re.compile(pattern)
    wanted = {point for point in range(0x110000) if compiled.fullmatch(chr(point))}
    node = parse(f"^{rewritten({'pattern': pattern}).schema['pattern']}$", 100_000).node
    assert isinstance(node, Sequence)
    (points,) = [item.ranges for item in node.items if isinstance(item, Chars)]
    written = {point for first, last in points for point in range(first, last + 1)}
    # No text that jsonschema-rs takes holds a surrogate.
    assert {point for point in written ^ wanted if not 0xD800 <= point < 0xE000} == set()


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("(?i)a", id="a flag"),
        pytest.param(r"(a)\1", id="a back-reference"),
        pytest.param(r"\B", id="a place that is no edge of a word, which depends on the version of Python"),
        pytest.param("[a&&b]", id="what may be an operation on sets"),
        pytest.param("(?P<name>a)", id="a named group"),
        pytest.param("a*+", id="a possessive quantifier"),
    ],
)
def test_what_cannot_be_written_out_stays_and_is_noted(pattern: str) -> None:
    result = rewritten({"properties": {"a": {"pattern": pattern}}})
    assert result.schema == {"properties": {"a": {"pattern": pattern}}}
    assert result.opaque == {pattern}


def test_a_pattern_that_python_refuses_stays() -> None:
    result = rewritten({"pattern": r"^\p{L}\d$"})
    assert (result.schema, result.opaque, result.changed) == ({"pattern": r"^\p{L}\d$"}, set(), False)


def test_patterns_of_names_that_become_one_both_hold() -> None:
    result = rewritten({"patternProperties": {r"\0": {"type": "string"}, r"\u{0}": {"maxLength": 1}, "^b": False}})
    both = {"allOf": [{"type": "string"}, {"maxLength": 1}]}
    assert result.schema["patternProperties"] == {r"\u{0}": both, "^b": False}


def test_values_and_names_are_not_taken_for_patterns() -> None:
    schema = {"enum": [{"pattern": r"\d"}], "properties": {"pattern": {"const": r"\d$"}}, "default": {"pattern": "$"}}
    assert rewritten(schema).schema == schema


def test_the_end_is_the_end_alone_for_those_who_send_as_ecma_has_it() -> None:
    assert rewritten({"pattern": "^a$"}).schema["pattern"] == r"^a\n?$"
    assert rewritten({"pattern": "^a$"}, dollar=False).schema["pattern"] == "^a$"
