from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.typemap.typescript.names import jsdoc, key, literal


@pytest.mark.parametrize(
    "name, spelled",
    [
        pytest.param("order_id", "order_id", id="an identifier"),
        pytest.param("$x", "$x", id="a dollar"),
        pytest.param("class", "class", id="a keyword, which a key may be"),
        pytest.param("__proto__", "__proto__", id="a name of prototypes, which a type may have"),
        pytest.param("order-id", '"order-id"', id="a hyphen"),
        pytest.param("2nd", '"2nd"', id="a digit first"),
        pytest.param("", '""', id="empty"),
        pytest.param("größe", '"größe"', id="beyond ASCII"),
        pytest.param('a"b', '"a\\"b"', id="a quote"),
        pytest.param("a\n", '"a\\n"', id="a newline at the end"),
    ],
)
def test_keys(name: str, spelled: str) -> None:
    assert key(name) == spelled


@pytest.mark.parametrize(
    "text, spelled",
    [
        pytest.param("web", '"web"', id="plain"),
        pytest.param("\u2028", '"\\u2028"', id="a line separator"),
        pytest.param("\u202e", '"\\u202e"', id="the order of display reversed"),
        pytest.param("\x7f", '"\\u007f"', id="delete"),
        pytest.param("\U000e0001", '"\\udb40\\udc01"', id="invisible, beyond 16 bits"),
        pytest.param("\ud83d", '"\\ud83d"', id="half a pair"),
    ],
)
def test_literals(text: str, spelled: str) -> None:
    assert literal(text) == spelled


@given(st.text())
def test_a_literal_means_the_text(text: str) -> None:
    assert json.loads(literal(text)) == text
    assert literal(text).isprintable()


@pytest.mark.parametrize(
    "paragraphs, tags, comment",
    [
        pytest.param([], (), "", id="nothing"),
        pytest.param([None, " "], (), "", id="nothing but spaces"),
        pytest.param(["One."], (), "/** One. */\n", id="one line"),
        pytest.param(["One.", "Two."], (), "/**\n * One.\n *\n * Two.\n */\n", id="two paragraphs"),
        pytest.param(["One."], ("@deprecated",), "/**\n * One.\n *\n * @deprecated\n */\n".replace(" *\n * @", " * @"),
                     id="a tag"),
        pytest.param(["a */ b"], (), "/** a *\\/ b */\n", id="the end of a comment"),
        pytest.param(["@internal"], (), "/** \\@internal */\n", id="a tag in a text"),
        pytest.param(["{@link x}"], (), "/** {\\@link x} */\n", id="a tag within a line"),
    ],
)  # fmt: skip
def test_comments(paragraphs: list[str | None], tags: tuple[str, ...], comment: str) -> None:
    assert jsdoc(paragraphs, tags) == comment


@given(st.lists(st.text(alphabet="*/@{} \nab", max_size=150), max_size=3))
def test_a_comment_ends_once(paragraphs: list[str]) -> None:
    comment = jsdoc(paragraphs)
    assert comment == "" or comment.index("*/") == len(comment) - 3
