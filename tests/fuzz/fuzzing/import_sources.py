"""Sound sources of every importer: AsyncAPI documents that refer to each other, JSON Schemas and a bqschema manifest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["SOURCES"]

PAYLOAD = {"type": "object", "properties": {"id": {"$ref": "#/components/schemas/id"}}}
ASYNCAPI = {
    "asyncapi": "3.0.0",
    "info": {"title": "Shop", "version": "1"},
    "channels": {
        "orders": {"address": "orders", "messages": {"placed": {"$ref": "#/components/messages/placed"}}},
        "paid": {"$ref": "more.json#/channels/paid"},
    },
    "operations": {
        "place": {
            "action": "send",
            "channel": {"$ref": "#/channels/orders"},
            "messages": [{"$ref": "#/channels/orders/messages/placed"}],
            "reply": {"channel": {"$ref": "#/channels/paid"}},
        }
    },
    "components": {
        "messages": {
            "placed": {
                "name": "urn:babel:shop:placed",
                "payload": {"schemaFormat": "application/schema+json;version=draft-07", "schema": PAYLOAD},
                "headers": {"type": "object"},
                "tags": [{"name": "event"}],
                "examples": [{"payload": {"id": "1"}}],
            }
        },
        "schemas": {"id": {"type": "string"}},
    },
}
MORE = {
    "asyncapi": "2.6.0",
    "info": {"title": "Bills"},
    "channels": {
        "bills": {
            "publish": {
                "operationId": "bill",
                "message": {"oneOf": [{"payload": PAYLOAD}, {"$ref": "#/components/x"}]},
            },
            "subscribe": {"message": {"payload": {"$ref": "api.json#/components/schemas/id"}}},
        },
        "paid": {"address": "paid", "messages": {}},
    },
    "components": {"schemas": {"id": {"type": "string"}}},
}
SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "$id": "https://shop.example/created.json",
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": {"type": "string", "pattern": "^[a-z]+$"},
        "total": {"$ref": "money.json#/definitions/money"},
        "items": {"items": [{"type": "integer"}, {"$ref": "#"}], "additionalItems": False},
        "kind": {"enum": ["a", 1, None], "x-open-enum": True},
    },
    "dependencies": {"total": ["id"]},
    "examples": [{"id": "a"}],
}
MONEY = {"definitions": {"money": {"type": "object", "properties": {"minor": {"type": "integer"}}}}}
MANIFEST = {"schemas": [{"urn": "urn:babel:a:b", "schema": "created.json", "owner": "team", "status": "active"}]}
SOURCES: Mapping[str, Any] = {
    "api.json": ASYNCAPI,
    "more.json": MORE,
    "created.json": SCHEMA,
    "money.json": MONEY,
    "registry.json": MANIFEST,
    "narrow.json": {"type": "object", "properties": {"id": {"type": "string", "pattern": "^a+$", "minLength": 3}}},
    "wide.json": {"properties": {"id": {"type": "string", "minLength": 2}}},
}
