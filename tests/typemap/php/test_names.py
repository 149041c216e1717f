from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.typemap.php.names import attributes, claim, constant, docblock, is_namespace, literal, parameter, part


@pytest.mark.parametrize(
    "properties, words",
    [
        pytest.param(["order_id", "total"], ["OrderId", "Total"], id="snake case"),
        pytest.param(["orderId", "Total"], ["OrderId", "Total"], id="camel case"),
        pytest.param(["Order-Id", "order_id"], ["OrderId_2", "OrderId"], id="the plain one keeps its name"),
        pytest.param(["URL", "Url", "url"], ["URL_2", "Url_3", "Url"], id="PHP ignores the case of methods"),
        pytest.param(["class", "list", "this"], ["Class", "List", "This"], id="keywords"),
        pytest.param(["out_x", "x"], ["OutX", "X_2"], id="with OutX and without X"),
        pytest.param(["extra", "babel_urn"], ["Extra_2", "BabelUrn_2"], id="names of our own members"),
        pytest.param(["2nd", "", "$"], ["Field2nd", "Field", "Field_2"], id="no letters"),
        pytest.param(["ﬁ", "fi", "größe"], ["Fi_2", "Fi", "Groe"], id="beyond ASCII"),
    ],
)
def test_words_of_accessors(properties: list[str], words: list[str]) -> None:
    assert list(attributes(properties).values()) == words


@given(st.lists(st.text(max_size=8), unique=True, max_size=8))
def test_accessors_and_parameters_are_distinct_identifiers(properties: list[str]) -> None:
    words = attributes(properties)
    assert list(words) == properties
    methods = [f"{accessor}{word}".lower() for word in words.values() for accessor in ("get", "has", "with", "without")]
    assert len(set(methods)) == len(methods)
    parameters = [parameter(word) for word in words.values()]
    assert len(set(parameters)) == len(parameters)
    assert "this" not in parameters
    assert all(re.fullmatch(r"[a-z]\w*", name, re.A) for name in parameters)


@pytest.mark.parametrize(
    "name, class_",
    [
        ("Line", "Line"),
        ("List", "ListData"),
        ("string", "stringData"),
        ("JsonObject", "JsonObjectData"),
        ("2nd", "Part2nd"),
        ("A" * 300, "A" * 100),
    ],
)
def test_names_of_parts(name: str, class_: str) -> None:
    assert part(name) == class_


def test_names_that_differ_in_case_are_one_name() -> None:
    used: set[str] = set()
    assert [claim(name, used) for name in ("Money", "MONEY", "money")] == ["Money", "MONEY2", "money3"]


@pytest.mark.parametrize(
    "texts, name",
    [
        (("channel", "in-store"), "CHANNEL_IN_STORE"),
        (("orderStatus", "paidLate"), "ORDER_STATUS_PAID_LATE"),
        (("x", ""), "X_EMPTY"),
        (("x", "名"), "X_FIELD"),
        (("2nd", "1"), "FIELD_2ND_1"),
    ],
)
def test_names_of_constants(texts: tuple[str, ...], name: str) -> None:
    assert constant(*texts) == name


@pytest.mark.parametrize(
    "text, written",
    [
        pytest.param("orders", "'orders'", id="plain"),
        pytest.param("it's", "'it\\'s'", id="a quote"),
        pytest.param("a\\", "'a\\\\'", id="a backslash at the end"),
        pytest.param("$x {$y}", "'$x {$y}'", id="variables mean nothing in single quotes"),
        pytest.param("größe", "'größe'", id="letters"),
        pytest.param("a\n$x", '"a\\u{a}\\$x"', id="a line end"),
        pytest.param("\u202e", '"\\u{202e}"', id="a mark that reorders text"),
        pytest.param("\ud800", '"\\u{d800}"', id="an unpaired surrogate"),
        pytest.param("\U0001f469\u200d", '"👩\\u{200d}"', id="a character that hides"),
    ],
)
def test_literals(text: str, written: str) -> None:
    assert literal(text) == written


@given(st.text())
def test_literals_are_one_line_of_visible_text_that_ends_where_it_should(text: str) -> None:
    written = literal(text)
    assert re.fullmatch(r"'(?:\\['\\]|[^'\\\n])*'|\"(?:\\(?:[\"\\$]|u\{[0-9a-f]+\})|[^\"\\$\n])*\"", written)
    assert written.isprintable()


@pytest.mark.parametrize(
    "paragraphs, tags, text",
    [
        pytest.param([None, " "], [], "", id="nothing"),
        pytest.param(["Total."], [], "/** Total. */\n", id="a line"),
        pytest.param(["A.", "B."], [], "/**\n * A.\n *\n * B.\n */\n", id="paragraphs"),
        pytest.param([], ["@return list<int>"], "/** @return list<int> */\n", id="a tag"),
        pytest.param(["A."], ["@deprecated"], "/**\n * A.\n *\n * @deprecated\n */\n", id="text and a tag"),
        pytest.param(["a */ b"], [], "/** a *\\/ b */\n", id="the end of a comment"),
        pytest.param(["@var int"], [], "/** \\@var int */\n", id="a tag of the text"),
        pytest.param(["{@see x} (@y) a@b.example"], [], "/** {\\@see x} (\\@y) a@b.example */\n", id="inline tags"),
        pytest.param(["x@phpstan-ignore-line"], [], "/** x@ phpstan-ignore-line */\n", id="an order to a tool"),
        pytest.param(["a\u202eb"], [], "/** a\\u202eb */\n", id="a mark that reorders text"),
        pytest.param([], ["@deprecated */ x\ny"], "/** @deprecated *\\/ x y */\n", id="a text in a tag"),
    ],
)
def test_docblocks(paragraphs: list[str | None], tags: list[str], text: str) -> None:
    assert docblock(paragraphs, tags) == text


@pytest.mark.parametrize(
    "name, valid",
    [
        *[("Messages", True), ("Acme\\Messages", True), ("acme\\m_2", True), ("", False), ("\\Messages", False)],
        *[
            ("Acme\\", False),
            ("2m", False),
            ("Acme\\List", False),
            ("a-b", False),
            ("a\n", False),
            ("namespace", False),
        ],
    ],
)
def test_namespaces(name: str, valid: bool) -> None:
    assert is_namespace(name) is valid
