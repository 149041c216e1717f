"""Widenings that a check holds back: those at the place of a finding, those of a fragment's field, and those alone."""

from __future__ import annotations

from collections import Counter

import pytest
from widened import PATH, URN, message_text, schema_in, widened_texts

from babelreg.finding import Finding, FragmentUse, Place, Severity
from babelreg.load.registry.document import Document

SCHEMA = {
    "type": "object",
    "required": ["a"],
    "properties": {"a": {"type": "string"}, "f": {"$ref": "../_common/part.yaml"}},
}
FILES = {PATH: message_text(SCHEMA), "_common/part.yaml": "type: object\nproperties:\n  x: {type: string}\n"}
SAMPLES = [{"f": None}, {"a": None, "f": {"x": None}}]


def has_null(schema):
    return "null" in schema["properties"]["a"]["type"]


def finding(path=PATH, **details):
    return Finding("type-changed", Severity.ERROR, "it changed", Place(path, 1, 1), **details)


USE = FragmentUse(URN, "f")


@pytest.mark.parametrize(
    "found, held",
    [
        pytest.param(finding(pointer="/data/properties/a"), ["data.a"], id="at the place of the finding"),
        pytest.param(finding(pointer="/data/required"), ["data"], id="at the list of required properties"),
        pytest.param(finding("_common/part.yaml", pointer=""), ["data.f.x"], id="in the fragment's file"),
        pytest.param(finding("_common/other.yaml", messages=(USE,)), ["data.f"], id="at the field that refers to a fragment"),
        pytest.param(finding("_common/other.yaml", urn=URN), ["data.a"], id="nowhere: the one that breaks alone"),
    ],
)  # fmt: skip
def test_the_widening_that_a_finding_is_about_is_held_back(found, held):
    rounds = []

    def check(old, new):
        rounds.append(new)
        alone = found.place.path == "_common/other.yaml" and found.urn
        shows = has_null(new.by_urn[URN].schema) if alone else len(rounds) == 1
        return [found] if shows else []

    texts, result = widened_texts(FILES, {URN: SAMPLES}, check=check)
    assert [each.widening.shown for each in result.held] == held
    assert sorted([*held, *(made.shown for made in result.made)]) == ["data", "data.a", "data.f", "data.f.x"]
    assert schema_in(texts) != schema_in(FILES)


def test_nothing_is_written_where_no_widening_explains_a_break():
    texts, result = widened_texts(FILES, {URN: SAMPLES}, check=lambda old, new: [finding("x.yaml")])
    assert texts == FILES
    assert len(result.held) == 4


def test_only_the_cause_of_a_break_stays_held_back():
    def check(old, new):
        return [finding(pointer=None)] if has_null(new.by_urn[URN].schema) else []

    texts, result = widened_texts(FILES, {URN: SAMPLES}, check=check)
    assert [each.widening.shown for each in result.held] == ["data.a"]
    assert [each.shown for each in result.made] == ["data.f.x", "data", "data.f"]
    assert "required" not in schema_in(texts)


def test_only_the_cause_of_an_accepted_counterexample_stays_held_back():
    text = message_text(SCHEMA) + "counterexamples:\n  - {because: no a, data: {}}\n"
    texts, result = widened_texts({**FILES, PATH: text}, {URN: SAMPLES})
    assert [each.widening.shown for each in result.held] == ["data"]
    assert has_null(schema_in(texts))


@pytest.mark.parametrize("breaks", [False, True], ids=["nothing breaks", "each trial breaks"])
def test_a_file_that_is_not_edited_is_read_once(monkeypatch, breaks):
    others = [f"urn: urn:babel:orders:other{n}\nkind: event\ndata: {{type: object}}\n" for n in range(5)]
    files = {**FILES, **{f"orders/other{n}.yaml": text for n, text in enumerate(others)}}
    read, load = [], Document.load
    monkeypatch.setattr(Document, "load", lambda tree, path: read.append(path) or load(tree, path))
    check = (lambda old, new: [finding("x.yaml")]) if breaks else None
    widened_texts(files, {URN: SAMPLES}, check=check)
    counts = Counter(read)
    assert counts[PATH] == (1 + 7 if breaks else 2)
    assert {path: counts[path] for path in files if path.startswith("orders/other")} == {
        f"orders/other{n}.yaml": 1 for n in range(5)
    }


def test_a_file_that_is_not_yaml_is_left_to_its_author():
    data = {"type": "object", "properties": {"f": {"$ref": "../_common/part.json"}}}
    files = {
        PATH: message_text(data),
        "_common/part.json": '{"type": "object", "properties": {"x": {"type": "string"}}}',
    }
    texts, result = widened_texts(files, {URN: [{"f": {"x": 1}}]})
    assert texts == files
    assert [(held.reason, held.is_breaking) for held in result.held] == [("_common/part.json is not YAML", False)]
