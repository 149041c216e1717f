"""Messages that are nearly right: valid ones over all keywords of JSON Schema, spoilt at bytes and at values.

The same for the same seed, in every Python: draws use ``Random.random`` and integers alone.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from babelreg import load
from babelreg.model import Registry

__all__ = ["FILES", "GOOD", "SCHEMAS", "messages", "registry"]

_TEXTS: dict[str, Any] = {
    "short": {"type": "string", "minLength": 2, "maxLength": 5},
    "code": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]+$"},
    "kind": {"type": "string", "enum": ["a", "b", "ü"]},
    "fixed": {"const": "one"},
    "at": {"type": "string", "format": "date-time"},
    "day": {"type": "string", "format": "date"},
    "clock": {"type": "string", "format": "time"},
    "mail": {"type": "string", "format": "email"},
    "host": {"type": "string", "format": "hostname"},
    "link": {"type": "string", "format": "uri"},
    "key": {"type": "string", "format": "uuid"},
    "address": {"anyOf": [{"format": "ipv4"}, {"format": "ipv6"}], "type": "string"},
    "scan": {"type": "string", "x-spark-type": "binary"},
    "nullable": {"type": ["string", "null"], "maxLength": 3},
}
_NUMBERS: dict[str, Any] = {
    "least": {"type": "integer", "minimum": 1},
    "range": {"type": "integer", "exclusiveMinimum": -5, "maximum": 10},
    "step": {"type": "number", "multipleOf": 0.25},
    "below": {"type": "number", "exclusiveMaximum": 100},
    "plain": {"type": "integer"},
    "huge": {"type": "integer", "maximum": 2**64},
    "price": {"type": "number", "x-spark-type": "decimal(7,2)"},
    "digits": {"type": "string", "x-spark-type": "decimal(9,3)"},
    "yes": {"type": "boolean"},
    "nothing": {"type": "null"},
    "either": {"type": ["integer", "string"]},
    "closed": {"enum": [1, 2.5, None, "x", [1], {"a": 1}]},
}
SCHEMAS: dict[str, Any] = {
    "urn:babel:kinds:texts": {"type": "object", "required": ["short", "at"], "properties": _TEXTS},
    "urn:babel:kinds:numbers": {"type": "object", "required": ["least"], "properties": _NUMBERS},
    "urn:babel:kinds:arrays": {
        "type": "object",
        "properties": {
            "some": {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 4},
            "set": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
            "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False},
            "with": {"type": "array", "contains": {"const": 7}, "minContains": 1, "maxContains": 2},
            "rest": {"type": "array", "prefixItems": [True], "unevaluatedItems": {"type": "boolean"}},
            "lines": {
                "type": "array",
                "items": {"type": "object", "required": ["qty"], "properties": {"qty": {"type": "integer"}}},
            },
        },
    },
    "urn:babel:kinds:objects": {
        "type": "object",
        "minProperties": 2,
        "maxProperties": 9,
        "required": ["id"],
        "properties": {
            "id": {"type": "integer"},
            "map": {"type": "object", "additionalProperties": {"type": "integer"}, "propertyNames": {"maxLength": 3}},
            "closed": {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False},
            "sealed": {"allOf": [{"properties": {"b": {"type": "string"}}}], "unevaluatedProperties": False},
            "free": {},
        },
        "patternProperties": {"^x_": {"type": "string"}},
        "dependentRequired": {"map": ["closed"]},
        "dependentSchemas": {"sealed": {"properties": {"id": {"minimum": 10}}}},
    },
    "urn:babel:kinds:choices": {
        "type": "object",
        "$defs": {"tree": {"type": "object", "properties": {"value": {"type": "integer"}, "next": {"$ref": "#/$defs/tree"}}}},
        "properties": {
            "one": {"oneOf": [{"type": "integer", "multipleOf": 2}, {"type": "integer", "multipleOf": 3}]},
            "any": {"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 0}]},
            "all": {"allOf": [{"type": "integer"}, {"minimum": 3}, {"maximum": 9}]},
            "not": {"type": "string", "not": {"const": "no"}},
            "tree": {"$ref": "#/$defs/tree"},
            "card": {"type": "object", "properties": {"pan": {"type": "string"}, "amount": {"type": "integer"}}},
        },
        "if": {"required": ["card"]},
        "then": {"required": ["any"]},
        "else": {"properties": {"all": {"minimum": 4}}},
        "oneOf": [
            {"properties": {"how": {"const": "card"}, "amount": {"type": "integer"}, "limit": {"type": "integer"}}, "required": ["how"]},
            {"properties": {"how": {"const": "cash"}, "amount": {"type": "string"}}, "required": ["how"]},
        ],
    },
    "urn:babel:kinds:seven": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "definitions": {"name": {"type": "string", "minLength": 1}},
        "properties": {
            "name": {"$ref": "#/definitions/name"},
            "pair": {"type": "array", "items": [{"type": "integer"}], "additionalItems": {"type": "string"}},
            "mail": {"type": "string", "format": "email"},
            "only": {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
        },
        "dependencies": {"mail": ["name"]},
    },
    "urn:babel:strict:closed": {
        "type": "object",
        "required": ["id"],
        "properties": {"id": {"type": "integer"}, "note": {"type": "string", "maxLength": 9}},
        "additionalProperties": False,
    },
}  # fmt: skip
"""By URN. Those of the context ``strict`` have readers that take the schema as written."""

GOOD: dict[str, list[dict[str, Any]]] = {
    "urn:babel:kinds:texts": [
        {
            "short": "abc", "code": "AB-12", "kind": "ü", "fixed": "one", "at": "2026-11-20T17:00:00.125+02:00",
            "day": "2026-11-20", "clock": "17:00:00Z", "mail": "a@example.com", "host": "example.com",
            "link": "https://example.com/a?b#c", "key": "7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b",
            "address": "127.0.0.1", "scan": "aGVsbG8=", "nullable": None,
        },
        {"short": "\U0001f600x", "at": "2026-11-20T17:00:00Z", "nullable": "abc", "address": "::1"},
    ],
    "urn:babel:kinds:numbers": [
        {
            "least": 7, "range": -4, "step": 1.75, "below": 99.5, "plain": -3, "huge": 2**63 + 1, "price": 12.25,
            "digits": "-1.125", "yes": True, "nothing": None, "either": "x", "closed": 2.5,
        },
        {"least": 1, "either": 5, "closed": {"a": 1}},
    ],
    "urn:babel:kinds:arrays": [
        {"some": [1, 2], "set": ["a", "b"], "pair": ["a", 1], "with": [7, "x", 7], "rest": [1, True], "lines": [{"qty": 1}]},
    ],
    "urn:babel:kinds:objects": [
        {"id": 10, "map": {"a": 1}, "closed": {"a": 1}, "sealed": {"b": "x"}, "free": [{"k": None}], "x_1": "v"},
        {"id": 1, "free": 1.5},
    ],
    "urn:babel:kinds:choices": [
        {"how": "card", "amount": 5, "one": 4, "any": "x", "all": 5, "not": "yes", "card": {"pan": "1", "amount": 1},
         "tree": {"value": 1, "next": {"value": 2, "next": {}}}},
        {"how": "cash", "amount": "5", "one": 9, "all": 9, "limit": 5},
    ],
    "urn:babel:kinds:seven": [{"name": "n", "pair": [1, "a"], "mail": "a@example.com", "only": {"a": 1}}],
    "urn:babel:strict:closed": [{"id": 1, "note": "n"}],
}  # fmt: skip
"""Valid data by URN."""

FILES = {
    "babelreg.yaml": "version: 1\n",
    "kinds/_context.yaml": "owner: team\ndescription: One of each kind.\n",
    "strict/_context.yaml": "owner: team\ndescription: Strict readers.\ncompatibility: {reader: strict}\n",
    **{
        f"{urn.split(':')[2]}/{urn.split(':')[3]}.yaml": json.dumps(
            {"urn": urn, "kind": "event", "owner": "team", "description": "A kind.", "queue": "q", "data": schema}
        )
        for urn, schema in SCHEMAS.items()
    },
}
"""The registry's files by path."""


