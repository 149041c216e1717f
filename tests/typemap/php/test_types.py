from __future__ import annotations

from typing import Any

import pytest

from babelreg.typemap.php.types import PhpClass, PhpProperty, classes, shape_of

_A = {"type": "object", "properties": {"a": {}}}
_B = {"type": "object", "properties": {"b": {}}}


def of(schema: Any, **document: Any) -> list[PhpClass]:
    """Return the classes of data whose only property, x, has ``schema``."""
    data = {"type": "object", "properties": {"x": schema}, **document}
    return classes(shape_of(data, "Data"), "Messages")


def the(schema: Any, **document: Any) -> PhpProperty:
    (found,) = of(schema, **document)[0].properties
    return found


@pytest.mark.parametrize(
    "schema, native, doc, json",
    [
        pytest.param({"type": "string"}, "string", "", "JsonType::text()", id="text"),
        pytest.param({"type": "integer"}, "int", "", "JsonType::integer()", id="an integer"),
        pytest.param({"type": "number"}, "int|float", "", "JsonType::number()", id="a number"),
        pytest.param({"type": ["number", "integer"]}, "int|float", "", "JsonType::number()", id="a number, twice"),
        pytest.param({"type": "null"}, "null", "", "JsonType::null()", id="null"),
        pytest.param({}, "mixed", "", "JsonType::any()", id="anything"),
        pytest.param({"type": ["string", "null"]}, "?string", "",
                     "JsonType::anyOf(JsonType::text(), JsonType::null())", id="text or null"),
        pytest.param({"type": "array", "items": {"type": ["integer", "null"]}}, "array", "list<int|null>",
                     "JsonType::list(JsonType::anyOf(JsonType::integer(), JsonType::null()))", id="a list"),
        pytest.param({"type": "array"}, "array", "list<mixed>", "JsonType::list(JsonType::any())", id="any list"),
        pytest.param({"type": "object", "additionalProperties": {"type": "boolean"}}, "array", "array<bool>",
                     "JsonType::map(JsonType::boolean())", id="a map"),
        pytest.param({"type": ["array", "object"]}, "\\stdClass|array", "\\stdClass|list<mixed>",
                     "JsonType::anyOf(JsonType::members(JsonType::any()), JsonType::list(JsonType::any()))",
                     id="a list or a map"),
        pytest.param(_A, "Data\\X", "", "JsonType::object(Data\\X::class)", id="an object"),
        pytest.param({"$ref": "#"}, "Data", "", "JsonType::object(Data::class)", id="itself"),
        pytest.param({"oneOf": [_A, _B]}, "Data\\XOption1|Data\\XOption2", "",
                     "JsonType::anyOf(JsonType::object(Data\\XOption1::class), JsonType::object(Data\\XOption2::class))",
                     id="one of two objects"),
        pytest.param({"enum": ["a", "b"]}, "string", "self::X_A|self::X_B", "JsonType::oneOf(self::X_A, self::X_B)",
                     id="listed texts"),
        pytest.param({"enum": ["a", "b"], "x-open-enum": True}, "string", "", "JsonType::text()", id="an open enum"),
        pytest.param({"enum": ["a", 1, None, True]}, "string|int|bool|null", "self::X_A|1|null|true",
                     "JsonType::oneOf(self::X_A, 1, null, true)", id="listed scalars"),
        pytest.param({"const": -(2**63)}, "int", "PHP_INT_MIN", "JsonType::oneOf(PHP_INT_MIN)", id="the least integer"),
        pytest.param({"enum": [1.5]}, "int|float", "", "JsonType::number()", id="a listed fraction"),
        pytest.param({"const": 2**63}, "int", "", "JsonType::integer()", id="an integer that does not fit into 64 bits"),
        pytest.param({"const": {"a": 1}}, "array", "array<mixed>", "JsonType::map(JsonType::any())", id="a listed object"),
    ],
)  # fmt: skip
def test_types(schema: Any, native: str, doc: str, json: str) -> None:
    x = the(schema, required=["x"])
    assert (x.native, x.doc, x.json) == (native, doc, json)
    assert (x.get_native, x.get_doc) == (native, doc)


@pytest.mark.parametrize(
    "schema, native, doc",
    [
        pytest.param({"type": "string"}, "?string", "", id="text"),
        pytest.param({"type": "number"}, "int|float|null", "", id="a number"),
        pytest.param({"type": ["string", "null"]}, "?string", "", id="text or null"),
        pytest.param({"type": "array", "items": {"type": "string"}}, "?array", "list<string>|null", id="a list"),
        pytest.param({"enum": ["a"]}, "?string", "self::X_A|null", id="listed texts"),
        pytest.param({"type": "null"}, "null", "", id="null"),
        pytest.param({}, "mixed", "", id="anything"),
    ],
)
def test_what_may_be_absent_is_null_for_get_alone(schema: Any, native: str, doc: str) -> None:
    x = the(schema)
    assert (x.get_native, x.get_doc) == (native, doc)
    assert x.native == the(schema, required=["x"]).native


def test_parts_refer_to_each_other_within_their_namespace_and_to_the_message_by_its_full_name() -> None:
    part = {"type": "object", "properties": {"up": {"$ref": "#"}, "next": {"$ref": "#/$defs/list"}}}
    root, found, *_ = of({"$ref": "#/$defs/list"}, **{"$defs": {"list": part}})
    assert [each.native for each in root.properties] == ["Data\\ListData"]
    assert (found.name, [each.native for each in found.properties]) == ("ListData", ["\\Messages\\Data", "ListData"])


def test_constants_name_the_known_values() -> None:
    root = of({"enum": ["web", "Web", "", "in-store", "2", "名"], "x-open-enum": True})[0]
    assert root.constants == (
        ("X_WEB", "'web'"),
        ("X_WEB_2", "'Web'"),
        ("X_EMPTY", "''"),
        ("X_IN_STORE", "'in-store'"),
        ("X_2", "'2'"),
        ("X_FIELD", "'名'"),
    )


def test_no_two_classes_of_a_message_share_a_file() -> None:
    definitions = {"money": _A, "Money": _B, "MONEY": _A}
    references = [{"$ref": f"#/$defs/{name}"} for name in definitions]
    names = [each.name for each in of({"type": "array", "prefixItems": references}, **{"$defs": definitions})]
    assert len({name.lower() for name in names}) == len(names) >= 3
