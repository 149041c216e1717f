"""Messages for Spark: 20 URNs, about 550 bytes each, some of them bad in one of 20 ways; the same for the same seed."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

URNS = 20
SETTINGS = "version: 1\ncompatibility: {reader: tolerant, direction: both}\n"
_ID = b'"meta":{"id":"'
_BLOCK_BYTES = 8 * 1024 * 1024
_WORDS = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliett", "kilo", "lima")


def urn(number: int) -> str:
    """The URN of one of the tables."""
    return f"urn:babel:shop{number % 4}:thing{number:02d}.changed"


def schema(number: int) -> dict[str, Any]:
    """The schema of its data: 8 to 11 properties, nested objects, arrays, a nullable, an enum, a pattern, a time."""
    properties: dict[str, Any] = {
        "order_id": {"type": "integer", "minimum": 1},
        "status": {"type": "string", "enum": ["new", "paid", "shipped", "cancelled"]},
        "code": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{4}$"},
        "note": {"type": ["string", "null"]},
        "weight": {"type": "number", "minimum": 0},
        "placed_at": {"type": "string", "format": "date-time"},
        "customer": {
            "type": "object",
            "required": ["id", "name"],
            "properties": {"id": {"type": "integer"}, "name": {"type": "string"}, "vip": {"type": "boolean"}},
        },
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["sku", "qty"],
                "properties": {
                    "sku": {"type": "string"},
                    "qty": {"type": "integer", "minimum": 1},
                    "price_minor": {"type": "integer"},
                },
            },
        },
    }
    for extra in range(number % 4):
        properties[f"extra_{extra}"] = {"type": "integer"}
    found = {"type": "object", "required": ["order_id", "status", "customer"], "properties": properties}
    if number % 3 == 0:
        found["additionalProperties"] = False
    return found


def write_registry(folder: Path, urns: int = URNS) -> None:
    """A registry that declares the messages."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "babelreg.yaml").write_text(SETTINGS, "utf-8")
    for number in range(urns):
        context, name = urn(number).split(":")[2:]
        home = folder / context
        home.mkdir(exist_ok=True)
        (home / "_context.yaml").write_text("owner: team-shop\ndescription: A shop.\n", "utf-8")
        message = {"urn": urn(number), "kind": "event", "owner": "team-shop", "data": schema(number)}
        (home / f"{name}.yaml").write_text(json.dumps(message, indent=1), "utf-8")


def good(number: int, rng: random.Random) -> dict[str, Any]:
    """One valid envelope."""
    words = rng.choices(_WORDS, k=4)
    lines = [
        {"sku": f"SKU-{rng.randrange(10**6)}", "qty": rng.randrange(1, 9), "price_minor": rng.randrange(10**5)}
        for _ in range(rng.randrange(1, 3))
    ]
    data: dict[str, Any] = {
        "order_id": rng.randrange(1, 10**9),
        "status": rng.choice(["new", "paid", "shipped", "cancelled"]),
        "code": f"{rng.choice(['ABC', 'XYZ'])}-{rng.randrange(10**4):04d}",
        "note": rng.choice([None, " ".join(words)]),
        "weight": rng.randrange(10**5) / 8 + 0.0625,
        "placed_at": f"2026-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}T{rng.randrange(24):02d}:15:30Z",
        "customer": {"id": rng.randrange(10**6), "name": f"{words[0]} {words[1]}", "vip": rng.random() < 0.1},
        "lines": lines,
    }
    for extra in range(number % 4):
        data[f"extra_{extra}"] = rng.randrange(10**6)
    return {
        "job": urn(number),
        "trace_id": str(uuid.UUID(int=rng.getrandbits(128), version=4)),
        "data": data,
        "meta": {
            "id": str(uuid.UUID(int=rng.getrandbits(128), version=4)),
            "queue": "shop",
            "lang": rng.choice(["php", "go", "python", "java", "dotnet", "node"]),
            "schema_version": 1,
            "created_at": 1_780_000_000_000 + rng.randrange(10**9),
        },
        "attempts": 0,
    }


