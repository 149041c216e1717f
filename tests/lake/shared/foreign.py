"""Recordings of the foreign wires, each with messages that pass and messages that do not, and secrets."""

from __future__ import annotations

import json
from typing import Any

from babelreg.wire.formats import flowlayer, phpmq, strata
from babelreg.wire.formats.phpmq.models import (
    Acknowledgement,
    MessageClientToServer,
    MessageServerToClient,
)

START, LOG, CREATE, CREATED, MAIL = (
    "urn:babel:ops:service.start",
    "urn:babel:flowlayer:event.log",
    "urn:babel:orders:order.create",
    "urn:babel:orders:created",
    "urn:babel:mails:mail.send",
)
WIRES = f"""version: 1
wires:
  flowlayer: {{commands: {{start_service: {START}}}}}
  phpmq: {{queues: {{Mails: {MAIL}}}}}
  strata: {{Orders: {{createOrder: {{request: {CREATE}}}}}}}
"""
SECRETS = (b"S3CRET-jwt", b"S3CRET-stack", b"S3CRET-bearer")
NOW = "2024-06-25T04:08:22.000Z"
TIME = 1_719_288_502_000


def schemas(maximum: int = 9) -> dict[str, Any]:
    """What the messages are; ``maximum`` is that of an order's number."""
    order = {"type": "object", "properties": {"order_id": {"type": "integer", "maximum": maximum}}}
    return {
        START: {"type": "object", "required": ["service"], "properties": {"service": {"type": "string"}}},
        LOG: {
            "type": "object",
            "properties": {"entry": {"type": "object", "properties": {"seq": {"type": "integer"}}}},
        },
        CREATE: order,
        CREATED: order,
        MAIL: {"type": "object", "properties": {"content": {"type": "string"}}},
    }


def envelope(order_id: int, identity: str) -> bytes:
    """A canonical envelope, as PHPMQ carries it."""
    meta = {"id": identity, "queue": "orders", "lang": "go", "schema_version": 1, "created_at": 1}
    body = {"job": CREATED, "trace_id": "t", "data": {"order_id": order_id}, "meta": meta, "attempts": 0}
    return json.dumps(body).encode()


def request(identity: str, order_id: Any, **members: Any) -> bytes:
    """A request of Strata, with the secret that its caller signs in with."""
    value = {
        "id": identity,
        "messageType": "request",
        "context": "Orders",
        "operation": "createOrder",
        "timestamp": NOW,
        "payload": {"order_id": order_id},
        "auth": "S3CRET-jwt",
        "metadata": {},
        "client": "Client:Web",
        "responseQueue": "Responses:Web:1",
    }
    return strata.encode(value | members) + b"\n"


def strata_lines() -> bytes:
    """Accepted: 2, and 1 duplicate. Refused: above_maximum, unmapped_name, missing_member, invalid_json twice."""
    failed = {
        "id": "R0000000000000000001",
        "messageType": "response",
        "context": "Orders",
        "operation": "createOrder",
        "timestamp": NOW,
        "payload": {},
        "status": "failed",
        "messages": [{"severity": "error", "message": "m", "stack": "S3CRET-stack at line 1"}],
        "service": "s",
    }
    return b"".join(
        [
            request("A0000000000000000001", 1),
            request("A0000000000000000002", 2, metadata={"auth": {"token": "S3CRET-jwt", "more": ["S3CRET-jwt"]}}),
            request("A0000000000000000001", 1),
            request("A0000000000000000003", 10),
            strata.encode(failed) + b"\n",
            b'{"id":"A0000000000000000004","messageType":"request","auth":"S3CRET-jwt","context":"Orders"}\n',
            b'{"id":"A0000000000000000005", "\\u0061uth" : "S3CRET-jwt", \n',
            b"auth: S3CRET-jwt\n",
        ]
    )


def flowlayer_lines() -> bytes:
    """Accepted: 4 (two equal events are two). Refused: missing_required, unmapped_name, missing_id, invalid_json."""
    event = flowlayer.encode({"type": "event", "name": "log", "payload": {"entry": {"seq": 1}}})
    return b"\n".join(
        [
            flowlayer.encode({"type": "command", "id": "1", "name": "start_service", "payload": {"service": "api"}}),
            flowlayer.encode({"type": "command", "id": "2", "name": "start_service", "payload": {"service": "db"}}),
            event,
            event,
            flowlayer.encode({"type": "command", "id": "3", "name": "start_service"}),
            flowlayer.encode({"type": "command", "id": "4", "name": "Stop-Service"}),
            b'{"type":"command","name":"start_service"}',
            b"GET /ws HTTP/1.1 Authorization: Bearer S3CRET-bearer",
            b"",
        ]
    )


def phpmq_messages(mails: int = 3, padding: int = 0) -> list[bytes]:
    """Accepted: the mails and 2 carried orders. Refused: above_maximum, control_message, unmapped_name."""
    values: list[Any] = [
        MessageClientToServer(b"Mails", b"mail %d%s" % (number, b"." * padding), 3600) for number in range(mails)
    ]
    values += [
        MessageServerToClient(b"orders", envelope(1, "o1"), b"%032x" % 1, 60),
        MessageServerToClient(b"orders", envelope(2, "o2"), b"%032x" % 2, 60),
        MessageServerToClient(b"orders", envelope(10, "o3"), b"%032x" % 3, 60),
        Acknowledgement(b"orders", b"%032x" % 1),
        MessageClientToServer(b"No Such Queue", b"\xff\xfe", 0),
    ]
    return [phpmq.encode(value.packets()) for value in values]


def phpmq_stream(mails: int = 3, padding: int = 0) -> bytes:
    """The same as a recorded stream."""
    return b"".join(phpmq_messages(mails, padding))


def bodies(wire: str) -> list[bytes]:
    """The messages of a wire, one by one."""
    if wire == "phpmq":
        return phpmq_messages()
    return (flowlayer_lines() if wire == "flowlayer" else strata_lines()).splitlines()