def registry() -> Registry:
    """The registry, from memory."""
    found = load.from_tree(load.files.tree.Memory({path: text.encode() for path, text in FILES.items()}))
    assert not found.defects
    return found


_VALUES = [
    None, True, False, 0, 1, -1, 2, 7, 10, 1.0, -0.0, 1.5, 0.1, 1e16, 1e22, 1e-7, 2**53 + 1, 2**63 - 1, 2**63, -(2**63),
    -(2**63) - 1, 2**64, 2**64 + 1, 10**30, -(10**30), 12345678.905, "", "a", "no", "1", "1.0", "12.3456", "NaN", "ü", "e\u0301",
    "\u2028", "\0", "\ud800", "x\udfff", "\U0001f600" * 3, "a" * 300, "2026-02-30", "2026-02-28", "0000-01-01", "2026-11-20T17:00:00",
    "2026-11-20t17:00:00z", "2026-06-30T23:59:60Z", "2026-06-30T12:00:60Z", "9999-12-31T23:59:59-23:59",
    "0001-01-01T00:00:00+23:59", "0000-01-01T00:00:00Z", "2026-11-20T24:00:00Z", "2026-11-20T17:00:00.123456789+18:30", "2026-11-20 17:00:00Z",
    "a@b", "a@[127.0.0.1]", "::1", "1::2::3", "urn:x", "7B3F9C2A-E41D-4F88-9B2A-1C0D5E6F7A8B", "AB-1\n", "aGk", "aGk=",
    [], [1], ["a", "a"], [1, 1.0], [None], [[]], {}, {"a": 1}, {"a": None, "A": 1}, {"toolong": 1}, {"b": 1, "c": 1},
]  # fmt: skip
_NAMES = ["id", "ID", "new", "x_1", "x_2", "a.b", 'q"', "", "\u2028", "how", "map", "urn", "timestamp", "n" * 300]
_JUNK = [b"\x00", b"\xff", b"\xc3", b"\xed\xa0\x80", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b" ", b"0", b"9", b"-",
         b"e", b".", b"\r", b"\t", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"NaN", b"null", b"//", b"\\u0000", b"\\ud800"]  # fmt: skip
