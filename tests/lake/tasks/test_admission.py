"""Rows of messages that are admitted at once: byte for byte those of messages that are read one by one."""

from __future__ import annotations

import json
import random
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
sys.path.insert(0, str(Path(__file__).parents[2] / "shared"))
import foreign
from wire_vectors import rows

from babelreg.contract.parse import deep
from babelreg.lake.message_source import Origin
from babelreg.lake.tasks.message_batch import read_all, read_bridged
from babelreg.lake.tasks.message_bridge import MessageBridge, masked
from babelreg.lake.tasks.row_validator import RowValidator
from babelreg.lake.tasks.validation_spec import ValidationSpec
from babelreg.wire.formats import phpmq
from babelreg.wire.formats.phpmq.models import MessageClientToServer, MessageServerToClient
from babelreg.wire.formats.table import FORMATS

URN, OTHER = "urn:babel:orders:created", "urn:babel:orders:cancelled"
SCHEMAS = {**foreign.schemas(), URN: {"type": "object"}, OTHER: {"type": "object", "required": ["why"]}}
SCHEMAS |= {"urn:babel:strata:command.shutdown": {"type": "object"}, "urn:babel:flowlayer:error": {"type": "object"}}
MAPPINGS: Any = {
    "strata": {("Orders", "createOrder", "request"): foreign.CREATE, ("Orders", "createOrder", "response"): URN},
    "phpmq": {("queues", "Mails"): foreign.MAIL},
    "flowlayer": {("commands", "start_service"): URN},
    "cloudevents": {("time",): "received", ("name", "created"): URN},
    "json": {("urn", "field"): "type", ("id",): "id", ("time",): "at", ("data",): "body"},
}
ALIASES = {"orders.created": URN}
SPEC = ValidationSpec.of(SCHEMAS, mappings=MAPPINGS, aliases=ALIASES)
RECEIVED = 1_719_288_502_000

ODD = [
    "1", "1.0", "-0", "-0.0", "1e22", "1E400", "1.5e-320", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
    "18446744073709551616", "0.1000000000000000055511151231257827", "12345678901234567.89", "NaN", "null", "true", '""', '" "', '"\\u00a0"',
    '"\\ud800"', '"\\u0000"', '"x"', '"2016-12-31T23:59:60Z"', '"2016-12-31T24:00:00Z"', '"0001-01-01T00:00:00Z"', '"1969-12-31T23:59:59.9999Z"',
    '"2024-06-25t04:08:22z"', '"2024-06-25T04:08:22.1234567+02:00"', '"6f1d6c1e-2f0b-5f5c-9a53-7d2c1b0d9e11"', "[]", "[1]", "{}", '{"auth":"S3CRET"}',
    '{"envelope":{"auth":"S3CRET","messages":[{"stack":"S3CRET"}]}}', '{"why":1,"why":2}', '{"b":1.10,"a":[{"x":1e3}]}',
    *("[" * depth + "]" * depth for depth in (100, 253, 254, 300, 1000, 1019, 1020, 1021, 1022, 1023, 1024, 1025)),
    '{"a":' * 200 + "1" + "}" * 200,
]  # fmt: skip


def spoiled(message: dict[str, Any], *, depth: int = 2) -> Iterator[bytes]:
    """Yield the message, and copies in which one member is odd or absent, or there is one more."""
    yield json.dumps(message).encode()
    for path in [*_paths(message, depth), ("another",)]:
        for text in (*ODD, None):
            copy: Any = json.loads(json.dumps(message))
            holder = copy
            for name in path[:-1]:
                holder = holder[name]
            if text is None:
                holder.pop(path[-1], None)
            else:
                holder[path[-1]] = "@odd@"
            yield json.dumps(copy).replace('"@odd@"', text or "").encode()


def _paths(value: dict[str, Any], depth: int) -> Iterator[tuple[str, ...]]:
    for name, member in value.items():
        yield (name,)
        if isinstance(member, dict) and depth > 1:
            yield from ((name, *path) for path in _paths(member, depth - 1))


META = {"id": "m", "queue": "q", "lang": "go", "schema_version": 1, "created_at": 1749132727000}
ENVELOPE = {"job": URN, "trace_id": "t", "data": {"n": 1}, "meta": META, "attempts": 0}
REQUEST = {
    "id": "A" * 20, "messageType": "request", "context": "Orders", "operation": "createOrder", "timestamp": foreign.NOW,
    "payload": {"order_id": 1}, "metadata": {"a": 1}, "client": "c", "requestChain": ["B" * 20], "timeout": 3,
}  # fmt: skip
RESPONSE = {
    "id": "A" * 20, "messageType": "response", "context": "Orders", "operation": "createOrder", "timestamp": foreign.NOW,
    "payload": {"order_id": 1}, "status": "succeeded", "messages": [], "service": "s",
}  # fmt: skip
EVENT = {
    "specversion": "1.0",
    "id": "1",
    "source": "/s",
    "type": URN,
    "time": foreign.NOW,
    "data": {"n": 1},
    "tenant": "t",
}
MESSAGES: dict[str, list[dict[str, Any]]] = {
    "strata": [REQUEST, RESPONSE, {"id": "1", "command": "shutdown", "payload": {"graceful": True}}],
    "flowlayer": [
        {"type": "command", "id": "7", "name": "start_service", "payload": {"service": "x", "timestamp": foreign.NOW}},
        {
            "type": "event",
            "name": "log",
            "payload": {"entry": {"seq": 1}, "note": "authorization: bearer S3CRET1234567"},
        },
        {"type": "error", "payload": {"code": "c", "message": "m"}},
    ],
    "cloudevents": [EVENT, EVENT | {"source": "urn:babelqueue:q", "id": str(uuid.UUID(int=5)), "babeltraceid": "x"}],
    "json": [{"type": URN, "id": 5, "at": foreign.NOW, "body": {"n": 1}, "tenant": "t"}],
}


