from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.typemap.go.names import attributes, comment, is_package, literal


@pytest.mark.parametrize(
    "properties, names",
    [
        pytest.param(["order_id", "total"], ["OrderID", "Total"], id="snake case"),
        pytest.param(["orderId", "Total"], ["OrderID", "Total"], id="camel case"),
        pytest.param(["Order-Id", "order_id"], ["OrderID_2", "OrderID"], id="the plain one keeps its name"),
        pytest.param(["a-b", "a b", "a_b"], ["AB_2", "AB_3", "AB"], id="names that differ in signs"),
        pytest.param(["type", "func", "range"], ["Type", "Func", "Range"], id="keywords"),
        pytest.param(["extra", "URN", "urn"], ["Extra_2", "URN_2", "Urn"], id="names of our own members"),
        pytest.param(["marshalJSON", "UnmarshalJSON"], ["MarshalJSON_2", "UnmarshalJSON_2"], id="names of our methods"),
        pytest.param(["2nd", "", "$"], ["Field2nd", "Field", "Field_2"], id="no letters"),
        pytest.param(["ﬁ", "fi", "größe"], ["Fi_2", "Fi", "Groe"], id="beyond ASCII"),
        pytest.param(["image_url", "sku", "api_key"], ["ImageURL", "SKU", "APIKey"], id="initialisms"),
    ],
)
def test_field_names(properties: list[str], names: list[str]) -> None:
    assert list(attributes(properties).values()) == names


@given(st.lists(st.text(max_size=8), unique=True, max_size=8))
def test_fields_are_exported_identifiers_and_distinct(properties: list[str]) -> None:
    found = attributes(properties)
    assert list(found) == properties
    assert len(set(found.values())) == len(properties)
    assert all(re.fullmatch(r"[A-Z][A-Za-z0-9_]*", name, re.A) for name in found.values())


@given(st.text())
def test_a_literal_is_printable_and_means_the_text(text: str) -> None:
    spelled = literal(text)
    assert spelled.isprintable()
    # JSON has these escapes, too, but the long one, which stands for two short ones.
    read = re.sub(r"\\\\|\\U([0-9a-f]{8})", lambda match: chr(int(match[1], 16)) if match[1] else match[0], spelled)
    assert json.loads(read) == re.sub("[\ud800-\udfff]", "\ufffd", text)


@pytest.mark.parametrize(
    "text, lines",
    [
        pytest.param("How many.", ["// How many."], id="a sentence"),
        pytest.param("How many", ["// How many."], id="one that gofmt would take for a heading"),
        pytest.param("a\nb\n\nc", ["// a b.", "//", "// c."], id="paragraphs"),
        pytest.param("- a\n- b", ["// \\- a - b."], id="a list"),
        pytest.param("1. a", ["// \\1. a."], id="a numbered list"),
        pytest.param("# Title", ["// \\# Title."], id="a heading"),
        pytest.param("[x]: http://e.example", ["// \\[x]: http://e.example."], id="a definition of a link"),
        pytest.param("Deprecated: no.", ["// \\Deprecated: no."], id="what tools take for a deprecation"),
        pytest.param("``a''", ["// “a”"], id="quotation marks as gofmt writes them"),
        pytest.param("go:build x\n//go:embed y", ["// go:build x //go:embed y."], id="directives"),
        pytest.param("a\u202eb\x00", ["// a\\u202eb\\x00."], id="characters that reorder or hide"),
        pytest.param(" \n ", [], id="blanks"),
        pytest.param("x" * 99 + " - y.", ["// " + "x" * 99, "// \\- y."], id="a sign that a wrapped line begins with"),
    ],
)  # fmt: skip
def test_comments(text: str, lines: list[str]) -> None:
    assert comment([text]).splitlines() == lines


def test_a_deprecation_of_our_own_is_the_last_paragraph() -> None:
    assert comment(["A.", None], "it goes away.", "\t") == "\t// A.\n\t//\n\t// Deprecated: it goes away.\n"


@given(st.text())
def test_each_line_of_a_comment_is_one(text: str) -> None:
    assert all(line == "//" or line.startswith("// ") for line in comment([text]).split("\n")[:-1])
    assert {c for c in comment([text]) if c != "\n" and not c.isprintable()} == set()


@pytest.mark.parametrize(
    "name, can_be",
    [("messages", True), ("m2_x", True), ("go", False), ("2m", False), ("Messages", False), ("vendor", False)],
)
def test_package_names(name: str, can_be: bool) -> None:
    assert is_package(name) == can_be
