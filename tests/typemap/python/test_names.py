from __future__ import annotations

import ast
import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.model import Urn
from babelreg.typemap.names import class_name, visible
from babelreg.typemap.python.names import attributes, docstring, in_order, literal, module_name


@pytest.mark.parametrize(
    "urn, name, module",
    [
        pytest.param("urn:babel:orders:created", "OrdersCreated", "orders_created", id="a plain name"),
        pytest.param("urn:babel:orders:created.v2", "OrdersCreatedV2", "orders_created_v2", id="a version"),
        pytest.param("urn:babel:email-out:welcome.send_now", "EmailOutWelcomeSendNow", "email_out_welcome_send_now",
                     id="hyphens, dots and underscores"),
        pytest.param("urn:babel:2fa:code.sent", "Message2faCodeSent", "message_2fa_code_sent", id="a digit first"),
        pytest.param("urn:babel:-:x", "FieldX", "x", id="a context of hyphens"),
    ],
)  # fmt: skip
def test_names_come_from_the_urn(urn: str, name: str, module: str) -> None:
    parsed = Urn.parse(urn)
    assert (class_name(parsed), module_name(parsed)) == (name, module)


@pytest.mark.parametrize(
    "properties, names",
    [
        pytest.param(["order_id", "orderId"], ["order_id", "orderId"], id="fit names stay"),
        pytest.param(["a-b", "a b", "a_b"], ["a_b_2", "a_b_3", "a_b"], id="the fit one keeps its name"),
        pytest.param(["class", "None"], ["class_", "None_"], id="keywords"),
        pytest.param(["str", "copy", "model_dump"], ["str_", "copy_", "model_dump_"], id="names that are in use"),
        pytest.param(["_id", "__class__"], ["id", "class_"], id="leading underscores"),
        pytest.param(["2nd", "", "$"], ["field_2nd", "field", "field_2"], id="no letters"),
        pytest.param(["ﬁ", "fi", "größe"], ["fi_2", "fi", "groe"], id="beyond ASCII"),
        pytest.param(["Money"], ["Money_"], id="the name of a class of the module"),
        pytest.param(["self"], ["self_"], id="self"),
    ],
)
def test_attribute_names(properties: list[str], names: list[str]) -> None:
    assert list(attributes(properties, ["Money"]).values()) == names


@given(st.lists(st.text(max_size=8), unique=True, max_size=8), st.text(max_size=8))
def test_attributes_are_fit_and_distinct_and_fit_ones_survive_an_addition(properties: list[str], added: str) -> None:
    found = attributes(properties)
    assert len(set(found.values())) == len(properties)
    for name in found.values():
        assert name.isascii()
        assert name.isidentifier()
        assert not keyword.iskeyword(name)
    if added not in properties:
        again = attributes([added, *properties])
        assert all(again[name] == name for name in properties if found[name] == name)


def test_every_public_name_of_pydantics_base_model_is_taken() -> None:
    pydantic = pytest.importorskip("pydantic")
    public = [name for name in dir(pydantic.BaseModel) if not name.startswith("_")]
    assert not [name for name, attribute in attributes(public).items() if name == attribute]


@given(st.text())
def test_a_literal_is_printable_ascii_or_letters_and_means_the_text(text: str) -> None:
    spelled = literal(text)
    assert ast.literal_eval(spelled) == text
    assert spelled.isprintable()


@given(st.text())
def test_a_docstring_is_one_statement_whatever_it_says(text: str) -> None:
    statements = ast.parse(docstring(text)).body
    assert len(statements) == 1
    assert ast.literal_eval(docstring(text)).strip() == visible(text).strip() or "\n" in text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('"""', id="three quotes"),
        pytest.param('ends with "', id="a quote at the end"),
        pytest.param("ends with \\", id="a backslash at the end"),
        pytest.param('\\"""; import os', id="an escaped quote"),
        pytest.param("\\N{BULLET} \\x41", id="escapes"),
    ],
)
def test_a_docstring_says_what_it_was_given(text: str) -> None:
    assert ast.literal_eval(docstring(text)) == text


@pytest.mark.parametrize("code", [0x202E, 0x200B, 0x2028, 0xFEFF, 0xD800, 0x00, 0x85, 0xE0001])
def test_nothing_invisible_is_left_in_a_literal(code: int) -> None:
    assert chr(code) not in literal(f"a{chr(code)}b")


def test_names_stand_as_import_sorters_want_them() -> None:
    names = ["drain", "Context", "MISSING", "OrdersV10", "OrdersV2", "Consumer", "ORDERS"]
    assert in_order(names) == ["MISSING", "ORDERS", "Consumer", "Context", "OrdersV2", "OrdersV10", "drain"]


def test_a_property_named_like_a_class_gives_way() -> None:
    assert attributes(["Order", "order"], {"Order"}) == {"Order": "Order_", "order": "order"}