def complete(results: list[Any]) -> list[Any]:
    """Return rows with their data, where it is left out because its JSON says the same."""
    return [(*row[:-1], orjson.loads(row[-2])) if type(row) is tuple and row[-1] is None else row for row in results]


def one_by_one(validator: RowValidator, bodies: list[bytes]) -> list[Any]:
    return [validator.read(body, number, "00000001/f") for number, body in enumerate(bodies)]


def by_envelopes(validator: RowValidator, bodies: list[bytes], origin: Origin) -> list[Any]:
    """Return the rows by way of envelopes: written as a producer would, and read as a consumer would."""
    bridge, results = MessageBridge(MAPPINGS), []
    for number, body in enumerate(bodies):
        envelope = bridge.envelope(body, number, "00000001/f", origin)
        row = validator.read(envelope, number, "00000001/f") if isinstance(envelope, bytes) else envelope
        if isinstance(envelope, bytes):
            row = (*row[:2], body, *row[3:]) if type(row) is tuple else row._replace(body=masked(body, origin))
        results.append(row)
    return results


@pytest.mark.parametrize("name", [URN, "orders.created", "urn:babel:nobody:knows"], ids=["URN", "alias", "unknown"])
def test_envelopes_that_are_read_at_once_give_the_rows_of_single_ones(name: str) -> None:
    spec = ValidationSpec.of(SCHEMAS, aliases=ALIASES)
    validator = spec.row_validator()
    ext = {**ENVELOPE, "job": name, "meta": {**META, "ext": {"a": 1}}}
    bodies = [body for message in (ENVELOPE | {"job": name}, ext) for body in spoiled(message)]
    random.Random(1).shuffle(bodies)
    with deep():
        expected = complete(one_by_one(validator, bodies))
        assert complete(read_all(validator, bodies, range(len(bodies)), "00000001/f")) == expected
        fresh = RowValidator(spec.schemas, spec.columns, (), ALIASES)
        assert complete(read_all(fresh, bodies, range(len(bodies)), "00000001/f")) == expected


@pytest.mark.parametrize("wire", [*MESSAGES, "phpmq"])
def test_foreign_messages_give_the_rows_of_their_envelopes(wire: str) -> None:
    """Vectors of the format, and messages with all that may be odd in a place."""
    validator, origin = SPEC.row_validator(), Origin(wire, "f", RECEIVED, "mtime")
    bodies = [row["input"] for row in rows("vector") if row["format"] == wire]
    if FORMATS[wire].line_based:
        bodies = [line for text in bodies for line in text.split(b"\n") if line]
    bodies += [body for message in MESSAGES.get(wire, ()) for body in spoiled(message)]
    if wire == "phpmq":
        contents = [text.encode() for text in ODD] + [b"\xff", b"", foreign.envelope(1, "m"), b"x" * 3000]
        bodies += [phpmq.encode(MessageClientToServer(b"Mails", text, 2**63 - 1).packets()) for text in contents]
        bodies += [phpmq.encode(MessageServerToClient(b"Mails", text, b"7", 0).packets()) for text in contents]
    with deep():
        expected = complete(by_envelopes(validator, bodies, origin))
        got = read_bridged(
            validator, MessageBridge(MAPPINGS), bodies, range(len(bodies)), [origin] * len(bodies), "00000001/f"
        )
        for body, row, other in zip(bodies, complete(got), expected, strict=True):
            assert row == other, body
    assert sum(type(row) is tuple for row in got) > 3


@pytest.mark.parametrize("wire", MESSAGES)
def test_plain_foreign_messages_are_admitted(wire: str) -> None:
    """Otherwise they would take the long way: two encodings and two parses."""
    results: list[Any] = [None] * 20
    body = json.dumps(MESSAGES[wire][0]).encode()
    bodies, origins = [body] * 20, [Origin(wire, "f", RECEIVED, "mtime")] * 20
    converted = MessageBridge(MAPPINGS).converted(bodies, range(20), origins, "00000001/f")
    SPEC.row_validator().admission.converted(bodies, range(20), converted, results)
    assert None not in results


def test_messages_of_a_schema_that_cannot_be_used_are_left_to_the_verdict() -> None:
    spec = ValidationSpec.of({URN: {"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": "#/nowhere"}})
    results: list[Any] = [None]
    spec.row_validator().admission.envelopes([json.dumps(ENVELOPE).encode()], [0], [0], results)
    assert results == [None]
