"""Usage examples: TypeScript that sends or handles a message with the modules of ``gen typescript``."""

from __future__ import annotations

import json
from typing import Any

from babelreg.model import Message
from babelreg.typemap.names import class_name
from babelreg.typemap.typescript.names import key, literal
from babelreg.typemap.typescript.types import shape_of

_BROKER = "redis://localhost:6379/0"
_WIDTH = 84


def send(message: Message, queue: str | None) -> str:
    """Return a script that sends the message's first example to ``queue``, or to the one that ``queues`` has."""
    name = _name(message)
    source = _value(message.examples[0].data if message.examples else {}, 0, len(f"const data: {name} = "))
    target = literal(queue) if queue else f"queues[urns.{name}]"
    values = "urns" if queue else "queues, urns"
    return f"""import {{ Redis }} from "ioredis";
import {{ RedisPublisher }} from "@babelqueue/redis";
import {{ {values}, type {name}, type Publisher }} from "./messages/index.js";

const client = new Redis({literal(_BROKER)});
const publisher: Publisher = RedisPublisher.create(client, {target});
const data: {name} = {source};
await publisher.publish(urns.{name}, data);"""


def handle(message: Message, inbox: str) -> str:
    """Return a script that handles the message as it arrives in ``inbox``."""
    name = _name(message)
    attributes = shape_of(message.schema, name).classes[name].attributes
    first = next((each for each in attributes if each.required), next(iter(attributes), None))
    shown = "data" if first is None else _member(first.wire)
    return f"""import {{ Redis }} from "ioredis";
import {{ RedisConsumer, type BabelHandlers }} from "@babelqueue/redis";
import {{ urns, type Handlers }} from "./messages/index.js";

const handlers: Partial<Handlers> = {{
  [urns.{name}]: ({{ data, trace_id }}) => {{
    console.log({shown}, trace_id);
  }},
}};
const client = new Redis({literal(_BROKER)});
const consumer = new RedisConsumer(client, {literal(inbox)}, handlers as BabelHandlers);
await consumer.run(() => true);"""


def _name(message: Message) -> str:
    assert message.parsed is not None
    return class_name(message.parsed)


def _member(name: str) -> str:
    spelled = key(name)
    return f"data.{spelled}" if spelled == name else f"data[{spelled}]"


def _value(value: Any, indent: int, prefix: int) -> str:
    if isinstance(value, str):
        return literal(value)
    if not isinstance(value, (dict, list)) or not value:
        return json.dumps(value)
    inner = indent + 2
    if isinstance(value, list):
        parts, (opening, closing) = [_value(item, inner, inner) for item in value], "[]"
        flat = f"[{', '.join(parts)}]"
    else:
        pairs = [(key(name), item) for name, item in value.items()]
        parts = [f"{name}: {_value(item, inner, inner + len(name) + 2)}" for name, item in pairs]
        opening, closing = "{}"
        flat = f"{{ {', '.join(parts)} }}"
    if "\n" not in flat and prefix + len(flat) <= _WIDTH:
        return flat
    lines = "".join(f"{' ' * inner}{part},\n" for part in parts)
    return f"{opening}\n{lines}{' ' * indent}{closing}"