_TOKENS = [b"NaN", b"Infinity", b"-Infinity", b"1e400", b"-1e400", b"1E2", b"1.0", b"01", b"+1", b".5", b"5.", b"1e-400", b"0x1",
           b"9" * 30, b"0." + b"1" * 40, b"9223372036854775807", b"9223372036854775808", b"18446744073709551616", b"1" * 5000,
           b'"\\ud83d\\ude00"', b'"\\ud83d"', b'"\\u0000"', b"'a'", b"True", b'{"a":1,"a":"x"}', b"[1,]", b"12345678901234567890.5"]  # fmt: skip
_DEPTHS = [5, 60, 600, 1000, 1019, 1020, 1021, 1022, 1023, 1024, 1100, 5000]


def _pick(rng: Random, values: list[Any]) -> Any:
    return values[int(rng.random() * len(values))]


def _value(rng: Random, more: list[Any] | None = None) -> Any:
    return copy.deepcopy(_pick(rng, [*(more or []), *_VALUES]))


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) in a JSON value."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        node = waiting.pop()
        members = list(node.items()) if isinstance(node, dict) else list(enumerate(node))
        found += [(node, key) for key, _ in members]
        waiting += [below for _, below in members if isinstance(below, dict | list)]
    return found


def _set(envelope: dict[str, Any], rng: Random) -> None:
    data = envelope.get("data")
    container, key = _pick(rng, _places(data if data and isinstance(data, dict | list) else envelope))
    container[key] = _value(rng)


def _set_outside(envelope: dict[str, Any], rng: Random) -> None:
    meta = envelope.get("meta")
    blocks = [envelope, meta] if meta and isinstance(meta, dict) else [envelope]
    block = _pick(rng, blocks)
    block[_pick(rng, list(block))] = _value(rng)


def _delete(envelope: dict[str, Any], rng: Random) -> None:
    container, key = _pick(rng, _places(envelope))
    del container[key]


def _add(envelope: dict[str, Any], rng: Random) -> None:
    objects = [envelope, *(c[k] for c, k in _places(envelope) if isinstance(c[k], dict))]
    _pick(rng, objects)[_pick(rng, _NAMES)] = _value(rng)