def encode(envelope: dict[str, Any]) -> bytes:
    """The envelope as one line of compact JSON, without the line feed."""
    return json.dumps(envelope, ensure_ascii=False, separators=(",", ":")).encode()


def _without(*path: str) -> Callable[[dict[str, Any]], bytes]:
    def damage(envelope: dict[str, Any]) -> bytes:
        here = envelope
        for step in path[:-1]:
            here = here[step]
        del here[path[-1]]
        return encode(envelope)

    return damage


def _with(value: Any, *path: str) -> Callable[[dict[str, Any]], bytes]:
    def damage(envelope: dict[str, Any]) -> bytes:
        here = envelope
        for step in path[:-1]:
            here = here[step]
        here[path[-1]] = value
        return encode(envelope)

    return damage


BAD: dict[str, Callable[[dict[str, Any]], bytes]] = {
    "cut off": lambda e: encode(e)[:-9],
    "trailing bytes": lambda e: encode(e) + b" x",
    "invalid UTF-8": lambda e: encode(e).replace(b'"queue":"shop"', b'"queue":"sh\xff\xfep"'),
    "byte order mark": lambda e: b"\xef\xbb\xbf" + encode(e),
    "not a number": lambda e: encode(e).replace(b'"attempts":0', b'"attempts":NaN'),
    "a list": lambda e: b"[" + encode(e) + b"]",
    "lone surrogate": lambda e: encode(e).replace(b'"status":"', b'"status":"\\ud800'),
    "no job": _without("job"),
    "unknown URN": _with("urn:babel:nobody:knows", "job"),
    "no meta": _without("meta"),
    "schema version 2": _with(2, "meta", "schema_version"),
    "data is a list": _with([], "data"),
    "blank trace id": _with(" ", "trace_id"),
    "attempts is text": _with("0", "attempts"),
    "a required property is missing": _without("data", "order_id"),
    "text for an integer": _with("17", "data", "order_id"),
    "below the minimum": _with(0, "data", "order_id"),
    "not in the enum": _with("lost", "data", "status"),
    "does not match the pattern": _with("abc-1", "data", "code"),
    "an integer that does not fit into 64 bits": _with(2**64 + 1, "data", "order_id"),
}
"""Ways to spoil an envelope, by name. Each gives bytes that must end in quarantine."""


def messages(count: int, *, urns: int = URNS, bad_share: float = 0.01, seed: int = 1) -> Iterator[bytes]:
    """``count`` messages, spread over the URNs; about ``bad_share`` of them bad, each way in its turn."""
    rng = random.Random(seed)
    ways = list(BAD.values())
    spoiled = 0
    for _ in range(count):
        envelope = good(rng.randrange(urns), rng)
        if rng.random() < bad_share:
            yield ways[spoiled % len(ways)](envelope)
            spoiled += 1
        else:
            yield encode(envelope)


def write_input(
    folder: Path, count: int, *, urns: int = URNS, files: int = 4, bad_share: float = 0.01, seed: int = 1
) -> int:
    """Write ``count`` messages to files of JSON lines in ``folder``; how many bytes that is."""
    folder.mkdir(parents=True, exist_ok=True)
    handles = [(folder / f"messages-{number}.jsonl").open("wb") for number in range(files)]
    try:
        return sum(
            handles[number * files // count].write(body + b"\n")
            for number, body in enumerate(messages(count, urns=urns, bad_share=bad_share, seed=seed))
        )
    finally:
        for handle in handles:
            handle.close()


def write_more(folder: Path, of: Path, times: int) -> None:
    """Write the files of ``of`` again and again to ``folder``, under other ids each time: as many messages more."""
    folder.mkdir(parents=True)
    for number in range(times):
        for path in sorted(of.iterdir()):
            with path.open("rb") as source, (folder / f"{number:03d}-{path.name}").open("wb") as target:
                while block := source.readlines(_BLOCK_BYTES):
                    target.write(b"".join(block).replace(_ID, _ID + b"%d-" % number))
