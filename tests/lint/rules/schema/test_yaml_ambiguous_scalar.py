from __future__ import annotations

from collections.abc import Callable

import pytest
import yaml

from babelreg import load
from babelreg.finding import Finding
from babelreg.lint.rules.schema import yaml_ambiguous_scalar
from babelreg.lint.scope import Scope
from babelreg.load.files.tree import Memory
from babelreg.load.yaml import edits as edit

Lint = Callable[..., list[Finding]]
RULE = "yaml-ambiguous-scalar"


def block(country: str, example: str = "se") -> str:
    return f"""\
urn: urn:babel:orders:created
data: {{type: object, properties: {{country: {{type: string, enum: [se, {country}]}}}}}}
examples: [{{country: {example}}}]
"""


@pytest.mark.parametrize(
    "text", ["no", "No", "on", "yes", "OFF", "012", "1_000", "12:30", "0x1F", "2026-11-20", ".inf"]
)
def test_what_another_reader_types_differently_is_reported(text: str, findings: Lint) -> None:
    assert not isinstance(yaml.safe_load(text), str)
    found = findings(block(text), RULE)
    assert [(f.place.line, f.fix) for f in found] == [(2, f'"{text}"')]


@pytest.mark.parametrize(
    "country",
    [
        '"no"',
        "'no'",
        "dk",
        "north",
        "no-one",
        "norway",
        "v1.0",
        "on time",
        "a:b",
        "1.2.3",
        "2026-W01",
        "-",
        "y",
        "N",
        "-INF",
    ],
)
def test_what_is_text_to_all_is_not(country: str, findings: Lint) -> None:
    assert findings(block(country, "no-one"), RULE) == []


@pytest.mark.parametrize("value", ["1", "1.5", "true", "null", "-3"])
def test_what_all_read_alike_is_not(value: str, findings: Lint) -> None:
    assert findings(block(value), RULE) == []


def test_examples_are_looked_at_however_deep(findings: Lint) -> None:
    text = """\
urn: urn:babel:orders:created
data: {type: object, properties: {at: {type: string}, a: {type: object, additionalProperties: true}}}
examples:
  - at: 2026-11-20T09:31:12Z
    a: {b: [x, off, "off"]}
  - at: "2026-11-20T09:31:12Z"
"""
    assert [f.pointer for f in findings(text, RULE)] == ["/examples/0/at", "/examples/0/a/b/1"]


@pytest.mark.parametrize(
    "name, count",
    [("no", 1), ("on", 1), ('"no"', 0), ("y", 0), ("n", 0), ("200", 0), ("not", 0), ("true", 0)],
)
def test_of_names_only_those_that_become_others_are(name: str, count: int, findings: Lint) -> None:
    text = f"urn: urn:babel:orders:created\ndata: {{type: object, properties: {{{name}: {{type: string}}}}}}\n"
    assert len(findings(text, RULE)) == count


def test_the_words_of_the_format_itself_are_not(findings: Lint) -> None:
    text = "urn: urn:babel:orders:created\nstatus: deprecated\nsunset: 2099-01-01\ndata: {type: object}\n"
    assert findings(text, RULE) == []


def test_the_edits_put_it_in_quotes_and_change_nothing_else() -> None:
    text = block("no", "no") + "kind: event\nproducers: [a]\n"
    registry = load.from_tree(Memory({"babelreg.yaml": b"version: 1\n", "orders/created.yaml": text.encode()}))
    edits = [e for problem in yaml_ambiguous_scalar.check(Scope(registry)) for e in problem.edits]
    for change in edits:
        text = edit.replace(text, change.pointer, change.value)
    assert text == block('"no"', '"no"') + "kind: event\nproducers: [a]\n"
