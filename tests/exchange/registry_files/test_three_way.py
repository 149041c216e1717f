"""A merge brings in what the source changed; edits and comments of the file stay."""

from __future__ import annotations

import pytest

from babelreg.exchange.registry_files.three_way import merge
from babelreg.load.yaml import parser
from babelreg.schema.pointer import text

BASE = {
    "urn": "u",
    "kind": "event",
    "data": {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}},
}
TEXT = """\
urn: u
kind: event  # ours
data:
  type: object
  required: [a]
  properties:
    a: {type: string}  # a comment
"""


def changed(**data):
    return {**BASE, "data": {**BASE["data"], **data}}


@pytest.mark.parametrize(
    "old, new, theirs, expected, kept",
    [
        pytest.param("", "", BASE, TEXT, [], id="nothing changed"),
        pytest.param(
            "", "", changed(required=["a", "b"]), TEXT.replace("[a]", "[a, b]"), [], id="a name was added to a list"
        ),
        pytest.param(
            "required: [a]",
            "required: [a, z]",
            changed(required=["a", "b"]),
            TEXT.replace("[a]", "[a, z, b]"),
            [],
            id="both added a name",
        ),
        pytest.param(
            "required: [a]",
            "required: [a, 1]",
            changed(required=["a", True]),
            TEXT.replace("[a]", "[a, 1, true]"),
            [],
            id="1 is not true",
        ),
        pytest.param(
            "",
            "",
            changed(properties={"a": {"type": "string"}, "b": {"type": "null"}}),
            TEXT + '    b: {type: "null"}\n',
            [],
            id="a property was added",
        ),
        pytest.param(
            "a: {type: string}",
            "a: {type: string, maxLength: 3}",
            changed(properties={"a": {"type": "string", "minLength": 1}}),
            TEXT.replace("{type: string}", "{type: string, minLength: 1, maxLength: 3}"),
            [],
            id="each side added a keyword",
        ),
        pytest.param(
            "a: {type: string}",
            "a: {type: integer}",
            changed(properties={"a": {"type": "number"}}),
            TEXT.replace("type: string", "type: integer"),
            ["/data/properties/a/type"],
            id="both changed a keyword",
        ),
        pytest.param(
            "", "", changed(properties={}), TEXT.replace("\n    a: {type: string}", " {}"), [], id="a property was removed"
        ),
        pytest.param(
            "kind: event  # ours\n", "", {**BASE, "kind": "command"}, TEXT.replace("kind: event  # ours\n", ""), ["/kind"],
            id="it was removed here",
        ),
    ],
)  # fmt: skip
def test_a_merge(old, new, theirs, expected, kept):
    merged = merge(TEXT.replace(old, new) if old else TEXT, "message", BASE, theirs)
    assert [text(pointer) for pointer, _ in merged.kept] == kept
    assert parser.read(merged.text) == parser.read(expected)
    assert [line for line in TEXT.splitlines() if "#" in line and line in expected] == [
        line for line in merged.text.splitlines() if "#" in line and line in TEXT
    ]
