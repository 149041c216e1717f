"""Whatever a registry says, it stays inside the strings, comments and property keys of the TypeScript made from it."""

from __future__ import annotations

import json
import re
from functools import cache

import hostile
import pytest
from each import each
from hypothesis import given, settings

from babelreg.gen.target import files_by_path
from babelreg.gen.targets.typescript import target

CASES = hostile.cases()

_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\(?:["\\/bfnrt]|u[0-9a-f]{4})|[^"\\\n])*"', re.S)
_TYPE = r"[\w |(){}\[\]&:;\-]+"
_KEY = r"(?:[A-Za-z_$][\w$]*|S)"
_LINE = re.compile(
    rf"export type \w+ = \{{( readonly \[property: string\]: unknown \}};)?|\}};| *|  readonly \[property: string\]: unknown;"
    rf"|  readonly {_KEY}\??: {_TYPE};",
    re.A,
)


@cache
def files():
    return files_by_path(target.files(hostile.registry(), {}))


def held_to_types(text: str) -> None:
    """Nothing but aliases of types is outside of comments and strings."""
    text.encode("utf-8")
    assert hostile.unprintable(text) == set()
    # Each comment and string in turn, as a compiler reads them: an early end leaves a line that is no type.
    rest = _TOKEN.sub(lambda match: "S" if match[0].startswith('"') else "", text)
    assert [line for line in rest.splitlines() if not _LINE.fullmatch(line)] == []


@each("name", CASES)
def test_nothing_leaves_its_string_or_comment(name):
    held_to_types(files()[f"hostile/case{list(CASES).index(name)}.ts"].text)


_OWN = {
    "the end of a comment": "*/ declare const x: number; /*",
    "the end of a comment, escaped": "*\\/ x **/ y ***//",
    "the end of a comment at a line's end": "x *\n/ y */\n/*",
    "the end of a comment around the wrap": ("a " * 54 + "*/ x ") * 3,
    "the end of a comment alone": "*/",
    "a template literal": "`${process.exit(1)}`",
    "a directive": "// @ts-nocheck\n/// <reference path='x' />",
    "the end of a string": '"; export const x = "',
    "a surrogate pair": "\U0001f600 \ud83d",
    "a property key": "a: string }; type Evil = { b",
}


@pytest.mark.parametrize("text", _OWN.values(), ids=list(_OWN))
def test_no_text_of_the_language_leaves_its_string_or_comment(text):
    made = {file.path: file for file in target.files(hostile.registry({"x": (text, hostile.of_text(text))}), {})}
    held_to_types(made["hostile/case0.ts"].text)


def test_a_description_begins_no_tag():
    text = "First.\n@deprecated\n  @internal {@link x} a@b.example" + " word" * 40
    made = {file.path: file for file in target.files(hostile.registry({"x": (text, {"type": "object"})}), {})}
    body = made["hostile/case0.ts"].text
    assert re.findall(r"^ \* @\w+", body, re.M) == [" * @deprecated"]  # its own, as the status says
    assert "{@" not in body
    assert "a@b.example" in body


@settings(max_examples=100, deadline=None)
@given(hostile.texts())
def test_no_text_leaves_its_string_or_comment(text):
    made = {file.path: file for file in target.files(hostile.registry({"x": (text, hostile.of_text(text))}), {})}
    held_to_types(made["hostile/case0.ts"].text)


def test_the_index_has_every_message_and_each_text_in_a_string():
    text = files()["index.ts"].text
    text.encode("utf-8")
    assert hostile.unprintable(text) == set()
    assert hostile.CANARY not in _TOKEN.sub("", text)
    strings = [json.loads(match[0]) for match in _TOKEN.finditer(text) if match[0].startswith('"')]
    assert {f"urn:babel:hostile:case{number}" for number in range(len(CASES))} <= set(strings)
    assert {queue for queue, _ in CASES.values() if queue} <= set(strings)


@each("name", [name for name in CASES if name.startswith("names: ")])
def test_every_property_is_there_once(name):
    text = files()[f"hostile/case{list(CASES).index(name)}.ts"].text
    root = text[text.index("export type HostileCase") :].partition("\n};")[0]
    keys = re.findall(r'^  readonly ("(?:[^"\\]|\\.)*"|[\w$]+)\?: ', root, re.M)
    assert [json.loads(key) if key.startswith('"') else key for key in keys] == list(CASES[name][1]["properties"])
