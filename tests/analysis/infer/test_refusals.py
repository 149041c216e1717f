"""Counts of refused messages by the keyword that refuses them, before and after a registry is edited."""

from __future__ import annotations

import json

from widened import PATH, URN, message_text

from babelreg.analysis.infer.refusals import DataRefusals
from babelreg.contract.verdict import decode
from babelreg.load.files.tree import Memory
from babelreg.load.registry.builder import from_tree


def registry(schema, fragment="type: string\npattern: ^a\n"):
    files = {
        "babelreg.yaml": "version: 1\n",
        "orders/_context.yaml": "owner: team-orders\n",
        "_common/part.yaml": fragment,
        PATH: message_text(schema),
    }
    return from_tree(Memory({path: text.encode() for path, text in files.items()}), "")


def envelope(number, data, urn=URN):
    meta = {"id": f"m-{number}", "queue": "q", "lang": "go", "schema_version": 1, "created_at": 1}
    body = {"job": urn, "trace_id": "t", "data": data, "meta": meta, "attempts": 0}
    return decode(json.dumps(body).encode())


def refused(old, new, samples):
    """Return the total of refused messages, and their counts by keyword and place."""
    refusals = DataRefusals(old)
    for number, sample in enumerate(samples):
        refusals.add(envelope(number, sample))
    total, places = refusals.remaining(new)
    return total, {(at.keyword, f"{at.place.path}:{at.place.line}"): count for at, count in places.items()}


SCHEMA = {
    "type": "object",
    "properties": {"a": {"$ref": "../_common/part.yaml"}, "b": {"type": "integer", "maximum": 3}},
}


def test_a_refusal_is_counted_at_its_keyword_in_the_file_of_a_fragment():
    old = registry(SCHEMA)
    total, places = refused(old, old, [{"a": "b"}, {"a": "b", "b": 4}, {"b": 5}, {"a": "a"}])
    assert total == 3
    assert places == {("pattern", "_common/part.yaml:2"): 2, ("maximum", f"{PATH}:7"): 2}


def test_what_the_edited_registry_accepts_does_not_count():
    old, new = registry(SCHEMA), registry(SCHEMA, fragment="type: string\n")
    assert refused(old, new, [{"a": "b"}, {"a": "c", "b": 4}]) == (1, {("maximum", f"{PATH}:7"): 1})


def test_readers_decide_what_is_refused():
    closed = registry(
        {"type": "object", "additionalProperties": False, "properties": {"e": {"enum": ["x"], "x-open-enum": True}}}
    )
    assert refused(closed, closed, [{"z": 1}, {"e": "y"}]) == (0, {})


def test_messages_that_are_not_declared_are_not_judged():
    old = registry(SCHEMA)
    refusals = DataRefusals(old)
    refusals.add(envelope(1, {"b": "x"}, urn="urn:babel:orders:unknown"))
    assert refusals.remaining(old) == (0, {})
