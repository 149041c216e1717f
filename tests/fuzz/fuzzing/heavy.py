"""Registries that are large in one way each: what is quadratic shows here."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from fuzzing.mutate import Files

__all__ = ["HEAVY"]

_HEAD = "kind: event\nstatus: active\nowner: team-orders\ndescription: An order was placed.\nproducers: [orders-api]\n"


def _message(data: Any, name: str = "orders/placed", **more: Any) -> Files:
    urn = "urn:babel:" + name.replace("/", ":")
    extra = "".join(f"{key}: {json.dumps(value)}\n" for key, value in more.items())
    return {f"{name}.yaml": f"urn: {urn}\n{_HEAD}data: {json.dumps(data)}\n{extra}".encode()}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _definitions(chain: dict[str, Any]) -> Files:
    return _message({**_object(a={"$ref": "#/$defs/d0"}), "$defs": chain})


def _references(count: int) -> Files:
    chain: dict[str, Any] = {f"d{i}": {"$ref": f"#/$defs/d{i + 1}"} for i in range(count)}
    return _definitions({**chain, f"d{count}": {"type": "string"}})


def _combined(count: int, keyword: str) -> Files:
    chain: dict[str, Any] = {f"d{i}": {keyword: [{"$ref": f"#/$defs/d{i + 1}"}]} for i in range(count)}
    return _definitions({**chain, f"d{count}": {"type": "string"}})


def _doubling(count: int) -> Files:
    """Each definition refers twice to the next: written out it would be 2 ** count subschemas."""
    chain: dict[str, Any] = {
        f"d{i}": _object(a={"$ref": f"#/$defs/d{i + 1}"}, b={"$ref": f"#/$defs/d{i + 1}"}) for i in range(count)
    }
    return _definitions({**chain, f"d{count}": {"type": "string"}})


def _doubling_in_place(count: int) -> Files:
    chain: dict[str, Any] = {
        f"d{i}": {"anyOf": [{"$ref": f"#/$defs/d{i + 1}"}, {"$ref": f"#/$defs/d{i + 1}"}]} for i in range(count)
    }
    return _definitions({**chain, f"d{count}": _object(x={"type": "string"})})


def _folded(value: bytes, close: bytes, count: int) -> Files:
    return {"orders/placed.yaml": b"urn: urn:babel:orders:placed\nx-a: " + value * count + close * count + b"\n"}


def _unknown_service(count: int) -> Files:
    files: Files = {}
    for i in range(count):
        files.update(_message(_object(a={"type": "string"}), f"orders/thing{i}.created", consumers=["nobody-knows-me"]))
    return files


def _examples_file(count: int) -> Files:
    files = _message(_object(order_id={"type": "integer"}), examples={"file": "placed.jsonl"})
    files["orders/placed.jsonl"] = b"\n".join(b'{"order_id": "%d"}' % i for i in range(count))
    return files


def _versions(count: int) -> Files:
    files = _message(_object(a={"type": "string"}))
    for n in range(2, count + 2):
        before = "urn:babel:orders:placed" + (f".v{n - 1}" if n > 2 else "")
        files.update(_message(_object(a={"type": "string"}), f"orders/placed.v{n}", supersedes=before))
    return files


def _names(count: int, letter: str = "p") -> dict[str, Any]:
    return {f"{letter}{i}": {"type": "string"} for i in range(count)}


HEAVY: dict[str, Callable[[], Files]] = {
    "a chain of 3,000 references": lambda: _references(3000),
    "a chain of 90 allOf": lambda: _combined(90, "allOf"),
    "a chain of 1,500 allOf": lambda: _combined(1500, "allOf"),
    "a chain of 1,500 anyOf": lambda: _combined(1500, "anyOf"),
    "properties that double 25 times": lambda: _doubling(25),
    "alternatives that double 25 times": lambda: _doubling_in_place(25),
    "a mapping of 60,000 keys": lambda: {"orders/placed.yaml": b"urn: urn:babel:orders:placed\n" + b"".join(b"x%d: 1\n" % i for i in range(60_000))},
    "a mapping of 60,000 x- keys": lambda: {"orders/placed.yaml": b"urn: urn:babel:orders:placed\n" + b"".join(b"x-%d: 1\n" % i for i in range(60_000))},
    "data of 60,000 unknown keywords": lambda: _message({**_object(), **{f"k{i}": 1 for i in range(60_000)}}),
    "20,000 properties": lambda: _message(_object(**_names(20_000))),
    "20,000 required names": lambda: _message({**_object(**_names(10_000)), "required": [f"p{i}" for i in range(20_000)]}),
    "an enum of 50,000 values": lambda: _message(_object(a={"enum": [f"v{i}" for i in range(50_000)]})),
    "an enum of 100,000 numbers": lambda: _message(_object(a={"enum": list(range(100_000))})),
    "2,000 alternatives": lambda: _message(_object(a={"anyOf": [_object(**{f"p{i}": True}) for i in range(2000)]})),
    "20,000 alternatives": lambda: _message(_object(a={"anyOf": [_object(**{f"p{i}": True}) for i in range(20_000)]})),
    "20,000 constants": lambda: _message(_object(a={"oneOf": [{"const": f"c{i}"} for i in range(20_000)]})),
    "2,000 branches of allOf with names": lambda: _message({"type": "object", "allOf": [_object(**{f"p{i}": {"type": "string"}}) for i in range(2000)]}),
    "1,000 patterns and 3,000 names": lambda: _message({**_object(**_names(3000)), "patternProperties": {f"^q{i}$": {} for i in range(1000)}}),
    "1 MiB in one line": lambda: {"orders/placed.yaml": b"{urn: urn:babel:orders:placed, x-a: [" + b"1," * 500_000 + b"]}"},
    "300 KiB of brackets": lambda: _folded(b"[", b"]", 150_000),
    "300 KiB of mappings": lambda: _folded(b"{a: ", b"}", 60_000),
    "300 KiB of dashes": lambda: _folded(b"- ", b"", 150_000),
    "300 KiB of question marks": lambda: _folded(b"? ", b"", 150_000),
    "300 KiB of quotes": lambda: _folded(b"'", b"", 300_000),
    "300 KiB of colons": lambda: _folded(b"a:", b"", 150_000),
    "300 KiB of blank lines": lambda: _folded(b"\n", b"", 300_000),
    "a text of 1 MiB": lambda: _message(_object(), **{"x-a": "a" * 1_000_000}),
    "a description of 1 MiB": lambda: {"orders/placed.yaml": f"urn: urn:babel:orders:placed\n{_HEAD.replace('An order was placed.', 'word ' * 200_000)}data: {{type: object}}\n".encode()},
    "a key of 1 MiB": lambda: {"orders/placed.yaml": b"urn: urn:babel:orders:placed\n? " + b"a" * 1_000_000 + b"\n: 1\n"},
    "an URN of 900 KiB": lambda: {"orders/placed.yaml": b"urn: urn:babel:orders:" + b"a" * 900_000 + b"\n"},
    "an URN of 400,000 parts": lambda: {"orders/placed.yaml": b"urn: urn:babel:orders:" + b"a." * 400_000 + b"a\n"},
    "an URN of 400,000 hyphens": lambda: {"orders/placed.yaml": b"urn: urn:babel:orders:" + b"a-" * 400_000 + b"a\n"},
    "a reference of 900 KiB": lambda: _message(_object(a={"$ref": "#/" + "a/" * 450_000})),
    "a file reference of 900 KiB": lambda: _message(_object(a={"$ref": "x/" * 450_000 + "x.yaml"})),
    "a pattern of 500 KiB": lambda: _message(_object(a={"type": "string", "pattern": "a" * 500_000})),
    "10,000 patterns": lambda: _message(_object(**{f"p{i}": {"type": "string", "pattern": f"^x{i}$"} for i in range(10_000)})),
    "10,000 bad patterns": lambda: _message(_object(**{f"p{i}": {"type": "string", "pattern": f"(x{i}"} for i in range(10_000)})),
    "10,000 good examples": lambda: _message(_object(a={"type": "integer"}), examples=[{"a": i} for i in range(10_000)]),
    "10,000 bad examples": lambda: _message(_object(a={"type": "integer"}), examples=[{"a": "x"} for i in range(10_000)]),
    "10,000 counterexamples": lambda: _message(_object(a={"type": "integer"}), counterexamples=[{"because": "x", "data": {"a": i}} for i in range(10_000)]),
    "200,000 examples in a file": lambda: _examples_file(200_000),
    "one example of 10,000 unknown names": lambda: _message(_object(a={}), examples=[dict.fromkeys((f"n{i}" for i in range(10_000)), 1)]),
    "unknown names beside 5,000 known ones": lambda: _message(_object(**_names(5000)), examples=[dict.fromkeys((f"n{i}" for i in range(3000)), 1)]),
    "20,000 producers": lambda: _message(_object(), consumers=[f"s{i}" for i in range(20_000)]),
    "the same consumer 20,000 times": lambda: _message(_object(), consumers=["crm"] * 20_000),
    "20,000 things consumed": lambda: {"_services/crm.yaml": b"owner: x\nlang: php\nconsumes:\n" + b"".join(b"- {urn: 'urn:babel:orders:x%d'}\n" % i for i in range(20_000))},
    "20,000 reads of one message": lambda: {"_services/crm.yaml": b"owner: x\nlang: php\nconsumes:\n- urn: urn:babel:orders:created\n  reads: [" + b", ".join(b"order_idd%d" % i for i in range(20_000)) + b"]\n"},
    "5,000 steps of upcast": lambda: _message(_object(), upcast=[{"rename": {f"a{i}": f"b{i}"}} for i in range(5000)]),
    "1,000 messages naming one unknown service": lambda: _unknown_service(1000),
    "300 versions": lambda: _versions(300),
    "20,000 defects in one file": lambda: {"orders/placed.yaml": b"urn: 1\n" + b"".join(b"bad%d: 1\n" % i for i in range(20_000))},
    "20,000 settings of rules": lambda: {"babelreg.yaml": b"version: 1\nlint:\n  rules:\n" + b"".join(b"    rule%d: off\n" % i for i in range(20_000))},
    "10,000 dependent names": lambda: _message({**_object(**_names(1000)), "dependentRequired": {f"p{i}": [f"p{i + 1}"] for i in range(10_000)}}),
    "3,000 definitions, each referring to all of ten": lambda: _message({**_object(a={"$ref": "#/$defs/d0"}), "$defs": {f"d{i}": {"anyOf": [{"$ref": f"#/$defs/d{(i * 7 + j) % 3000}"} for j in range(1, 10)], "type": "object"} for i in range(3000)}}),
    "90 levels of properties": lambda: _message(_nested(40)),
}  # fmt: skip


def _nested(depth: int) -> Any:
    found: Any = {"type": "string"}
    for _ in range(depth):
        found = _object(a=found)
    return found
