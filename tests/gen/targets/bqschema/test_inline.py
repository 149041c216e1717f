from __future__ import annotations

import pytest

from babelreg.gen.targets.bqschema.inline import inlined

MONEY = {"type": "object", "required": ["minor"]}


@pytest.mark.parametrize(
    "schema, expected",
    [
        pytest.param(
            {"properties": {"total": {"$ref": "#/$defs/money"}}, "$defs": {"money": MONEY}},
            {"properties": {"total": MONEY}},
            id="a shared schema",
        ),
        pytest.param(
            {"properties": {"total": {"$ref": "#/$defs/money", "description": "D"}}, "$defs": {"money": MONEY}},
            {"properties": {"total": {**MONEY, "description": "D"}}},
            id="a shared schema with a description",
        ),
        pytest.param(
            {"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"$ref": "#/$defs/money"}, "money": MONEY}},
            {"items": MONEY},
            id="a reference to a reference",
        ),
        pytest.param(
            {"items": {"$ref": "#/$defs/money", "maxProperties": 2}, "$defs": {"money": MONEY}},
            {"items": {"$ref": "#/$defs/money", "maxProperties": 2}, "$defs": {"money": MONEY}},
            id="keywords beside the reference",
        ),
        pytest.param(
            {"items": {"$ref": "#/$defs/node"}, "$defs": {"node": {"items": {"$ref": "#/$defs/node"}}}},
            {"items": {"$ref": "#/$defs/node"}, "$defs": {"node": {"items": {"$ref": "#/$defs/node"}}}},
            id="a schema that contains itself",
        ),
        pytest.param(
            {"$ref": "#/$defs/money", "$defs": {"money": MONEY}},
            MONEY,
            id="a reference at the root",
        ),
    ],
)
def test_references_are_replaced_where_the_meaning_stays(schema, expected):
    assert inlined(schema) == expected


def test_a_schema_that_grows_without_measure_is_left_as_it_is():
    levels = {f"l{n}": {"allOf": [{"$ref": f"#/$defs/l{n + 1}"}] * 4} for n in range(20)}
    schema = {"$ref": "#/$defs/l0", "$defs": {**levels, "l20": {}}}
    assert inlined(schema) is schema
