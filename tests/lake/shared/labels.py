"""Documents whose label is known by construction: valid, or with exactly one rule violated.

Nothing here asks a validator: a value is built to satisfy its rule, or to miss it by one step. Of each document one
property is under test; the others are good. The same for the same seed, in every Python.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from label_formats import BAD, GOOD, below, word

__all__ = ["SCHEMAS", "STRICT", "URNS_STRICT", "Labelled", "classes", "documents"]

Build = Callable[[Random], Any]


@dataclass(frozen=True)
class Rule:
    """A schema for one property, and what is built for it by class: ``good`` satisfies it, ``bad`` just does not."""

    schema: Any
    good: dict[str, Build]
    bad: dict[str, Build]


@dataclass(frozen=True)
class Labelled:
    """One document. ``rule`` is the property under test, ``how`` the class of what stands there."""

    urn: str
    rule: str
    how: str
    valid: bool
    data: dict[str, Any]

    @property
    def body(self) -> bytes:
        """The message."""
        meta = {
            "id": f"m-{self.data['id']}",
            "queue": "q",
            "lang": "go",
            "schema_version": 1,
            "created_at": 1_780_000_000_000,
        }
        envelope = {"job": self.urn, "trace_id": "t", "data": self.data, "meta": meta, "attempts": 0}
        return json.dumps(envelope, ensure_ascii=False).encode()


def _many(rng: Random, count: int, build: Build) -> list[Any]:
    return [build(rng) for _ in range(count)]


def _int(rng: Random) -> int:
    return below(rng, 2001) - 1000


def _fraction(rng: Random) -> float:
    return _int(rng) + 0.5


def _object(rng: Random) -> dict[str, Any]:
    return {word(rng): _int(rng)}


_OF_TYPE: dict[str, Build] = {
    "integer": _int,
    "number": _fraction,
    "string": word,
    "boolean": lambda r: r.random() < 0.5,
    "null": lambda r: None,
    "array": lambda r: _many(r, below(r, 3), _int),
    "object": _object,
}


def _type_rule(name: str) -> Rule:
    good = {"a value of it": _OF_TYPE[name]}
    if name in ("integer", "number"):
        good["a whole number written as a fraction"] = lambda r: float(_int(r))
        good["an integer that does not fit into 64 bits"] = lambda r: 2**64 + below(r, 10**9)
        good["a negative one"] = lambda r: -1 - below(r, 10**9)
    bad = {
        f"{other} instead": build
        for other, build in _OF_TYPE.items()
        if {name, other} != {"integer", "number"} and other != name
    }
    if name == "integer":
        bad["a fraction"] = _fraction
    if name in ("integer", "number", "boolean"):
        bad["its spelling as text"] = lambda r: str(_int(r))
    return Rule({"type": name, "x-spark-type": "json"}, good, bad)


_LOOK = {"x-spark-type": "json"}  # columns that hold whatever is valid: labels are about validity alone

_SIMPLE: dict[str, Rule] = {
    "enum": Rule(
        {"enum": ["a", 1, None, {"k": [1]}, [2.5], True]},
        {"one of them": lambda r: ["a", 1, None, {"k": [1]}, [2.5], True][below(r, 6)], "the same number": lambda r: 1.0},
        {"another text": lambda r: "b" + word(r), "false": lambda r: False, "0": lambda r: 0, "another order of depth": lambda r: {"k": [[1]]},
         "capitals": lambda r: "A", "text of a number": lambda r: "1"},
    ),
    "const": Rule(
        {"const": {"a": 1, "b": [None]}},
        {"it": lambda r: {"a": 1, "b": [None]}, "in another order": lambda r: {"b": [None], "a": 1}, "1.0 for 1": lambda r: {"a": 1.0, "b": [None]}},
        {"a name more": lambda r: {"a": 1, "b": [None], word(r, 3): 0}, "true for 1": lambda r: {"a": True, "b": [None]}, "an item less": lambda r: {"a": 1, "b": []}},
    ),
    "const-false": Rule({"const": False}, {"false": lambda r: False}, {"0": lambda r: 0, "null": lambda r: None, "nothing": lambda r: ""}),
    "minLength": Rule(
        {"type": "string", "minLength": 3},
        {"just": lambda r: word(r, 3, 3), "more": lambda r: word(r, 4, 9), "astral ones count once": lambda r: "\U0001f600" * 3},
        {"one less": lambda r: word(r, 2, 2), "two astral ones": lambda r: "\U0001f600" * 2, "nothing": lambda r: ""},
    ),
    "maxLength": Rule(
        {"type": "string", "maxLength": 3},
        {"just": lambda r: word(r, 3, 3), "three astral ones": lambda r: "\U0001f600" * 3, "nothing": lambda r: ""},
        {"one more": lambda r: word(r, 4, 4), "a letter and its accent": lambda r: word(r, 2, 2) + "e\u0301"},
    ),
    "pattern": Rule(
        {"type": "string", "pattern": "^[A-Z]{2}-\\d+$"},
        {"it": lambda r: f"AB-{below(r, 10**6)}"},
        {"small letters": lambda r: f"ab-{below(r, 10**6)}", "a line feed at its end": lambda r: f"AB-{below(r, 99)}\n", "digits of Bengali": lambda r: "AB-১",
         "something before": lambda r: f" AB-{below(r, 99)}", "no digit": lambda r: "AB-"},
    ),
    "pattern-inside": Rule(
        {"type": "string", "pattern": "\\s\\w"},
        {"anywhere": lambda r: f"{word(r)} {word(r)}", "a no-break space": lambda r: f"{word(r)}\u00a0{word(r)}", "a byte order mark": lambda r: f"\ufeff{word(r)}"},
        {"no space": word, "a letter that is none of ASCII": lambda r: f"{word(r)} ü"},
    ),
    "pattern-unicode": Rule(
        {"type": "string", "pattern": "^\\p{Lu}.$"},
        {"a capital": lambda r: "ÄÖÜΩ"[below(r, 4)] + word(r, 1, 1), "an astral one after it": lambda r: "A\U0001f600"},
        {"a small one": lambda r: "äöüω"[below(r, 4)] + word(r, 1, 1), "too much": lambda r: "Ä" + word(r, 2, 3)},
    ),
    "minimum": Rule({"type": "number", "minimum": 5}, {"just": lambda r: 5, "5.0": lambda r: 5.0, "more": lambda r: 5 + below(r, 999)}, {"less": lambda r: 4 - below(r, 999), "a little less": lambda r: 4.999}),
    "maximum": Rule({"type": "integer", "maximum": 2**53}, {"just": lambda r: 2**53, "less": lambda r: 2**53 - below(r, 999)}, {"one more": lambda r: 2**53 + 1, "much more": lambda r: 10**30 + below(r, 99)}),
    "maximum-64": Rule({"type": "integer", "maximum": 2**63 - 1}, {"just": lambda r: 2**63 - 1, "less": lambda r: 2**63 - 1 - below(r, 999)}, {"one more": lambda r: 2**63, "more": lambda r: 2**63 + below(r, 999)}),
    "exclusiveMinimum": Rule({"exclusiveMinimum": 0}, {"a little more": lambda r: 1e-300, "more": lambda r: 1 + below(r, 999)}, {"it": lambda r: 0, "-0.0": lambda r: -0.0, "less": lambda r: -1 - below(r, 99)}),
    "exclusiveMaximum": Rule({"exclusiveMaximum": 0.5}, {"less": lambda r: 0.25, "0": lambda r: -below(r, 999)}, {"it": lambda r: 0.5, "more": lambda r: 1 + below(r, 999)}),
    "multipleOf": Rule({"multipleOf": 7}, {"it": lambda r: 7 * _int(r), "as a fraction": lambda r: 7.0 * _int(r), "0": lambda r: 0, "beyond 64 bits": lambda r: 7 * (2**70 + below(r, 99))}, {"one more": lambda r: 7 * _int(r) + 1, "a half": lambda r: 3.5, "beyond 64 bits, one more": lambda r: 7 * (2**70 + below(r, 99)) + 1}),
    "multipleOf-cents": Rule(
        {"multipleOf": 0.01},
        {"cents": lambda r: float(f"{below(r, 10**5)}.{below(r, 100):02d}"), "0.07, which floats divide badly": lambda r: [0.07, 19.99, 4.35, 1.1, 0.29][below(r, 5)], "a whole number": _int},
        {"a thousandth": lambda r: float(f"{below(r, 999)}.{below(r, 100):02d}5"), "a hair": lambda r: 0.075},
    ),
    "items": Rule({"type": "array", "items": {"type": "integer"}}, {"integers": lambda r: _many(r, below(r, 5), _int)}, {"a text among them": lambda r: [*_many(r, below(r, 3), _int), word(r)], "null": lambda r: [None]}),
    "prefixItems": Rule({"prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False}, {"both": lambda r: [word(r), _int(r)], "one": lambda r: [word(r)], "none": lambda r: []}, {"turned round": lambda r: [_int(r), word(r)], "a third": lambda r: [word(r), 1, 2]}),
    "minItems": Rule({"type": "array", "minItems": 2}, {"just": lambda r: _many(r, 2, _int), "more": lambda r: _many(r, 3 + below(r, 3), word)}, {"one less": lambda r: _many(r, 1, _int), "none": lambda r: []}),
    "maxItems": Rule({"type": "array", "maxItems": 2}, {"just": lambda r: _many(r, 2, _int), "none": lambda r: []}, {"one more": lambda r: _many(r, 3, _int)}),
    "uniqueItems": Rule(
        {"type": "array", "uniqueItems": True},
        {"different": lambda r: [1, "1", True, [1], {"a": 1}, None, word(r, 2)], "1 and true": lambda r: [1, True, 0, False], "in lists": lambda r: [[1], [True], [[1]]]},
        {"twice": lambda r: (lambda one: [one, 0.5, one])(_int(r)), "1 and 1.0": lambda r: (lambda one: [one, float(one)])(_int(r)), "objects in another order": lambda r: [{"a": 1, "b": 2}, {"b": 2, "a": 1.0}], "deep inside": lambda r: [[{"x": [1]}], [{"x": [1.0]}]]},
    ),
    "contains": Rule({"contains": {"const": 7}}, {"one": lambda r: [word(r), 7.0], "two": lambda r: [7, 7]}, {"none": lambda r: _many(r, below(r, 3), word), "its text": lambda r: ["7"]}),
    "minContains": Rule({"contains": {"type": "integer"}, "minContains": 2, "maxContains": 3}, {"two": lambda r: [1, word(r), 2], "three": lambda r: _many(r, 3, _int)}, {"one": lambda r: [_int(r), word(r)], "four": lambda r: _many(r, 4, _int)}),
    "minContains-0": Rule({"contains": {"type": "integer"}, "minContains": 0}, {"none": lambda r: [word(r)]}, {}),
    "unevaluatedItems": Rule({"prefixItems": [True], "contains": {"type": "string"}, "unevaluatedItems": {"type": "null"}}, {"texts and nulls": lambda r: [_int(r), word(r), None]}, {"a number behind": lambda r: [word(r), word(r), _int(r)]}),
    "required": Rule({"type": "object", "required": ["a", "b"]}, {"both": lambda r: {"a": None, "b": _int(r)}}, {"one": lambda r: {"a": _int(r)}, "in capitals": lambda r: {"a": _int(r), "B": 1}, "none": lambda r: {}}),
    "properties": Rule({"properties": {"a": {"type": "integer"}, "b": False}}, {"it": lambda r: {"a": _int(r)}, "another": lambda r: {word(r, 3): word(r)}, "no object": _int}, {"text": lambda r: {"a": word(r)}, "one that may not be": lambda r: {"b": None}}),
    "patternProperties": Rule({"patternProperties": {"^x_": {"type": "integer"}}}, {"it": lambda r: {"x_" + word(r): _int(r)}, "another": lambda r: {"y" + word(r): word(r)}}, {"text": lambda r: {"x_" + word(r): word(r)}}),
    "additionalProperties": Rule({"properties": {"a": {}}, "patternProperties": {"^x_": {}}, "additionalProperties": {"type": "integer"}}, {"an integer": lambda r: {"a": word(r), "x_": None, word(r, 3): _int(r)}}, {"text": lambda r: {word(r, 3): word(r)}}),
    "propertyNames": Rule({"propertyNames": {"maxLength": 3}}, {"short": lambda r: {word(r, 1, 3): 1}, "none": lambda r: {}}, {"long": lambda r: {word(r, 4, 9): 1}}),
    "minProperties": Rule({"type": "object", "minProperties": 2}, {"just": lambda r: {"a": _int(r), "b": 1}}, {"one": lambda r: {word(r): 1}, "none": lambda r: {}}),
    "maxProperties": Rule({"type": "object", "maxProperties": 2}, {"just": lambda r: {"a": _int(r), "b": 1}}, {"one more": lambda r: {"a": _int(r), "b": 1, "c": 1}}),
    "dependentRequired": Rule({"dependentRequired": {"a": ["b"]}}, {"both": lambda r: {"a": _int(r), "b": 1}, "neither": lambda r: {"c": _int(r)}, "the other": lambda r: {"b": _int(r)}}, {"one": lambda r: {"a": _int(r)}, "null counts": lambda r: {"a": None}}),
    "dependentSchemas": Rule({"dependentSchemas": {"a": {"properties": {"b": {"minimum": 5}}}}}, {"enough": lambda r: {"a": 1, "b": 5 + below(r, 9)}, "without it": lambda r: {"b": _int(r)}}, {"too little": lambda r: {"a": 1, "b": 4 - below(r, 9)}}),
    "anyOf": Rule({"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 0}]}, {"one": word, "the other": lambda r: below(r, 999)}, {"neither": lambda r: -1 - below(r, 999), "a fraction": _fraction}),
    "oneOf": Rule({"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}]}, {"one": lambda r: 6 * _int(r) + 2, "the other": lambda r: 6 * _int(r) + 3}, {"both": lambda r: 6 * _int(r), "neither": lambda r: 6 * _int(r) + 1, "no number is both": word}),
    "allOf": Rule({"allOf": [{"minimum": 3}, {"maximum": 9}]}, {"both": lambda r: 3 + below(r, 7)}, {"one": lambda r: 10 + below(r, 99), "the other": lambda r: 2 - below(r, 99)}),
    "not": Rule({"not": {"type": ["string", "null"]}}, {"another": _int}, {"a text": word, "null": lambda r: None}),
    "if": Rule(
        {"if": {"properties": {"a": {"const": 1}}, "required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}},
        {"then": lambda r: {"a": 1, "b": _int(r)}, "else": lambda r: {"a": 2 + below(r, 9), "c": 1}, "absent": lambda r: {"c": _int(r)}},
        {"then, without": lambda r: {"a": 1.0, "c": _int(r)}, "else, without": lambda r: {"b": _int(r)}},
    ),
    "$ref": Rule(
        {"$ref": "#/$defs/tree"},
        {"deep": lambda r: {"v": _int(r), "next": {"v": 1, "next": {}}}},
        {"wrong at the end": lambda r: {"v": _int(r), "next": {"next": {"v": word(r)}}}, "no object within": lambda r: {"next": [_int(r)]}},
    ),
    "not-there": Rule(False, {}, {"anything": lambda r: _OF_TYPE[list(_OF_TYPE)[below(r, 7)]](r)}),
}  # fmt: skip

STRICT: dict[str, Rule] = {
    "additionalProperties": Rule({"properties": {"a": {}}, "additionalProperties": False}, {"what is declared": lambda r: {"a": _int(r)}, "nothing": lambda r: {}}, {"another": lambda r: {"a": 1, "b" + word(r): 1}}),
    "unevaluatedProperties": Rule(
        {"allOf": [{"properties": {"a": {}}}], "anyOf": [{"required": ["b"], "properties": {"b": {}}}, True], "unevaluatedProperties": False},
        {"what is evaluated": lambda r: {"a": _int(r), "b": 1}},
        {"what is not": lambda r: {"a": 1, "c" + word(r): 1}},
    ),
}  # fmt: skip
"""Rules that a tolerant reader lets pass: they hold where the registry says that readers are strict."""

_GROUPS: dict[str, dict[str, Rule]] = {
    "urn:babel:labels:types": {name: _type_rule(name) for name in _OF_TYPE},
    "urn:babel:labels:keywords": _SIMPLE,
    "urn:babel:labels:formats": {
        name: Rule({"type": "string", "format": name, "x-spark-type": "string"}, GOOD[name], BAD[name]) for name in GOOD
    },
    "urn:babel:labels:strict": STRICT,
}
SCHEMAS: dict[str, Any] = {
    urn: {
        "type": "object",
        "required": ["id"],
        "$defs": {
            "tree": {"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/tree"}}}
        },
        "properties": {
            "id": {"type": "integer"},
            **{name: {**rule.schema, **_LOOK} if rule.schema is not False else False for name, rule in rules.items()},
        },
    }
    for urn, rules in _GROUPS.items()
}
"""The schemas by URN."""

URNS_STRICT = ("urn:babel:labels:strict",)


def _cases() -> list[tuple[str, str, str, bool, Build]]:
    return [
        (urn, name, how, valid, build)
        for urn, rules in _GROUPS.items()
        for name, rule in rules.items()
        for valid, classes in ((True, rule.good), (False, rule.bad))
        for how, build in classes.items()
    ]


def classes() -> Iterator[tuple[str, str, bool, Any, Build]]:
    """Every class: its rule, what it is called, its label, the schema of the one property, and what builds a value."""
    for urn, name, how, valid, build in _cases():
        schema = _GROUPS[urn][name].schema
        yield name, how, valid, schema if schema is False else {**schema, "$defs": SCHEMAS[urn]["$defs"]}, build


def documents(count: int, seed: int = 1) -> Iterator[Labelled]:
    """``count`` distinct documents, every class in its turn, two good properties beside the one under test."""
    rng, cases = Random(seed), _cases()
    for number in range(count):
        urn, name, how, valid, build = cases[number % len(cases)]
        data = {"id": number, name: build(rng)}
        beside = [(other, rule) for other, rule in _GROUPS[urn].items() if other != name and rule.good]
        for _ in range(2 if beside else 0):
            other, rule = beside[below(rng, len(beside))]
            builds = list(rule.good.values())
            data[other] = builds[below(rng, len(builds))](rng)
        yield Labelled(urn, name, how, valid, data)
