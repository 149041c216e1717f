"""Comments on what a schema could say more narrowly: what was always so, what a later day refutes, and what stays alone."""

from __future__ import annotations

import pytest
from widened import PATH, URN, schema_in, widened_texts

HEAD = f"urn: {URN}\nkind: event\nowner: team-orders\ndata:\n  type: object\n"


def file_of(*properties, rest=()):
    lines = [*rest, "properties:", *(f"  {line}" for line in properties)]
    return HEAD + "".join(f"  {line}\n" for line in lines)


def properties_after(text, samples, others=None, **decisions):
    """Return the lines of the properties after the file was widened by ``samples``."""
    files = {PATH: text, **(others or {})}
    texts, result = widened_texts(files, {URN: samples}, **decisions)
    assert schema_in(texts) == schema_in(files)
    assert not result.made
    lines = texts[PATH].partition("properties:\n")[2].splitlines()
    return [line.strip() for line in lines], result.narrower


@pytest.mark.parametrize(
    "line, values, comment",
    [
        pytest.param("f: {type: string}", ["x"] * 20, "always there", id="optional, and always there"),
        pytest.param("f: {type: string}", ["x"] * 19, None, id="too few objects"),
        pytest.param("f: {type: string}", [..., *["x"] * 30], None, id="once absent"),
        pytest.param('f: {type: [string, "null"]}', [..., *["x"] * 20], "never null", id="never null"),
        pytest.param('f: {type: [string, "null"]}', [..., None, *["x"] * 20], None, id="once null"),
        pytest.param("f: {type: number}", [..., *[1] * 20], "always an integer", id="integers"),
        pytest.param("f: {type: number}", [..., 1.0, *[1] * 20], None, id="once with a fraction"),
        pytest.param("f: {type: string}", [..., *["2026-02-28"] * 20], "always of the format date", id="dates"),
        pytest.param("f: {type: string}", [..., "x", *["2026-02-28"] * 20], None, id="once no date"),
        pytest.param("f: {type: string, format: date}", [..., *["2026-02-28"] * 20], None, id="a format that it has"),
        pytest.param("f: {type: string, pattern: ^2}", [..., *["2026-02-28"] * 20], None, id="beside a pattern"),
        pytest.param('f: {type: [number, "null"]}', [1] * 20, "always an integer, always there, never null", id="all at once"),
        pytest.param("f: {}", [..., *[1] * 20], None, id="of any type"),
        pytest.param("f: {type: string}  # optional on purpose", ["x"] * 20, None, id="a comment of somebody"),
    ],
)  # fmt: skip
def test_what_was_always_so_is_a_comment(line, values, comment):
    samples = [{} if value is ... else {"f": value} for value in values]
    lines, count = properties_after(file_of(line), samples)
    assert lines == [line if comment is None else f"{line}  # could be narrower: {comment}"]
    assert count == (comment is not None)


@pytest.mark.parametrize(
    "known, samples, expected",
    [
        pytest.param("  # could be narrower: always there, never null", [{"f": "x"}] * 50, "  # could be narrower: always there, never null", id="more of the same"),
        pytest.param("  # could be narrower: always there", [{"f": "x"}], "  # could be narrower: always there", id="little of the same"),
        pytest.param("  # could be narrower: always there", [{}], "", id="one that refutes it"),
        pytest.param("  # could be narrower: always there, never null", [{"f": None}], "  # could be narrower: always there", id="one of two refuted"),
        pytest.param("  # could be narrower: never null", [{"f": "x"}] * 20, "  # could be narrower: never null, always there", id="one more"),
        pytest.param("  # optional: 9 of 9", [{"f": "x"}] * 20, "  # optional: 9 of 9; could be narrower: always there, never null", id="behind evidence"),
        pytest.param("  # optional: 9 of 9; could be narrower: always there", [{}], "  # optional: 9 of 9", id="behind evidence, refuted"),
        pytest.param("  # could be narrower: always there; later null in 1 of 2", [{}], "  # later null in 1 of 2", id="before evidence, refuted"),
    ],
)  # fmt: skip
def test_a_comment_stays_until_something_refutes_it(known, samples, expected):
    line = 'f: {type: [string, "null"]}'
    lines, _ = properties_after(file_of(line + known), samples)
    assert lines == [line + expected]
    again, count = properties_after(file_of(lines[0]), samples)
    assert (again, count) == (lines, 0)


@pytest.mark.parametrize(
    "rest, path",
    [
        pytest.param(["required: [f]"], None, id="a required property"),
        pytest.param(["dependentRequired: {g: [f]}"], None, id="one that another property requires"),
        pytest.param(["allOf: [{required: [f]}]"], None, id="beside a branch"),
        pytest.param([], {"orders/other.yaml": HEAD.replace("created", "other") + "  not: {$ref: ../_common/part.yaml}\n"}, id="a fragment that is negated"),
    ],
)  # fmt: skip
def test_nothing_is_said_where_something_else_decides(rest, path):
    if path is None:
        lines, count = properties_after(file_of("f: {type: string}", rest=rest), [{"f": "x"}] * 20)
        assert (lines, count) == (["f: {type: string}"], 0)
    else:
        part = "type: object\nproperties:\n  x: {type: string}\n"
        files = {"_common/part.yaml": part, **path}
        text = HEAD + "  properties: {f: {$ref: ../_common/part.yaml}}\n"
        texts, _ = widened_texts({PATH: text, **files}, {URN: [{"f": {"x": "a"}}] * 20})
        assert texts["_common/part.yaml"] == part


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            HEAD + "  properties: {f: {type: string}, g: {type: string}}\n", id="several properties on a line"
        ),
        pytest.param(file_of('f: {type: string, description: "one', '    two"}'), id="a line that ends within a text"),
    ],
)
def test_a_line_that_cannot_take_a_comment_stays(text):
    texts, result = widened_texts({PATH: text}, {URN: [{"f": "x"}] * 20})
    assert (texts[PATH], result.narrower) == (text, 0)


def test_carriage_returns_stay():
    text = file_of("f: {type: string}", "g: {type: string}").replace("\n", "\r\n")
    texts, _ = widened_texts({PATH: text}, {URN: [{"f": "x", "g": "x"}] * 20})
    assert texts[PATH] == text.replace("string}", "string}  # could be narrower: always there")
