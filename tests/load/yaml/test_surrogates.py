"""Surrogate pairs are characters in double quotes, as in JSON, and text elsewhere; half a pair is an error."""

from __future__ import annotations

import json

import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg import load
from babelreg.load.files.defect import Defect
from babelreg.load.files.tree import Memory
from babelreg.load.registry.document import Document
from babelreg.load.yaml import edits, parser
from babelreg.load.yaml.formatter import formatted

GRIN = "\U0001f600"


@pytest.mark.parametrize(
    "text, value",
    [
        pytest.param(r'{"a": "\ud83d\ude00"}', {"a": GRIN}, id="JSON"),
        pytest.param(r'a: "x\uD83D\uDE00y"', {"a": f"x{GRIN}y"}, id="upper case"),
        pytest.param(r'"\ud83d\ude00": 1', {GRIN: 1}, id="a key"),
        pytest.param(r'["\ud83d\ude00\ud83d\ude00", "\udbff\udfff"]', [GRIN * 2, "\U0010ffff"], id="several"),
        pytest.param(r'"\\ud83d"', r"\ud83d", id="an escaped backslash"),
        pytest.param(r'"\\uD83D\ud83d\ude00\\ude00"', rf"\uD83D{GRIN}\ude00", id="escaped backslashes beside a pair"),
        pytest.param(r"a: \ud83d\uDE00", {"a": r"\ud83d\uDE00"}, id="plain text"),
        pytest.param(r"'\ud83d'", r"\ud83d", id="single quotes"),
        pytest.param("a: |\n  \\ud83d\n  \\uDE00\n", {"a": "\\ud83d\n\\uDE00\n"}, id="a block"),
        pytest.param('"\\ud83d\\ude00 \ue000"', f"{GRIN} \ue000", id="a private character"),
        pytest.param(r'"\ud83d\ude00 \ue83d"', f"{GRIN} \ue83d", id="the escape of a private character"),
        pytest.param(r'"\x5cue03d \\ud83d \ud83d\ude00"', rf"\ue03d \ud83d {GRIN}", id="a backslash as an escape"),
        pytest.param(r"a: \\ud83d \\\ude00", {"a": r"\\ud83d \\\ude00"}, id="backslashes in plain text"),
        pytest.param("a: | # \\uD83d\n  \\ude00\n", {"a": "\\ude00\n"}, id="a comment beside a block"),
        pytest.param(r"# \ud83d" + '\n"a"', "a", id="a comment"),
    ],
)
def test_a_pair_is_read_as_json_reads_it(text: str, value: object) -> None:
    assert parser.read(text) == value


@pytest.mark.parametrize(
    "text, line, column",
    [
        pytest.param(r'{"a": "\ud83d"}', 1, 8, id="the first half alone"),
        pytest.param(r'a: "x\ude00"', 1, 6, id="the second half alone"),
        pytest.param(r'a: "\ude00\ud83d"', 1, 5, id="the wrong way round"),
        pytest.param(r'a: "\ud83dx\ude00"', 1, 5, id="something between"),
        pytest.param(r'a: "\ud83d\\ude00"', 1, 5, id="half a pair and text"),
        pytest.param(r'a: "\ud83d\ud83d\ude00"', 1, 5, id="a half before a pair"),
        pytest.param('a:\n  "x\n  \\ud83d"', 3, 3, id="on a line further down"),
        pytest.param(r'"\ud83d": 1', 1, 2, id="in a key"),
    ],
)
def test_half_a_pair_is_refused_where_it_stands(text: str, line: int, column: int) -> None:
    with pytest.raises(Defect, match="an unpaired surrogate") as refused:
        parser.read(text)
    assert (refused.value.rule, refused.value.line, refused.value.column) == ("yaml-syntax", line, column)
    assert refused.value.fix


def test_a_text_that_uses_every_private_range_is_refused_with_a_fix() -> None:
    with pytest.raises(Defect) as refused:
        parser.read('"\\ud83d\\ude00 \ue000 \ue800 \uf000"')
    assert refused.value.fix


_KEYS = st.text(max_size=80)  # YAML has no keys of more than 1,024 characters, and an escaped pair has twelve


@settings(max_examples=fewer(40))
@given(st.recursive(st.text() | st.integers(-9, 9), lambda inner: st.lists(inner) | st.dictionaries(_KEYS, inner)))
def test_every_json_text_is_read_alike(value: object) -> None:
    text = json.dumps(value)  # all beyond ASCII as escapes
    try:
        expected = json.loads(text)
        json.dumps(expected, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return
    assert parser.read(text) == expected


@pytest.mark.parametrize(
    "escapes, message",
    [
        pytest.param(r"\ud83d\ude00", None, id="a pair"),
        pytest.param(r"\ud83d", "an unpaired surrogate", id="half a pair"),
    ],
)
def test_json_files_of_a_registry_are_read_alike(escapes: str, message: str | None) -> None:
    files = {
        "babelreg.yaml": "version: 1\n",
        "orders/created.yaml": "urn: urn:babel:orders:created\nkind: event\ndata: {$ref: ../_common/a.json}\n"
        "examples: {file: created.jsonl}\n",
        "orders/created.jsonl": f'{{"face": "{escapes}"}}\n',
        "_common/a.json": f'{{"properties": {{"face": {{"const": "{escapes}"}}}}}}',
    }
    registry = load.from_tree(Memory({path: text.encode() for path, text in files.items()}))
    if message is None:
        assert registry.defects == ()
        assert registry.messages[0].examples[0].data == {"face": GRIN}
    else:
        said = {defect.place.path: defect.message for defect in registry.defects}
        assert all(message in said[path] or "an unpaired surrogate" in said[path] for path in list(files)[2:])


def test_positions_stay() -> None:
    document = Document("a.yaml", '{"\\ud83d\\ude00": "\\ud83d\\ude00", "b": ["\\ud83d\\ude00", 1]}')
    assert (document.place((GRIN,)).column, document.place(("b", 1)).column) == (18, 56)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('a: "\\ud83d\\ude00"\n', id="a value"),
        pytest.param('"\\ud83d\\ude00": 1\n', id="a key"),
        pytest.param('a: {b: ["\\uD83D\\uDE00", x]}\n', id="in brackets"),
    ],
)
def test_format_and_edits_keep_the_spelling(text: str) -> None:
    assert formatted(text) == text
    assert edits.insert(text, ("z",), 1) == text + "z: 1\n"
