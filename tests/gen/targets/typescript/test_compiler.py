"""The compiler of TypeScript accepts what is valid and refuses wrong uses. Needs node, and npm with a package index."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hostile
import node_sdk
import npm
import pytest
from drawn_schemas import drawn
from published_schemas import published
from typescript_project import errors, written

from babelreg import load
from babelreg.gen.target import generated_messages
from babelreg.load.service import starter
from babelreg.schema.local_references import LocalReferences

pytestmark = pytest.mark.servers

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(scope="module")
def example():
    return load.registry(ROOT / "registry.example")


USES = """
import { urns, queues, inboxes } from "./index.js";
import type { Envelope, Handlers, OrdersCreatedV2, Publisher, Urn } from "./index.js";
import { RedisConsumer, RedisPublisher } from "./sdk.js";
import type { BabelHandlers, RedisClient } from "./sdk.js";
declare const client: RedisClient;
const publisher: Publisher = RedisPublisher.create(client, queues[urns.OrdersCreatedV2]);
const order: OrdersCreatedV2 = { order_id: 1, total: { minor: 1, currency: "EUR" }, channel: "fax" };
publisher.publish(urns.OrdersCreatedV2, order, { traceId: "x" });
const handlers: Handlers = {
  [urns.OrdersCreatedV2]: async ({ data }, raw) => [data.total.minor + raw.length, data.lines?.[0]?.sku.length],
};
for (const inbox of Object.keys(inboxes["billing-worker"])) {
  new RedisConsumer(client, inbox, handlers as BabelHandlers);
}
const queue: "orders" = queues[urns.OrdersCreatedV2];
export function narrowed(envelope: Envelope): number {
  return envelope.job === urns.OrdersCreatedV2 ? envelope.data.total.minor : envelope.attempts;
}
const record: Record<string, unknown> = order;
const urn: Urn = "urn:babel:orders:created.v2";
export { queue, record, urn };
"""


def test_every_example_compiles_and_the_sdk_takes_the_types(example, tmp_path, tsc):
    lines = ['import type { Messages } from "./index.js";']
    for message in generated_messages(example):
        for number, each in enumerate(message.examples):
            name = re.sub(r"\W", "_", f"{message.urn}_{number}")
            value = json.dumps(each.data)
            lines.append(f"export const {name}: Messages[{json.dumps(message.urn)}] = {value};")
    assert len(lines) > 10
    written(example, tmp_path, examples="\n".join(lines), sdk=node_sdk.TYPES, uses=USES)
    assert errors(tsc, tmp_path) == []


_TOTAL = 'total: { minor: 1, currency: "EUR" }'
WRONG = {
    "a required property is missing": "const x: OrdersCreatedV2 = { order_id: 1 };",
    "no property at all": "const x: OrdersCreatedV2 = {};",
    "a property is misspelt": f"const x: OrdersCreatedV2 = {{ order_id: 1, {_TOTAL}, e_mail: 'a' }};",
    "a nested property is misspelt": "const x: OrdersCreatedV2 = { order_id: 1, total: { minor: 1, curency: 'EUR' } };",
    "a nested property is missing": "const x: OrdersCreatedV2 = { order_id: 1, total: { minor: 1 } };",
    "text for a number": f"const x: OrdersCreatedV2 = {{ order_id: '1', {_TOTAL} }};",
    "a number for text": f"const x: OrdersCreatedV2 = {{ order_id: 1, {_TOTAL}, email: 1 }};",
    "null for an integer": f"const x: OrdersCreatedV2 = {{ order_id: null, {_TOTAL} }};",
    "null for what may be absent": f"const x: OrdersCreatedV2 = {{ order_id: 1, {_TOTAL}, email: null }};",
    "undefined for what may be absent": f"const x: OrdersCreatedV2 = {{ order_id: 1, {_TOTAL}, email: undefined }};",
    "a number for an enum that may grow": f"const x: OrdersCreatedV2 = {{ order_id: 1, {_TOTAL}, channel: 1 }};",
    "an object for an array": f"const x: OrdersCreatedV2 = {{ order_id: 1, {_TOTAL}, lines: {{}} }};",
    "an item without its property": f"const x: OrdersCreatedV2 = {{ order_id: 1, {_TOTAL}, lines: [{{ qty: 1 }}] }};",
    "an array for an object": "const x: OrdersCreatedV2 = { order_id: 1, total: [] };",
    "a Date for a text": f"const x: OrdersCreatedV2 = {{ order_id: 1, {_TOTAL}, placed_at: new Date() }};",
    "a bigint for a number": f"const x: OrdersCreatedV2 = {{ order_id: 1n, {_TOTAL} }};",
    "a property is assigned to": "order.order_id = 2;",
    "a nested property is assigned to": "order.total.minor = 2;",
    "an item is added": "order.lines?.push({ sku: 'ABC', qty: 1 });",
    "an optional property is used unchecked": "const x: number = order.email.length;",
    "an item is used unchecked": "if (order.lines) { const x: string = order.lines[0].sku; }",
    "an undeclared property is read": "const x = order.totals;",
    "a URN that is none": "publisher.publish('urn:babel:orders:create', order);",
    "the data of another message": "publisher.publish(urns.OrdersCancelled, order);",
    "no data": "publisher.publish(urns.OrdersCreatedV2);",
    "an option that is none": "publisher.publish(urns.OrdersCreatedV2, order, { trace: 'x' });",
    "the result without await": "const x: string = publisher.publish(urns.OrdersCreatedV2, order);",
    "a handler of no message": "const x: Handlers = { 'urn:babel:orders:create': () => 1 };",
    "a handler of another message's data": "const x: Handlers = { [urns.OrdersCreated]: (e: Envelope<'urn:babel:orders:created.v2'>) => e };",
    "a handler reads an undeclared property": "const x: Handlers = { [urns.OrdersCreatedV2]: ({ data }) => data.amount };",
    "a handler takes an optional property for given": "const x: Handlers = { [urns.OrdersCreatedV2]: ({ data }) => data.email.length };",
    "a handler that is no function": "const x: Handlers = { [urns.OrdersCreatedV2]: 1 };",
    "data of an envelope that was not narrowed": "const x = (e: Envelope) => e.data.total;",
    "a URN is assigned to": "urns.OrdersCreated = 'x';",
    "the queue of no message": "const x = queues['urn:babel:orders:create'];",
    "a service that reads nothing": "const x = inboxes['orders'];",
}  # fmt: skip
_BEFORE = """
import { inboxes, queues, urns } from "./index.js";
import type { Envelope, Handlers, OrdersCreatedV2, Publisher } from "./index.js";
declare const order: OrdersCreatedV2; declare const publisher: Publisher;
"""


_IOREDIS = """
declare module "ioredis" {
  export class Redis {
    constructor(url: string);
    rpush(key: string, value: string): Promise<number>;
    brpoplpush(source: string, destination: string, timeout: number): Promise<string | null>;
    lrem(key: string, count: number, value: string): Promise<number>;
  }
}
declare module "@babelqueue/redis" { SDK }
declare const console: { log(...values: unknown[]): void };
"""


def test_the_service_of_the_manual_compiles(tmp_path, tsc):
    page = (ROOT / "docs/typescript.md").read_text("utf-8")
    service = page.partition("cat > src/service.ts <<'END'\n")[2].partition("END\n")[0]
    narrowed = page.partition("## Envelopes")[2].partition("```ts\n")[2].partition("```")[0]
    assert "RedisPublisher.create" in service
    assert "envelope.job ===" in narrowed
    for path, text in starter.registry_files(tmp_path / "registry", "orders", "team-orders").items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    registry = load.registry(tmp_path / "registry")
    modules = _IOREDIS.replace("SDK", node_sdk.TYPES.replace("declare ", ""))
    folder = tmp_path / "src"
    written(registry, folder, out="messages", service=service, narrowed=f"{narrowed}\nexport {{ total }};\n")
    (folder / "sdk.d.ts").write_text(modules)
    assert errors(tsc, folder) == []


def test_wrong_uses_do_not_compile(example, tmp_path, tsc):
    assert len(WRONG) >= 30
    written(example, tmp_path, **{f"wrong{n}": f"{_BEFORE}{{ {line} }}\n" for n, line in enumerate(WRONG.values())})
    refused = {line.partition(".ts(")[0] for line in errors(tsc, tmp_path)}
    assert refused == {f"wrong{n}" for n in range(len(WRONG))}


def test_all_hostile_messages_compile(tmp_path, tsc):
    written(hostile.registry(), tmp_path)
    assert errors(tsc, tmp_path) == []


def _sharing(document: Any, schema: Any, references: LocalReferences) -> bool:
    """Return False where an object has only undeclared properties: the compiler takes it for a mistake."""
    if not isinstance(schema, dict):
        return True
    applied = [schema, *(below for _, below in references.in_place(schema))]
    if not all(_sharing(document, below, references) for below in applied[1:]):
        return False
    if isinstance(document, list):
        return all(_sharing(item, schema.get("items"), references) for item in document)
    if not isinstance(document, dict):
        return True
    properties = schema.get("properties", {})
    if document and properties and not document.keys() & properties.keys():
        return False
    other = schema.get("additionalProperties")
    return all(_sharing(value, properties.get(name, other), references) for name, value in document.items())


def _doubles(value: Any) -> Any:
    """Return a document with the numbers that JavaScript has."""
    if isinstance(value, dict):
        return {name: _doubles(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_doubles(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


PRINT = """
import * as documents from "./documents.js";
console.log(JSON.stringify(Object.entries(documents)));
"""


@pytest.mark.parametrize(
    "made, number",
    [
        pytest.param(lambda: [each[:2] for each in drawn()], 1000, id="sixty drawn schemas"),
        pytest.param(published, 600, id="published schemas"),
    ],
)
def test_what_readers_accept_compiles_and_comes_back_equal(
    made: Callable[[], list[tuple[Any, list[Any]]]], number: int, tmp_path: Path, tsc: Path
) -> None:
    schemas = made()
    registry = hostile.registry({str(at): ("x", schema) for at, (schema, _) in enumerate(schemas)})
    lines, sent = ['import type { Messages } from "./index.js";'], {}
    for at, (schema, documents) in enumerate(schemas):
        references = LocalReferences(schema)
        for document in documents:
            # A variable first: only literals are refused for properties that the schema does not declare.
            name, urn = f"d{len(lines)}", f"urn:babel:hostile:case{at}"
            # An assertion asks for less than an assignment, but not for a common property.
            value = name if _sharing(document, schema, references) else f'{name} as Messages["{urn}"]'
            lines += [f"const {name} = {json.dumps(document)} as const;"]
            lines += [f'export const t{name}: Messages["{urn}"] = {value};']
            sent[f"t{name}"] = _doubles(document)
    assert len(sent) >= number
    assert sum(" as Messages" in line for line in lines) * 3 < len(sent)
    written(registry, tmp_path, emit=True, documents="\n".join(lines))
    assert errors(tsc, tmp_path) == []
    (tmp_path / "dist/print.js").write_text(PRINT)
    back = dict(json.loads(npm.node(tmp_path, "dist/print.js")))
    assert _doubles(back) == sent
