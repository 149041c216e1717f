"""Schemas that grow and are meant to be hard: each family makes the old and the new one of a size."""

# ruff: noqa: UP031

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Schema = dict[str, Any]
Pair = tuple[Schema, Schema]
FAMILIES: dict[str, Callable[[int], Pair]] = {}


def family(make: Callable[[int], Pair]) -> Callable[[int], Pair]:
    FAMILIES[make.__name__] = make
    return make


def obj(properties: Schema, **more: Any) -> Schema:
    return {"type": "object", "properties": properties, **more}


@family
def recursive_map(n: int) -> Pair:
    s = {
        "type": "object",
        "patternProperties": {"^[a-z]+$": {"$ref": "#"}},
        "properties": {chr(97 + i % 26) * (1 + i // 26): {"type": "string"} for i in range(n)},
    }
    return s, {**s, "maxProperties": 5}


@family
def many_patterns(n: int) -> Pair:
    s = {"type": "object", "patternProperties": {f"^[a-z]{{{i},}}x": {"$ref": "#"} for i in range(1, n + 1)}}
    return s, {**s, "properties": {"abcx": {"type": "string"}}}


@family
def many_properties(n: int) -> Pair:
    s = obj({f"p{i}": {"type": "string"} for i in range(n)})
    return s, obj({**s["properties"], "p0": {"type": ["string", "null"]}})


@family
def any_of_wide(n: int) -> Pair:
    b = [obj({"k": {"const": f"v{i}"}, "x": {"type": "integer"}}, required=["k"]) for i in range(n)]
    return {"anyOf": b}, {"anyOf": [*b, {"type": "null"}]}


@family
def one_of_wide(n: int) -> Pair:
    b = [obj({"k": {"const": f"v{i}"}, "x": {"type": "integer"}}, required=["k"]) for i in range(n)]
    return {"oneOf": b}, {"oneOf": [*b, {"type": "null"}]}


@family
def one_of_untagged(n: int) -> Pair:
    b = [obj({f"k{i}": {"type": "string"}}, required=[f"k{i}"]) for i in range(n)]
    return {"oneOf": b}, {"oneOf": [*b[1:], obj({"k0": {"type": "string", "maxLength": 9}}, required=["k0"])]}


@family
def nested_unions(n: int) -> Pair:
    s = {"type": "string"}
    for _i in range(n):
        s = {"anyOf": [obj({"a": s}), obj({"b": s})]}
    t = json.loads(json.dumps(s).replace('"string"', '["string","null"]'))
    return s, t


@family
def nested_one_of(n: int) -> Pair:
    s = {"type": "string"}
    for _i in range(n):
        s = {"oneOf": [obj({"a": s}), {"type": "array", "items": s}]}
    return s, json.loads(json.dumps(s).replace('"string"', '["string","null"]'))


@family
def cnf(n: int) -> Pair:
    a = {"allOf": [{"anyOf": [{"required": [f"a{i}"]}, {"required": [f"b{i}"]}]} for i in range(n)]}
    return a, {
        "allOf": [{"anyOf": [{"required": [f"a{i}"]}, {"required": [f"b{i}"]}, {"required": ["c"]}]} for i in range(n)]
    }


@family
def cnf_hard(n: int) -> Pair:
    a = {"allOf": [{"anyOf": [{"required": [f"a{i}"]}, {"required": [f"b{i}"]}]} for i in range(n)]}
    return a, {"anyOf": [{"required": [f"a{i}" for i in range(n)]}, {"minProperties": n}]}


@family
def deep_refs(n: int) -> Pair:
    d = {f"d{i}": obj({"x": {"$ref": f"#/$defs/d{i + 1}"}, "y": {"$ref": f"#/$defs/d{i + 1}"}}) for i in range(n)}
    d[f"d{n}"] = {"type": "string"}
    e = dict(d)
    e[f"d{n}"] = {"type": ["string", "null"]}
    return {"$ref": "#/$defs/d0", "$defs": d}, {"$ref": "#/$defs/d0", "$defs": e}


@family
def ref_chain(n: int) -> Pair:
    d = {f"d{i}": {"$ref": f"#/$defs/d{i + 1}"} for i in range(n)}
    d[f"d{n}"] = {"type": "string"}
    e = dict(d)
    e[f"d{n}"] = {"type": ["string", "null"]}
    return {"$ref": "#/$defs/d0", "$defs": d}, {"$ref": "#/$defs/d0", "$defs": e}


@family
def ref_double(n: int) -> Pair:
    d = {f"d{i}": {"allOf": [{"$ref": f"#/$defs/d{i + 1}"}, {"$ref": f"#/$defs/d{i + 1}"}]} for i in range(n)}
    d[f"d{n}"] = {"type": "string"}
    e = dict(d)
    e[f"d{n}"] = {"type": ["string", "null"]}
    return {"$ref": "#/$defs/d0", "$defs": d}, {"$ref": "#/$defs/d0", "$defs": e}


@family
def ref_any_double(n: int) -> Pair:
    d = {f"d{i}": {"anyOf": [{"$ref": f"#/$defs/d{i + 1}"}, {"$ref": f"#/$defs/d{i + 1}"}]} for i in range(n)}
    d[f"d{n}"] = {"type": "string"}
    e = dict(d)
    e[f"d{n}"] = {"type": ["string", "null"]}
    return {"$ref": "#/$defs/d0", "$defs": d}, {"$ref": "#/$defs/d0", "$defs": e}


@family
def all_of_tower(n: int) -> Pair:
    s = {"type": "object"}
    for i in range(min(n, 90)):
        s = {"allOf": [s, obj({f"p{i}": {"type": "string"}})]}
    return s, {"allOf": [s, obj({"q": {"type": "string"}})]}


@family
def all_of_wide(n: int) -> Pair:
    s = {"allOf": [obj({f"p{i}": {"type": "string"}}) for i in range(n)]}
    return s, {"allOf": [*s["allOf"][1:], obj({"p0": {"type": ["string", "null"]}})]}


@family
def huge_enum(n: int) -> Pair:
    return {"enum": [f"v{i}" for i in range(n)]}, {"enum": [f"v{i}" for i in range(1, n + 1)]}


@family
def huge_enum_objects(n: int) -> Pair:
    return {"enum": [{"a": i, "b": [i]} for i in range(n)]}, {"enum": [{"a": i, "b": [i]} for i in range(1, n + 1)]}


@family
def many_enums(n: int) -> Pair:
    return obj({f"p{i}": {"enum": [f"v{j}" for j in range(100)]} for i in range(n)}), obj(
        {f"p{i}": {"enum": [f"v{j}" for j in range(101)]} for i in range(n)}
    )


@family
def nested_not(n: int) -> Pair:
    s = {"type": "string"}
    t = {"type": ["string", "null"]}
    for _i in range(min(n, 180)):
        s = {"not": s}
        t = {"not": t}
    return s, t


@family
def nested_not_any(n: int) -> Pair:
    s = {"type": "string"}
    t = {"type": ["string", "null"]}
    for i in range(n):
        s = {"not": {"anyOf": [s, {"minLength": i}]}}
        t = {"not": {"anyOf": [t, {"minLength": i}]}}
    return s, t


@family
def unevaluated(n: int) -> Pair:
    s = {
        "type": "object",
        "anyOf": [{"properties": {f"p{i}": {"type": "string"}}} for i in range(n)],
        "unevaluatedProperties": False,
    }
    return s, {**s, "anyOf": s["anyOf"] + [{"properties": {"q": {}}}]}


@family
def unevaluated_nested(n: int) -> Pair:
    s = {"type": "object", "properties": {"z": {}}}
    for i in range(n):
        s = {"anyOf": [s, {"properties": {f"p{i}": {"type": "string"}}}], "unevaluatedProperties": False}
    return s, {**s, "maxProperties": 3}


@family
def big_integers(n: int) -> Pair:
    return {"type": "integer", "maximum": 10**n, "multipleOf": 10 ** (n // 2) + 1}, {
        "type": "integer",
        "maximum": 10**n + 1,
        "multipleOf": 10 ** (n // 2),
    }


@family
def tiny_multiples(n: int) -> Pair:
    return {"type": "number", "multipleOf": float(f"1e-{n}"), "minimum": 0, "maximum": 10**n}, {
        "type": "number",
        "multipleOf": float(f"3e-{n}"),
    }


@family
def long_pattern(n: int) -> Pair:
    return {"type": "string", "pattern": "^" + "(a|b)?" * n + "$"}, {
        "type": "string",
        "pattern": "^[ab]{0,%d}$" % (n + 1),
    }


@family
def blowup_pattern(n: int) -> Pair:
    return {"type": "string", "pattern": "(a|b)*a(a|b){%d}$" % n}, {
        "type": "string",
        "pattern": "(a|b)*a(a|b){%d}$" % (n + 1),
    }


@family
def counted_pattern(n: int) -> Pair:
    return {"type": "string", "pattern": "^([a-z]{1,%d}-){1,%d}x$" % (n, n)}, {
        "type": "string",
        "pattern": "^([a-z0-9]{1,%d}-){1,%d}x$" % (n, n),
    }


@family
def alternation_pattern(n: int) -> Pair:
    return {"type": "string", "pattern": "^(" + "|".join(f"w{i * 7919 % 100003}" for i in range(n)) + ")$"}, {
        "type": "string",
        "pattern": "^(" + "|".join(f"w{i * 7919 % 100003}" for i in range(n + 1)) + ")$",
    }


@family
def redos_pattern(n: int) -> Pair:
    return {"type": "string", "pattern": "^(a+)+$", "minLength": n}, {
        "type": "string",
        "pattern": "^(a+)+b?$",
        "minLength": n - 1,
    }


@family
def redos_names(n: int) -> Pair:
    return {"type": "object", "propertyNames": {"pattern": "^(a|aa)+$"}, "minProperties": n}, {
        "type": "object",
        "propertyNames": {"pattern": "^(a|aa)+$", "minLength": n},
    }


@family
def pattern_product(n: int) -> Pair:
    return {"allOf": [{"type": "string", "pattern": "^.*[%s].{%d}$" % (chr(97 + i), i)} for i in range(n)]}, {
        "type": "string",
        "pattern": "^.*z.{3}$",
    }


@family
def pattern_props(n: int) -> Pair:
    return {
        "type": "object",
        "patternProperties": {f"^{chr(97 + i % 26)}{i}": {"type": "integer"} for i in range(n)},
        "additionalProperties": False,
    }, {
        "type": "object",
        "patternProperties": {f"^{chr(97 + i % 26)}{i}": {"type": "number"} for i in range(n)},
        "additionalProperties": False,
    }


@family
def pattern_props_names(n: int) -> Pair:
    p = {f"^{chr(97 + i % 26)}": {"type": "integer"} for i in range(26)}
    q = {f"{chr(97 + i % 26)}{i}": {"type": "integer"} for i in range(n)}
    return {"type": "object", "patternProperties": p, "properties": q}, {
        "type": "object",
        "patternProperties": p,
        "properties": {**q, "a0": {"type": "number"}},
    }


@family
def dependent_schemas(n: int) -> Pair:
    d = {f"p{i}": {"required": [f"p{i + 1}"], "properties": {f"q{i}": {"type": "string"}}} for i in range(n)}
    return {"type": "object", "dependentSchemas": d}, {
        "type": "object",
        "dependentSchemas": {**d, "p0": {"required": ["p1"]}},
    }


@family
def dependent_required(n: int) -> Pair:
    d = {f"p{i}": [f"p{j}" for j in range(i)] for i in range(n)}
    return {"type": "object", "dependentRequired": d}, {"type": "object", "dependentRequired": {**d, "x": ["p0"]}}


@family
def if_tower(n: int) -> Pair:
    s = {"type": "object"}
    for i in range(min(n, 60)):
        s = {"if": {"required": [f"p{i}"]}, "then": {"properties": {f"q{i}": {"type": "string"}}}, "else": s}
    return s, {**s, "maxProperties": 30}


@family
def if_wide(n: int) -> Pair:
    s = {
        "allOf": [
            {"if": {"properties": {"k": {"const": f"v{i}"}}, "required": ["k"]}, "then": {"required": [f"r{i}"]}}
            for i in range(n)
        ]
    }
    return s, {"allOf": [*s["allOf"][1:], {"maxProperties": 40}]}


@family
def tuples(n: int) -> Pair:
    return {"type": "array", "prefixItems": [{"type": "integer"}] * n}, {
        "type": "array",
        "prefixItems": [{"type": "number"}] * n,
        "items": {"type": "string"},
    }


@family
def big_counts(n: int) -> Pair:
    return {"type": "array", "minItems": 10 ** min(n, 9), "items": {"type": "integer"}}, {
        "type": "array",
        "minItems": 10 ** min(n, 9) + 1,
    }


@family
def big_lengths(n: int) -> Pair:
    return {"type": "string", "minLength": 10 ** min(n, 9)}, {"type": "string", "minLength": 10 ** min(n, 9) + 1}


@family
def big_contains(n: int) -> Pair:
    return {"type": "array", "contains": {"const": 1}, "minContains": n, "uniqueItems": False}, {
        "type": "array",
        "contains": {"type": "integer"},
        "minContains": n + 1,
    }


@family
def unique_items(n: int) -> Pair:
    return {"type": "array", "uniqueItems": True, "minItems": n, "items": {"enum": list(range(n))}}, {
        "type": "array",
        "uniqueItems": True,
        "minItems": n,
        "items": {"enum": list(range(1, n + 1))},
    }


@family
def min_properties(n: int) -> Pair:
    return {"type": "object", "minProperties": n, "additionalProperties": {"$ref": "#"}}, {
        "type": "object",
        "minProperties": n,
        "maxProperties": n,
        "additionalProperties": {"$ref": "#"},
    }


@family
def mutual_recursion(n: int) -> Pair:
    d = {f"d{i}": obj({f"x{j}": {"$ref": f"#/$defs/d{(i * j + 1) % n}"} for j in range(4)}) for i in range(n)}
    e = {k: {**v, "maxProperties": 3} if k == "d0" else v for k, v in d.items()}
    return {"$ref": "#/$defs/d0", "$defs": d}, {"$ref": "#/$defs/d0", "$defs": e}


@family
def recursive_union(n: int) -> Pair:
    s = {"anyOf": [{"type": "string"}] + [obj({f"k{i}": {"$ref": "#"}}, required=[f"k{i}"]) for i in range(n)]}
    return s, {"anyOf": s["anyOf"] + [{"type": "null"}]}


@family
def required_recursion(n: int) -> Pair:
    s = obj({f"k{i}": {"$ref": "#"} for i in range(n)}, required=[f"k{i}" for i in range(n)])
    return s, {**s, "maxProperties": n}


@family
def event_map(n: int) -> Pair:
    def one(i: int) -> Schema:
        return obj(
            {f"f{j}": {"anyOf": [{"$ref": f"#/$defs/m{j}"}, {"type": "null"}]} for j in range(6)}
            | {"t": {"const": f"t{i}"}},
            required=["t"],
        )

    d = {f"m{j}": obj({"a": {"type": "string"}, "b": {"type": ["integer", "null"]}}) for j in range(6)}

    def event(extra: Schema) -> Schema:
        return obj(
            {"items": {"type": "object", "additionalProperties": {"anyOf": [one(i) for i in range(n)]}}, **extra},
            **{"$defs": d},
        )

    return event({}), event({"note": {"type": "string"}})


@family
def long_names(n: int) -> Pair:
    return obj({"x" * n + str(i): {"type": "string"} for i in range(20)}), obj(
        {"x" * n + str(i): {"type": "string"} for i in range(1, 21)}, additionalProperties=False
    )


@family
def deep_properties(n: int) -> Pair:
    s = {"type": "string"}
    t = {"type": ["string", "null"]}
    for _i in range(min(n, 60)):
        s = obj({"a": s}, required=["a"])
        t = obj({"a": t}, required=["a"])
    return s, t


@family
def dynamic_ref(n: int) -> Pair:
    s = {
        "$dynamicAnchor": "n",
        "anyOf": [{"type": "string"}] + [obj({f"k{i}": {"$dynamicRef": "#n"}}) for i in range(n)],
    }
    return s, {**s, "maxProperties": 2}


@family
def formats(n: int) -> Pair:
    return obj({f"p{i}": {"type": "string", "format": "email"} for i in range(n)}), obj(
        {f"p{i}": {"type": "string", "format": "email" if i else "date"} for i in range(n)}
    )


@family
def property_names(n: int) -> Pair:
    return {"type": "object", "propertyNames": {"enum": [f"n{i}" for i in range(n)]}}, {
        "type": "object",
        "propertyNames": {"enum": [f"n{i}" for i in range(n + 1)]},
        "maxProperties": n,
    }


@family
def all_any_tower(n: int) -> Pair:
    s: Schema = {"type": "string"}
    t: Schema = {"type": ["string", "null"]}
    for i in range(min(n, 45)):
        s = {"allOf": [{"anyOf": [s, {"maxLength": i}]}, {"minLength": 1}]}
        t = {"allOf": [{"anyOf": [t, {"maxLength": i}]}, {"minLength": 1}]}
    return s, t


@family
def dependent_cycle(n: int) -> Pair:
    d = {f"p{i}": {"required": [f"p{(i + 1) % n}"], "minProperties": i} for i in range(n)}
    s = {"type": "object", "dependentSchemas": d, "required": ["p0"]}
    return s, {**s, "required": [f"p{n - 1}"], "maxProperties": 2 * n}


@family
def overlapping_patterns(n: int) -> Pair:
    p = {f"^.{{{i}}}[a-{chr(98 + i % 20)}]": {"type": "integer"} for i in range(n)}
    q = {pattern: {"type": "number"} for pattern in p}
    return {"type": "object", "patternProperties": p, "additionalProperties": False}, {
        "type": "object",
        "patternProperties": q,
        "additionalProperties": False,
    }


@family
def enum_of_pattern(n: int) -> Pair:
    return {"enum": [f"item-{i}-" + "x" * (i % 50) for i in range(n)]}, {
        "type": "string",
        "pattern": "^(item|other)-[0-9]+-x*$",
        "maxLength": 60,
    }


@family
def many_decimals(n: int) -> Pair:
    s = [{"multipleOf": float(f"{2 * i + 1}e-{1 + i % 12}")} for i in range(n)]
    return {"type": "number", "allOf": s, "minimum": 0}, {"type": "number", "multipleOf": 1e-12, "maximum": 1e12}


@family
def long_counted_text(n: int) -> Pair:
    return {"type": "string", "pattern": "^[a-z]*$", "minLength": 10 ** min(n, 9)}, {
        "type": "string",
        "pattern": "^[a-z]{%d,}$" % (10 ** min(n, 9)),
    }


@family
def nested_quantifiers(n: int) -> Pair:
    return {"type": "string", "pattern": "^(((a{1,%d}b){1,%d}c){1,%d}d)*$" % (n, n, n)}, {
        "type": "string",
        "pattern": "^(((a{1,%d}b){1,%d}c){1,%d}d)*$" % (n + 1, n, n),
    }


@family
def look_aheads(n: int) -> Pair:
    ahead = "".join(f"(?=.*{chr(97 + i % 26)})" for i in range(n))
    return {"type": "string", "pattern": f"^{ahead}.+$"}, {"type": "string", "pattern": f"^{ahead[: len(ahead) // 2]}"}


@family
def recursive_names(n: int) -> Pair:
    d = {f"n{i}": {"anyOf": [{"maxLength": i}, {"$ref": f"#/$defs/n{(i + 1) % n}"}]} for i in range(n - 1)}
    d[f"n{n - 1}"] = {"pattern": "^x"}
    s = {"type": "object", "propertyNames": {"$ref": "#/$defs/n0"}, "additionalProperties": {"$ref": "#"}, "$defs": d}
    return s, {**s, "maxProperties": 3}


@family
def if_chain(n: int) -> Pair:
    s: Schema = {"maxProperties": 90}
    for i in range(min(n, 60)):
        s = {"if": {"properties": {"k": {"minimum": i}}}, "then": s}
    return {"type": "object", **s}, {"type": "object", **s, "minProperties": 1}


@family
def many_required(n: int) -> Pair:
    names = [f"r{i}" for i in range(n)]
    return {"type": "object", "required": names}, {"type": "object", "required": names[1:], "minProperties": n}


@family
def many_contains(n: int) -> Pair:
    s = [{"contains": {"const": i}} for i in range(n)]
    return {"type": "array", "allOf": s}, {"type": "array", "minItems": n, "allOf": s[1:]}


@family
def tuple_of_unions(n: int) -> Pair:
    def item(i: int, more: list[Schema]) -> Schema:
        return {"anyOf": [{"const": i}, {"type": "string"}, {"type": "array"}, *more]}

    s = {"type": "array", "minItems": n, "prefixItems": [item(i, []) for i in range(n)]}
    return s, {**s, "prefixItems": [item(i, [{"type": "null"}]) for i in range(n)]}


@family
def exclusive_pairs(n: int) -> Pair:
    s = [{"not": {"required": [f"a{i}", f"a{(i + 1) % n}"]}} for i in range(n)]
    return {"type": "object", "allOf": s}, {"type": "object", "allOf": [*s[1:], {"maxProperties": n}]}


@family
def any_of_enums(n: int) -> Pair:
    b = [{"enum": [f"{i}-{j}" for j in range(n)]} for i in range(n)]
    return {"anyOf": b}, {"anyOf": [{"enum": [f"{i}-{j}" for i in range(n)]} for j in range(n)]}


@family
def deep_constant(n: int) -> Pair:
    value: Any = 0
    for _i in range(min(n, 90)):
        value = [value, {"a": value}] if _i < 10 else [value]
    return {"const": value}, {
        "type": "array",
        "items": {"$ref": "#/$defs/v"},
        "$defs": {"v": {"type": ["array", "object"]}},
    }


SIZES: dict[str, tuple[int, ...]] = {
    "many_properties": (100, 1000, 10000),
    "huge_enum": (1000, 10000, 50000),
    "huge_enum_objects": (100, 1000, 5000),
    "big_integers": (20, 100, 300),
    "tiny_multiples": (5, 20, 300),
    "long_names": (100, 5000, 20000),
    "deep_properties": (10, 30, 60),
    "event_map": (4, 12, 40),
    "nested_unions": (4, 8, 12),
    "nested_one_of": (4, 8, 12),
    "ref_double": (5, 15, 60),
    "ref_any_double": (5, 15, 60),
    "deep_refs": (5, 15, 60),
    "nested_not_any": (4, 10, 25),
    "cnf": (4, 12, 60),
    "cnf_hard": (4, 12, 60),
    "pattern_product": (2, 6, 12),
    "blowup_pattern": (4, 12, 60),
    "counted_pattern": (3, 9, 40),
    "big_counts": (3, 6, 9),
    "big_lengths": (3, 6, 9),
    "unevaluated_nested": (3, 10, 25),
    "required_recursion": (1, 4, 50),
    "ref_chain": (10, 200, 10000),
    "all_any_tower": (5, 15, 45),
    "long_counted_text": (3, 6, 9),
    "nested_quantifiers": (2, 6, 20),
    "if_chain": (5, 20, 60),
    "many_required": (100, 1000, 10000),
    "any_of_enums": (3, 30, 100),
    "enum_of_pattern": (100, 1000, 20000),
    "deep_constant": (3, 10, 90),
}
"""The sizes of each family, where they are not :data:`USUAL`."""
USUAL = (1, 3, 10, 30, 200)
