"""``babelreg topology``: what the registry asks for, and how a broker differs from it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
import redis as redis_client
from click.testing import CliRunner, Result
from server import Server

from babelreg.cli.topology.command import command
from babelreg.load.service.starter import example_folder
from babelreg.model.topology import EXCHANGE

CREATED = "urn:babel:orders:created.v2"
COUNT = 12
"""Subscriptions of the example registry."""


def run(*arguments: str, registry: Path | None = None) -> Result:
    return CliRunner().invoke(
        command, [*arguments, "--registry", str(registry or example_folder())], standalone_mode=False
    )


def test_the_text_names_queues_fan_outs_and_groups():
    lines = run().stdout.splitlines()
    assert f"  billing-worker  billing-worker  {'urn:babel:billing:invoice.issue':42}  invoices" in lines
    assert "  warehouse       orders" in lines
    assert lines.index("queues of producers to fan out, where other SDKs publish to them: `babelreg fanout URL`")


def test_the_same_is_there_as_json():
    document = json.loads(run("--format", "json").stdout)
    assert len(document["subscriptions"]) == COUNT
    assert set(document["fan_outs"]) == {"media", "orders"}
    assert document["groups"]["warehouse"] == ["orders"]


def test_options_of_a_broker_need_one():
    result = run("--apply")
    assert "need the URL of a broker" in str(result.exception)


@pytest.mark.redis
def test_a_new_redis_lacks_all_and_has_all_after_apply(redis: Server):
    client = redis_client.Redis.from_url(redis.url, decode_responses=True)
    client.flushall()
    result = run(redis.url)
    assert (result.return_value, len(result.stdout.splitlines())) == (1, COUNT)
    assert f"missing: subscription of queue warehouse to {CREATED}" in result.stdout
    assert client.keys("*") == []
    client.sadd(f"babelreg:subscriptions:{CREATED}", "shipping")
    result = run(redis.url, "--apply")
    assert result.return_value == 1
    assert result.stdout == f"without a service: subscription of queue shipping to {CREATED}\n"
    assert client.smembers(f"babelreg:subscriptions:{CREATED}") == {"billing-worker", "shipping", "warehouse"}
    client.srem(f"babelreg:subscriptions:{CREATED}", "shipping")
    result = run(redis.url, "--format", "json")
    assert (result.return_value, json.loads(result.stdout)["differences"]) == (0, [])


class Management(BaseHTTPRequestHandler):
    """What RabbitMQ's management plugin answers."""

    answers: ClassVar[dict[str, Any]] = {}

    def do_GET(self) -> None:
        assert self.headers["Authorization"] == "Basic Z3Vlc3Q6cHc="
        body = json.dumps(self.answers[self.path]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def management() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Management)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_rabbitmq_is_compared_by_its_management_plugin(management):
    document = json.loads(run("--format", "json").stdout)
    bindings = [
        {"source": EXCHANGE, "destination_type": "queue", "destination": each["queue"], "routing_key": each["urn"]}
        for each in document["subscriptions"]
        if each["queue"] != "mailer"
    ]
    bindings += [
        {"source": EXCHANGE, "destination_type": "queue", "destination": "old", "routing_key": CREATED},
        {"source": "", "destination_type": "queue", "destination": "any", "routing_key": "any"},
    ]
    queues = [{"name": name} for name in {each["queue"] for each in document["subscriptions"]} - {"mailer"}]
    Management.answers = {"/api/bindings/shop%2F1": bindings, "/api/queues/shop%2F1?columns=name": queues}
    result = run("amqp://guest:pw@127.0.0.1:1/shop%2F1", "--management", management)
    assert result.return_value == 1
    assert result.stdout.splitlines() == [
        "missing: queue mailer",
        "missing: subscription of queue mailer to urn:babel:notifications:email.welcome.send",
        f"without a service: subscription of queue old to {CREATED}",
    ]


def test_rabbitmq_without_the_plugin_says_how_to_enable_it():
    result = run("amqp://guest:secret@127.0.0.1:1/", "--management", "http://127.0.0.1:9")
    assert "rabbitmq-plugins enable rabbitmq_management" in str(result.exception)
    assert "secret" not in str(result.exception)