def _lengthen(envelope: dict[str, Any], rng: Random) -> None:
    lists = [c[k] for c, k in _places(envelope) if isinstance(c[k], list)]
    if lists:
        grown = _pick(rng, lists)
        grown.append(_value(rng, grown))
    else:
        _add(envelope, rng)


def _edit_text(envelope: dict[str, Any], rng: Random) -> None:
    texts = [(c, k) for c, k in _places(envelope) if isinstance(c[k], str)]
    if not texts:
        return
    container, key = _pick(rng, texts)
    text = container[key]
    at = int(rng.random() * (len(text) + 1))
    container[key] = (
        text[:at] + _pick(rng, ["", "x", "0", " ", "ü", "\n", "-", "Z", "."]) + text[at + (rng.random() < 0.5) :]
    )


_AT_VALUES: list[Callable[[dict[str, Any], Random], None]] = [_set, _set, _set, _set_outside, _delete, _add, _lengthen, _edit_text]  # fmt: skip


def _with_junk(body: bytes, rng: Random) -> bytes:
    at = int(rng.random() * (len(body) + 1))
    return body[:at] + _pick(rng, _JUNK) + body[at + int(rng.random() * 3) :]


def _cut(body: bytes, rng: Random) -> bytes:
    return body[: 1 + int(rng.random() * len(body))]


def _trailing(body: bytes, rng: Random) -> bytes:
    return body + _pick(rng, [b"x", b" ", b"\r", b",", b"{}", b"\x00", b"\x0b", body])


def _token(body: bytes, rng: Random) -> bytes:
    """Another spelling of a value: what stands between a colon and the next comma or bracket."""
    starts = [n + 1 for n, byte in enumerate(body) if byte == ord(":")] or [0]
    at = _pick(rng, starts)
    end = next((n for n in range(at, len(body)) if body[n] in b",}]"), len(body))
    depth = _pick(rng, _DEPTHS)
    new = b"[" * depth + b"]" * depth if rng.random() < 0.2 else _pick(rng, _TOKENS)
    return body[:at] + new + body[end:]


def _twice(body: bytes, rng: Random) -> bytes:
    """A key stands twice; the last one wins."""
    value = json.dumps(_value(rng)).encode()
    key = _pick(rng, [b"job", b"data", b"meta", b"attempts", b"trace_id"])
    return (
        b'{"' + key + b'":' + value + b"," + body[1:]
        if rng.random() < 0.5
        else body[:-1] + b',"' + key + b'":' + value + b"}"
    )


_AT_BYTES: list[Callable[[bytes, Random], bytes]] = [_with_junk, _with_junk, _cut, _trailing, _token, _token, _twice]


def messages(count: int, seed: int = 1) -> Iterator[bytes]:
    """``count`` distinct bodies without line feeds: one of 20 is as it should be, the others were spoilt.

    Two of three of them once or twice at values, the others at bytes, some at both.
    """
    rng, seen, number = Random(seed), set[bytes](), 0
    while len(seen) < count:
        body = _message(number, rng)
        number += 1
        if body not in seen:
            seen.add(body)
            yield body


def _message(number: int, rng: Random) -> bytes:
    urn = list(SCHEMAS)[number % len(SCHEMAS)]
    meta = {"id": f"m-{number}", "queue": "q", "lang": "go", "schema_version": 1, "created_at": 1_780_000_000_123}
    data = copy.deepcopy(_pick(rng, GOOD[urn]))
    envelope = {"job": urn, "trace_id": f"t-{number}", "data": data, "meta": meta, "attempts": 0}
    way = rng.random()
    if 0.05 <= way < 0.7:
        for _ in range(2 if rng.random() < 0.3 else 1):
            _pick(rng, _AT_VALUES)(envelope, rng)
    body = json.dumps(envelope, ensure_ascii=rng.random() < 0.5, separators=(",", ":")).encode("utf-8", "surrogatepass")
    if way >= 0.65:
        body = _pick(rng, _AT_BYTES)(body, rng)
    return body.replace(b"\n", b" ")
