"""Random schemas, and edits of schemas and certificates: what the tests of the certificates draw their claims from."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

DOCUMENTS: list[Any] = [
    None, True, False, 0, 1, 2, 3, 4, -2, 1.5, 0.5, 10, "", "a", "b", "ab", "ba", "abc", "aa", "1", "a\n", "2024-02-29",
    [], [1], ["a"], [1, 1], [1, 2], [1, "a"], [1, 2, 3], [None], [[1]], [{}], [{"a": 1}], ["a", "b"],
    {}, {"a": 1}, {"a": "a"}, {"b": None}, {"c": 1}, {"a": {"a": 1}}, {"a": 1, "b": "b"}, {"ab": 1}, {"a": []},
    {"a": 5, "b": 2}, {"a": None}, {"b": "ab"}, {"a": "a", "b": 1, "c": []}, {"a": {"b": 1}}, {"d": 1, "a": 1},
]  # fmt: skip

_LEAVES: list[Any] = [
    True, {"type": "string"}, {"type": "integer"}, {"type": "number"}, {"type": ["string", "null"]}, {"const": 1},
    {"enum": ["a", "b"]}, {"enum": ["a", 1, None]}, {"minimum": 1}, {"maximum": 3}, {"exclusiveMinimum": 1},
    {"multipleOf": 2}, {"type": "integer", "minimum": 2, "maximum": 9}, {"minLength": 2}, {"maxLength": 1},
    {"type": "string", "pattern": "^a"}, {"pattern": "^[ab]{1,2}$"}, {"pattern": "b$"}, {"minItems": 1},
    {"maxItems": 1}, {"uniqueItems": True}, {"required": ["a"]}, {"minProperties": 1}, {"maxProperties": 1},
    {"type": "object"}, {"type": "array"}, {"type": "boolean"}, {"not": {"type": "string"}}, {"$ref": "#/$defs/n"},
]  # fmt: skip


def random_schema(chance: random.Random, depth: int = 0, unions: float = 0.0) -> Any:
    """A schema of a few keywords, whose parts are much alike. ``unions`` is the share that certainly apply others."""
    kind = 0.65 + chance.random() * 0.35 if chance.random() < unions else chance.random()
    if depth > 2 or kind < 0.3:
        return copy.deepcopy(chance.choice(_LEAVES))

    def part() -> Any:
        return random_schema(chance, depth + 1, unions)

    if kind < 0.65:
        schema: dict[str, Any] = {"type": "object", "properties": {n: part() for n in chance.sample("ab", 2)}}
        if chance.random() < 0.5:
            schema["required"] = chance.sample("ab", chance.randint(1, 2))
        for keyword, make in (
            ("additionalProperties", lambda: chance.choice([False, part()])),
            ("patternProperties", lambda: {chance.choice(["^a", "b", "^[bc]$"]): part()}),
            ("dependentRequired", lambda: {"a": ["b"]}),
            ("dependentSchemas", lambda: {"b": part()}),
            ("propertyNames", lambda: {"maxLength": chance.randint(1, 2)}),
        ):
            if chance.random() < 0.2:
                schema[keyword] = make()
        return schema
    if kind < 0.8:
        schema = {"type": "array", "items": part()}
        for keyword, value in (("minItems", 1), ("maxItems", 2), ("prefixItems", [part()]), ("contains", part())):
            if chance.random() < 0.25:
                schema[keyword] = value
        return schema
    if kind < 0.95:
        return {chance.choice(["anyOf", "oneOf", "allOf"]): [part() for _ in range(chance.randint(1, 3))]}
    return {"if": part(), "then": part(), "else": part()} if chance.random() < 0.5 else {"not": part()}


def with_definition(schema: Any, chance: random.Random) -> Any:
    """The schema as a document with the one definition that its parts refer to."""
    if not isinstance(schema, dict):
        return schema
    return {
        **schema,
        "$defs": {"n": chance.choice([{"type": "integer"}, {"type": "object", "properties": {"a": True}}])},
    }


def edited(value: Any, chance: random.Random, times: int = 1) -> Any:
    """A copy with a few small changes: what someone would do to a schema, and to a certificate."""
    result = copy.deepcopy(value)
    for _ in range(times):
        places = list(containers(result))
        if not places:
            return result
        holder = chance.choice(places)
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        key = chance.choice(list(keys))
        action = chance.random()
        if action < 0.25 and isinstance(holder, dict):
            del holder[key]
        elif action < 0.4 and isinstance(holder, list):
            holder.pop(key)
        elif action < 0.55:
            other = chance.choice(places)
            holder[key] = copy.deepcopy(chance.choice(list(other.values()) if isinstance(other, dict) else other))
        else:
            holder[key] = altered(holder[key], chance)
    return result


def containers(value: Any) -> Iterator[Any]:
    """Every list and mapping with a member."""
    if isinstance(value, (dict, list)) and value:
        yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from containers(item)


def altered(value: Any, chance: random.Random) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + chance.choice([-1, 1, 2])
    if isinstance(value, str):
        words = ["string", "integer", "number", "null", "object", "anyOf", "", "a", "^a", RULES[0], value + "a"]
        return chance.choice([*words, *RULES])
    return chance.choice([True, False, {}, [], None, 0])


RULES = (
    "hypothesis", "types", "cases", "keywords", "same", "values", "apart", "no-string", "no-item", "no-contained",
    "no-property", "all", "branches", "only", "if", "items", "contains-same", "contains-at", "contains-every", "names",
    "listed-names", "properties", "dependent", "evident",
)  # fmt: skip
