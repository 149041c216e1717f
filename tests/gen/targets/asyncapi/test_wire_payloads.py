"""With a wire format, payloads are messages in it: the examples of the document, and what the codec writes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from babelreg import load
from babelreg.errors import UsageError
from babelreg.gen.targets.asyncapi import target
from babelreg.load.files.tree import Memory
from babelreg.schema.dialects import identify

URN = "urn:babel:orders:created"
SCHEMA = {"type": "object", "required": ["order_id"], "properties": {"order_id": {"type": "integer", "minimum": 1}}}
MESSAGE = {"urn": URN, "kind": "event", "status": "active", "aliases": ["Order.Created"], "data": SCHEMA,
           "examples": [{"order_id": 7}]}  # fmt: skip
JSON = "wires: {json: {urn: {field: meta.type}, id: id, time: ts, data: payload}}\n"


def document(settings: str, wire: str) -> dict[str, Any]:
    files = {
        "babelreg.yaml": f"version: 1\n{settings}".encode(),
        "orders/_context.yaml": b"owner: team\n",
        "orders/created.yaml": json.dumps(MESSAGE).encode(),
    }
    (file,) = target.files(load.from_tree(Memory(files)), {"wire": wire})
    return json.loads(file.text)  # type: ignore[no-any-return]


def accepts(found: dict[str, Any], value: Any) -> bool:
    payload = found["components"]["messages"]["orders.created"]["payload"]
    schema = {"$schema": "http://json-schema.org/draft-07/schema#", **payload, "components": found["components"]}
    return bool(identify(schema).validator_for(schema).is_valid(value))


EVENT = {"specversion": "1.0", "id": "1", "source": "/s", "type": "Order.Created", "time": "2026-11-14T10:00:00Z",
         "tenant": "eu", "data": {"order_id": 1}}  # fmt: skip
CLICK = {"meta": {"type": "Order.Created"}, "id": 5, "ts": 1794650400, "payload": {"order_id": 1}}


@pytest.mark.parametrize(
    "settings, wire, content_type, good, wrong",
    [
        pytest.param("", "cloudevents", "application/cloudevents+json", EVENT,
                     [{"type": "other"}, {"data": {}}, {"time": ...}, {"id": ""}], id="CloudEvents"),
        pytest.param("wires: {cloudevents: {time: received}}\n", "cloudevents", "application/cloudevents+json",
                     {k: v for k, v in EVENT.items() if k != "time"}, [{"source": ...}], id="without time"),
        pytest.param(JSON, "json", "application/json", CLICK,
                     [{"meta": {"type": "other"}}, {"payload": {}}, {"id": ...}, {"ts": True}], id="plain JSON"),
    ],
)  # fmt: skip
def test_payloads_are_messages_of_the_format(
    settings: str, wire: str, content_type: str, good: dict[str, Any], wrong: list[dict[str, Any]]
) -> None:
    found = document(settings, wire)
    message = found["components"]["messages"]["orders.created"]
    assert message["contentType"] == content_type
    assert [accepts(found, example["payload"]) for example in message["examples"]] == [True]
    assert accepts(found, good)
    for change in wrong:
        assert not accepts(found, {name: value for name, value in {**good, **change}.items() if value is not ...}), (
            change
        )


def test_a_format_that_no_message_travels_in_is_wrong_use() -> None:
    with pytest.raises(UsageError, match="no message is sent in json"):
        document("", "json")
