"""Generated TypeScript and generated Python handle what the other sends, over a real Redis. Needs node and npm."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import node_sdk
import npm
import pytest
import python_service
import redis_server
from generated import write_package
from redis import Redis as RedisClient
from typescript_project import errors, written

from babelreg import load
from babelreg.contract import Contract
from babelreg.gen.target import generated_messages
from babelreg.model import Registry

pytestmark = pytest.mark.servers

ROOT = Path(__file__).resolve().parents[4]

SERVICE = """
import { RedisConsumer, RedisPublisher } from "./sdk.js";
import { Redis } from "./client.js";
import { urns, type Handlers, type Messages, type Publisher, type Urn } from "./messages/index.js";
import { validatedHandlers, validatedPublisher } from "./messages/validation.js";
import { lines, print, url } from "./process.js";

const client = new Redis(url);
const publisher: Publisher = validatedPublisher(RedisPublisher.create(client, "for-python"));
async function send<U extends Urn>(urn: U, data: Messages[U]): Promise<void> {
  await publisher.publish(urn, data);
}
for (const { urn, data } of lines as { urn: Urn; data: never }[]) await send(urn, data);

let handled = 0;
const show = ({ job, data }: { readonly job: Urn; readonly data: object }): void => {
  print(JSON.stringify({ urn: job, data }));
  handled += 1;
};
const handlers = Object.fromEntries(Object.values(urns).map((urn) => [urn, show])) as Handlers;
await new RedisConsumer(client, "for-node", validatedHandlers(handlers)).run(() => handled < lines.length);
client.quit();
"""
CLIENT = """
import type { RedisClient } from "./sdk.js";
export declare class Redis implements RedisClient {
  constructor(url: string);
  rpush(key: string, value: string): Promise<number>;
  brpoplpush(source: string, destination: string, timeout: number): Promise<string | null>;
  lrem(key: string, count: number, value: string): Promise<number>;
  quit(): void;
}
"""
PROCESS = """
export declare const url: string;
export declare const lines: readonly unknown[];
export declare function print(text: string): void;
"""
PROCESS_CODE = """
import { readFileSync } from "node:fs";
export const url = process.argv[2];
export const lines = readFileSync(0, "utf8").split("\\n").filter(Boolean).map((line) => JSON.parse(line));
export const print = (text) => process.stdout.write(text + "\\n");
"""


def keyed(lines: list[Any]) -> list[str]:
    return sorted(json.dumps(line, sort_keys=True) for line in lines)


@pytest.fixture(scope="module")
def registry() -> Registry:
    return load.registry(ROOT / "registry.example")


@pytest.fixture(scope="module")
def service(registry: Registry, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled service."""
    folder = tmp_path_factory.mktemp("service")
    commands = npm.install(folder, "ajv@8", "typescript@5.9")
    written(registry, folder, out="messages", emit=True, options={"validate": "ajv"}, service=SERVICE)
    for name, text in {"sdk": node_sdk.TYPES, "client": CLIENT, "process": PROCESS}.items():
        (folder / f"{name}.d.ts").write_text(text)
    assert errors(commands / "tsc", folder) == []
    (folder / "dist/client.js").write_text(node_sdk.STAND_IN)
    (folder / "dist/sdk.js").write_text('export { RedisConsumer, RedisPublisher } from "./client.js";')
    (folder / "dist/process.js").write_text(PROCESS_CODE)
    return folder / "dist/service.js"


@pytest.fixture
def redis() -> Iterator[Any]:
    with redis_server.running() as server:
        yield server


def test_each_language_handles_what_the_other_sends(
    registry: Registry, service: Path, redis: Any, tmp_path: Path
) -> None:
    documents = [{"urn": m.urn, "data": each.data} for m in generated_messages(registry) for each in m.examples]
    assert len(documents) > 10
    lines = "".join(json.dumps(document) + "\n" for document in documents)
    write_package(tmp_path, registry)
    (tmp_path / "service.py").write_text(python_service.source(inbox="for-python", outbox="for-node"), "utf-8")
    commands = [["node", str(service), redis.url], [sys.executable, "service.py", redis.url]]
    by_node, by_python = python_service.talk(commands, tmp_path, lines)
    assert keyed(by_node) == keyed(documents)
    assert keyed(by_python) == keyed(documents)


def test_envelopes_of_node_are_accepted_and_what_fails_is_a_dead_letter(
    registry: Registry, service: Path, redis: Any
) -> None:
    client = RedisClient.from_url(redis.url)
    (valid,) = [
        each.data for m in generated_messages(registry) if m.urn == "urn:babel:orders:created" for each in m.examples
    ][:1]
    line = json.dumps({"urn": "urn:babel:orders:created", "data": valid})
    for data in ({}, valid):
        meta = {"id": "5b1f2c7e-2d0c-4b52-9d3e-111111111111", "queue": "for-node", "lang": "python",
                "schema_version": 1, "created_at": 1}  # fmt: skip
        body = {"job": "urn:babel:orders:created", "trace_id": "t", "data": data, "meta": meta, "attempts": 0}
        client.rpush("for-node", json.dumps(body))
    done = subprocess.run(
        ["node", service, redis.url], input=line, capture_output=True, text=True, timeout=60, check=False
    )
    assert [json.loads(each) for each in done.stdout.splitlines()] == [json.loads(line)], done.stderr
    (sent,) = client.lrange("for-python", 0, -1)
    assert Contract(registry.schemas).verdict(sent).ok
    (dead,) = client.lrange("for-node:dlq", 0, -1)
    assert "InvalidDataError" in json.loads(dead)["dead_letter"]["error"]
    assert client.llen("for-node:processing") == 0
