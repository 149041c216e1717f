"""Strict YAML: what is read, what is refused and where, and where every value stands."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.load.files.defect import Defect
from babelreg.load.files.tree import Memory
from babelreg.load.registry.builder import from_tree
from babelreg.load.yaml import parser


@pytest.mark.parametrize(
    "text, value",
    [
        pytest.param("a: 1", {"a": 1}, id="an integer"),
        pytest.param("a: -1.5e3", {"a": -1500.0}, id="a number"),
        pytest.param("a: 9007199254740993.0", {"a": 2**53 + 1}, id="an integer that a double would change"),
        pytest.param("a: true", {"a": True}, id="true"),
        pytest.param("a: ~\nb: null\nc:", {"a": None, "b": None, "c": None}, id="three ways of null"),
        pytest.param("a: no", {"a": "no"}, id="no is a word"),
        pytest.param("a: 012", {"a": "012"}, id="leading zeros are text"),
        pytest.param("a: 12:30", {"a": "12:30"}, id="a clock is text"),
        pytest.param("a: 2026-11-20", {"a": "2026-11-20"}, id="a date is text"),
        pytest.param("a: 1_000", {"a": "1_000"}, id="underscores are text"),
        pytest.param("a: .inf", {"a": ".inf"}, id="infinity is text"),
        pytest.param("a: '1'", {"a": "1"}, id="quoted is text"),
        pytest.param("1: a\ntrue: b", {"1": "a", "true": "b"}, id="keys are text"),
        pytest.param("a: 123456789012345678901234567890", {"a": 123456789012345678901234567890}, id="no digit is lost"),
        pytest.param("[1, [2, {}], []]", [1, [2, {}], []], id="nested lists"),
        pytest.param("", None, id="nothing"),
        pytest.param("# only a comment\n", None, id="a comment"),
        pytest.param('{"a": [1, "b\\n"], "c": {"d": null}}', {"a": [1, "b\n"], "c": {"d": None}}, id="JSON is YAML"),
        pytest.param("'': 1", {"": 1}, id="an empty key"),
        pytest.param('"<<": 1', {"<<": 1}, id="a quoted << is a key"),
    ],
)
def test_yaml_is_read_as_json_would_be(text, value):
    read = parser.read(text)
    assert read == value
    assert json.dumps(read) == json.dumps(value)


@pytest.mark.parametrize(
    "text, rule, line, column",
    [
        pytest.param("a: 1\na: 2", "yaml-duplicate-key", 2, 1, id="a key twice"),
        pytest.param("x:\n  b: 1\n  'b': 2", "yaml-duplicate-key", 3, 3, id="a key twice in other quotes"),
        pytest.param("a: &x 1", "yaml-feature", 1, 4, id="an anchor"),
        pytest.param("a: 1\nb: *x", "yaml-feature", 2, 4, id="an alias"),
        pytest.param("a: !!str 1", "yaml-feature", 1, 4, id="a tag"),
        pytest.param("a: !python/object:os.system x", "yaml-feature", 1, 4, id="a dangerous tag"),
        pytest.param("<<: {a: 1}", "yaml-feature", 1, 1, id="a merge key"),
        pytest.param("a: 1\n---\nb: 2", "yaml-syntax", 2, 1, id="a second document"),
        pytest.param("a: b: c", "yaml-syntax", 1, 5, id="a colon in a value"),
        pytest.param("a:\n\t- b", "yaml-syntax", 2, 1, id="a tab"),
        pytest.param("a: [1, 2", "yaml-syntax", 1, 4, id="an open bracket"),
        pytest.param("a: 'x", "yaml-syntax", 1, 4, id="an open quote"),
        pytest.param("a: 1\nb: \x07", "yaml-syntax", 2, 4, id="a control character"),
        pytest.param("{[1]: 2}", "yaml-syntax", 1, 2, id="a list as key"),
        pytest.param("a: 1e400", "yaml-number", 1, 4, id="beyond any double"),
        pytest.param("a: 12345678901234567.89", "yaml-number", 1, 4, id="digits that a double drops"),
        pytest.param("a: 1e-400", "yaml-number", 1, 4, id="below all doubles"),
        pytest.param("a: 1e-9999999999999999999", "yaml-number", 1, 4, id="an exponent without end"),
        pytest.param("a: " + "9" * 5000, "yaml-number", 1, 4, id="5,000 digits"),
        pytest.param("[" * 100_000, "yaml-too-deep", 1, parser.MAX_DEPTH + 1, id="100,000 brackets"),
        pytest.param(
            "\n".join(" " * i + "a:" for i in range(300)),
            "yaml-too-deep",
            parser.MAX_DEPTH + 1,
            parser.MAX_DEPTH + 1,
            id="300 levels of keys",
        ),
    ],
)
def test_what_strict_yaml_refuses_is_refused_at_its_place(text, rule, line, column):
    with pytest.raises(Defect) as caught:
        parser.read(text)
    assert (caught.value.rule, caught.value.line, caught.value.column) == (rule, line, column)


def test_every_value_has_its_place():
    text = "é: 1\nlist:\n  - a\n  - {k: 'v', l: [x]}\nblock: |\n  text\nlast: z\n"
    root = parser.marks(text)
    assert (root.line, root.column) == (1, 1)
    assert text[root.children["é"].start : root.children["é"].end] == "1"
    item = root.children["list"].children[1]
    assert (item.line, item.column, item.style) == (4, 5, "{")
    assert text[item.start : item.end] == "{k: 'v', l: [x]}"
    assert text[item.keys["l"].start : item.keys["l"].end] == "l"
    assert text[item.children["k"].start : item.children["k"].end] == "'v'"
    assert (root.keys["last"].line, root.children["last"].column) == (7, 7)


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(min_codepoint=32, max_codepoint=126)),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(min_codepoint=32, max_codepoint=126)), inner, max_size=4)
    ),
    max_leaves=10,
)


@settings(deadline=None)
@given(_JSON)
def test_json_reads_as_itself(value):
    assert json.dumps(parser.read(json.dumps(value))) == json.dumps(value)


@settings(deadline=None, max_examples=300)
@given(st.text(st.sampled_from("ab:-[]{}#&*!|>'\"%@`,? \n\t~1.0é\u2028\x00"), max_size=40))
def test_any_text_is_read_or_refused_with_a_place(text):
    try:
        parser.read(text)
    except Defect as defect:
        assert defect.line >= 1
        assert defect.column >= 1
    else:
        parser.marks(text)


CONFLICT = "urn: urn:babel:orders:created\n<<<<<<< HEAD\nkind: event\n=======\nkind: command\n>>>>>>> feature\n"


@pytest.mark.parametrize(
    "text, line, message",
    [
        pytest.param(CONFLICT, 2, "merge conflict of 'HEAD' and 'feature' in lines 2 to 6", id="between keys"),
        pytest.param(
            CONFLICT.replace("\n", "\r\n"), 2, "merge conflict of 'HEAD' and 'feature'", id="line ends of Windows"
        ),
        pytest.param(
            "<<<<<<<\na: 1\n=======\na: 2\n>>>>>>>\n", 1, "merge conflict in lines 1 to 5", id="without names"
        ),
        pytest.param(
            "a: 1\n<<<<<<< ours\nb: 1\n||||||| base\nb: 0\n=======\nb: 2\n>>>>>>> theirs\n",
            2,
            "merge conflict",
            id="diff3",
        ),
        pytest.param(
            'a: "x\n<<<<<<< HEAD\n  y\n=======\n  z\n>>>>>>> b\n  "\n',
            2,
            "merge conflict",
            id="within text, where it is YAML",
        ),
        pytest.param("a: [\n" + CONFLICT, 3, "merge conflict", id="behind another mistake"),
    ],
)
def test_a_merge_conflict_is_called_so(text, line, message):
    with pytest.raises(Defect, match=message) as refused:
        parser.read(text)
    assert (refused.value.rule, refused.value.line, refused.value.column) == ("yaml-syntax", line, 1)
    assert "remove the lines <<<<<<<" in refused.value.fix


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a: |\n  <<<<<<< HEAD\n  =======\n  >>>>>>> b\n", id="indented text"),
        pytest.param("# <<<<<<< HEAD\na: 1\n# =======\n# >>>>>>> b\n", id="comments"),
        pytest.param('a: "<<<<<<< HEAD"\n', id="a value"),
        pytest.param("a: |-\n  x\n# =======\n", id="a heading"),
    ],
)
def test_what_only_looks_like_a_merge_conflict_is_read(text):
    assert "a" in parser.read(text)


def test_a_merge_conflict_in_examples_is_called_so():
    files = {
        "babelreg.yaml": b"version: 1\n",
        "orders/created.yaml": b"urn: urn:babel:orders:created\nkind: event\ndata: {}\nexamples: {file: a.jsonl}\n",
        "orders/a.jsonl": b"{}\n<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> b\n",
    }
    (defect,) = from_tree(Memory(files)).defects
    assert (defect.rule, str(defect.place)) == ("examples-unreadable", "orders/a.jsonl:2:1")
    assert "merge conflict" in defect.message
