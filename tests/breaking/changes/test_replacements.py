"""Which keywords are replaced as a whole, at which value, and how far what they say reaches."""

from __future__ import annotations

from typing import Any

import pytest

from babelreg.breaking.changes.replacements import replacements

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param({"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}, [("$ref", ())], id="another definition"),
        pytest.param({"items": TEXT}, {"items": NUMBER}, [], id="a type within is an edit of its own"),
        pytest.param({"items": TEXT}, {}, [("items", ())], id="a keyword that is gone"),
        pytest.param({"items": TEXT}, {"items": False}, [("items", ())], id="a boolean in place of a schema"),
        pytest.param({"allOf": [TEXT]}, {"allOf": [TEXT, NUMBER]}, [("allOf", ())], id="another number of members"),
        pytest.param({"allOf": [TEXT]}, {"allOf": [NUMBER]}, [], id="as many members"),
        pytest.param({"patternProperties": {"a": TEXT}}, {}, [("patternProperties", ())], id="patterns that are gone"),
        pytest.param({"properties": {"a": TEXT}}, {"properties": {}}, [], id="a property comes or goes by itself"),
        pytest.param(
            {"properties": {"a": {"items": {"$ref": "#/$defs/a"}}}},
            {"properties": {"a": {"items": {"$ref": "#/$defs/b"}}}},
            [("$ref", ("a", 0))],
            id="at a value within",
        ),
        pytest.param({}, {}, [], id="nothing"),
    ],
)
def test_replaced_keywords(old: Any, new: Any, found: list[tuple[str, Any]]) -> None:
    definitions = {"$defs": {"a": TEXT, "b": NUMBER}}
    edits = replacements({**old, **definitions}, {**new, **definitions})
    assert [(edit.keyword, edit.place) for edit in edits] == found


def test_what_it_refers_to_is_in_its_range() -> None:
    definitions = {"$defs": {"a": TEXT, "b": {"items": {"$ref": "#/$defs/c"}}, "c": NUMBER}}
    old, new = ({"properties": {"x": {"$ref": f"#/$defs/{name}"}}, **definitions} for name in "ab")
    (edit,) = replacements(old, new)
    assert edit.holds(("$defs", "c", "type"), new=True)
    assert not edit.holds(("$defs", "c", "type"), new=False)
    assert edit.holds(("$defs", "a", "type"), new=False)
    assert edit.is_around(("x", 0))
    assert not edit.is_around(("y", 0))


def test_a_definition_may_apply_elsewhere() -> None:
    old, new = ({"$ref": f"#/$defs/{name}"} for name in "bc")
    definitions = {"b": TEXT, "c": NUMBER}
    both = [
        {
            "properties": {"x": {"$ref": "#/$defs/a"}, "y": {"items": {"$ref": "#/$defs/a"}}},
            "$defs": {"a": {"properties": {"in": inner}}, **definitions},
        }
        for inner in (old, new)
    ]
    (edit,) = replacements(*both)
    assert (edit.place, edit.tail) == (("x", "in"), ("in",))
    assert edit.may_be_around(("y", 0, "in"))
    assert not edit.may_be_around(("y", 0, "out"))


def test_a_reference_in_place_of_a_schema_replaces_all_of_it() -> None:
    old = {"properties": {"x": {"properties": {"a": TEXT}}}}
    (edit,) = replacements(old, {"properties": {"x": {"$ref": "#/$defs/a"}}, "$defs": {"a": NUMBER}})
    assert edit.holds(("properties", "x", "properties", "a"), new=False)


def test_a_reference_beside_a_schema_replaces_nothing_of_it() -> None:
    old = {"properties": {"x": {"properties": {"a": TEXT}}}}
    beside = {"properties": {"x": {"$ref": "#/$defs/a", "properties": {"a": NUMBER}}}, "$defs": {"a": NUMBER}}
    (edit,) = replacements(old, beside)
    assert not edit.holds(("properties", "x", "properties", "a"), new=False)
