"""One registry out of another: damage to the bytes, or to the values, of a file or two."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

from babelreg.load.yaml import parser
from babelreg.load.yaml.edits import EditError, spell
from fuzzing import values

__all__ = ["changed_value", "mutated", "mutated_bytes"]

Files = dict[str, bytes]

_TOKENS = [
    b"&a ", b"*a", b"!!python/object/apply:os.system [id]", b"!t ", b"<<: ", b"\t", b"\x1b[31m", b"\xef\xbb\xbf", b"\xff\xfe", b"\x00", b"\xc3", b"\xed\xa0\x80", b"---\n", b"...\n",
    b"%YAML 1.1\n", b"? ", b": ", b"- ", b"|\n", b">-\n", b"{", b"}", b"[", b"]", b"'", b'"', b"#", b"\r", b"\r\n", b"\x85", b"\xe2\x80\xa8", b"$ref: '#'\n", b"null", b"1e999", b"0" * 50, b"\n\n\n",
    b"{a: " * 40, b"[" * 200, b"- " * 200, b"? " * 150, b"\\ud800", b'"\\ud800"', b'"\\x00"',
]  # fmt: skip


def mutated(chance: random.Random, files: Mapping[str, bytes]) -> Files:
    """The files that differ from ``files``, by path; most often one, rarely three."""
    changed: Files = {}
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        path = _target(chance, files)
        body = changed.get(path, files[path])
        changed[path] = (
            mutated_bytes(chance, body, files) if chance.random() < 0.25 else _restructured(chance, body, files)
        )
    if chance.random() < 0.04:
        changed[_odd_path(chance)] = chance.choice([changed[path], files[path], b"", b"{}", b"type: string\n"])
    return changed


def _target(chance: random.Random, files: Mapping[str, bytes]) -> str:
    paths = sorted(files)
    messages = [path for path in paths if not path.startswith("_") and "/" in path and "_context" not in path]
    shared = [path for path in paths if path.startswith("_common/")]
    return chance.choice(chance.choice([messages, messages, messages, shared, paths]) or paths)


def _odd_path(chance: random.Random) -> str:
    name = chance.choice(
        [
            "Created",
            "con",
            "aux",
            "a\nb",
            "\x1b[31m",
            "a b",
            "é",
            "e\u0301",
            "-rf",
            "created.v3",
            "created.V2",
            "_x",
            "x" * 200,
            "a.b.c",
            "..x",
            "\udcff",
            "$(id)",
            "urn:x",
        ]
    )
    return (
        chance.choice(["orders", "Orders", "new", "_common", "_services", "_x"])
        + "/"
        + name
        + chance.choice([".yaml", ".yaml", ".yml", ".json", ""])
    )


def mutated_bytes(chance: random.Random, body: bytes, files: Mapping[str, bytes] | None = None) -> bytes:
    """``body`` with a few bytes flipped, inserted, removed, repeated, or lines of another file between."""
    for _ in range(chance.choice([1, 1, 1, 2, 5])):
        at = chance.randint(0, len(body))
        kind = chance.randrange(7)
        if kind == 0 and body:
            at = min(at, len(body) - 1)
            body = body[:at] + bytes([body[at] ^ (1 << chance.randrange(8))]) + body[at + 1 :]
        elif kind == 1:
            body = body[:at] + bytes(chance.randrange(256) for _ in range(chance.randint(1, 4))) + body[at:]
        elif kind == 2:
            body = body[:at] + body[at + chance.choice([1, 1, 2, 10, 100]) :]
        elif kind == 3:
            lines = body.splitlines(keepends=True) or [b""]
            i, j = sorted((chance.randrange(len(lines)), chance.randrange(len(lines))))
            body = b"".join(lines[: j + 1] + lines[i : j + 1] + lines[j + 1 :])
        elif kind == 4 and files:
            other = files[chance.choice(sorted(files))].splitlines(keepends=True)
            i = chance.randrange(len(other) + 1)
            body = body[:at] + b"".join(other[i : i + chance.randint(1, 5)]) + body[at:]
        elif kind == 5:
            lines = body.splitlines(keepends=True)
            chance.shuffle(lines)
            body = b"".join(lines)
        else:
            body = body[:at] + chance.choice(_TOKENS) + body[at:]
    return body


def _restructured(chance: random.Random, body: bytes, files: Mapping[str, bytes]) -> bytes:
    try:
        value = parser.read(body.decode())
    except Exception:
        return mutated_bytes(chance, body, files)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        value = changed_value(chance, value)
    return _written(chance, value)


def _written(chance: random.Random, value: Any) -> bytes:
    """As flow YAML of our own, as JSON, or one member a line."""
    style = chance.randrange(3)
    if style == 0 or not isinstance(value, dict):
        return json.dumps(value).encode()
    if style == 1:
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    try:
        lines = [f"{spell(key)}: {spell(member)}\n" for key, member in value.items()]
    except EditError:  # too deep
        return json.dumps(value).encode()
    return "".join(lines).encode("utf-8", "surrogatepass")


def _nodes(value: Any) -> list[tuple[str | int, ...]]:
    found: list[tuple[str | int, ...]] = []
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while waiting and len(found) < 3000:
        at, node = waiting.pop()
        found.append(at)
        items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        waiting.extend(((*at, step), below) for step, below in items)
    return found


def _at(value: Any, pointer: tuple[str | int, ...]) -> Any:
    for step in pointer:
        value = value[step]
    return value


def changed_value(chance: random.Random, value: Any) -> Any:
    """``value`` with one node replaced, added, removed, renamed, repeated or moved."""
    nodes = _nodes(value)
    within_data = [at for at in nodes if at and at[0] == "data"]
    at = chance.choice(within_data if within_data and chance.random() < 0.6 else nodes)
    if not at:
        return (
            {**value, values.key(chance): values.any_value(chance)}
            if isinstance(value, dict) and chance.random() < 0.9
            else values.any_value(chance)
        )
    value = _copied(value)
    parent, step = _at(value, at[:-1]), at[-1]
    kind = chance.randrange(8)
    if kind <= 2:
        parent[step] = values.schema(chance) if kind == 0 else values.any_value(chance)
    elif kind == 3 and isinstance(parent, dict):
        parent[values.key(chance)] = parent.pop(step)  # type: ignore[arg-type]
    elif kind == 4:
        del parent[step]  # type: ignore[arg-type]
    elif kind == 5:
        parent[step] = _copied(_at(value, chance.choice(nodes)))
    elif kind == 6 and isinstance(parent, list):
        parent.extend([parent[step]] * chance.choice([1, 2, 300]))  # type: ignore[call-overload]
    else:
        _added(chance, parent[step], parent, step)  # type: ignore[call-overload]
    return value


def _added(chance: random.Random, node: Any, parent: Any, step: Any) -> None:
    if isinstance(node, dict):
        extra = values.schema(chance)
        node.update(extra if isinstance(extra, dict) and extra else {values.key(chance): values.any_value(chance)})
    elif isinstance(node, list):
        node.insert(chance.randint(0, len(node)), values.any_value(chance))
    else:
        parent[step] = chance.choice(
            [[node], {"a": node}, str(node) + chance.choice(values.TEXTS), values.any_value(chance)]
        )


def _copied(value: Any) -> Any:
    return json.loads(json.dumps(value))
