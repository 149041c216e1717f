"""``babelreg fanout``: which queues it takes, and which it refuses."""

from __future__ import annotations

import json

import pytest
import redis as redis_client
from babelqueue import EnvelopeCodec
from click.testing import CliRunner, Result
from server import Server

from babelreg.cli.topology.fanout import command
from babelreg.load.service.starter import example_folder

CANCELLED = "urn:babel:orders:cancelled"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, [*arguments, "--registry", str(example_folder())])


@pytest.mark.parametrize(
    "arguments, words",
    [
        pytest.param(["kafka://127.0.0.1:9"], "Kafka needs no fan-out", id="Kafka"),
        pytest.param(["redis://127.0.0.1:9", "--only", "warehouse"], "is read by warehouse", id="an inbox"),
        pytest.param(["redis://127.0.0.1:9", "--only", "ordres"], "did you mean orders", id="an unknown queue"),
    ],
)
def test_what_is_no_queue_of_producers_is_refused(arguments, words):
    result = run(*arguments)
    assert words in str(result.exception)


@pytest.mark.redis
def test_messages_of_another_sdk_reach_all_inboxes(redis: Server):
    client = redis_client.Redis.from_url(redis.url, decode_responses=True)
    client.flushall()
    for queue in ("billing-worker", "warehouse"):
        client.sadd(f"babelreg:subscriptions:{CANCELLED}", queue)
    body = json.dumps(EnvelopeCodec.make(CANCELLED, {"order_id": 1, "reason": "é"}, queue="orders"))
    client.rpush("orders", body)
    client.rpush("orders", "no JSON")
    result = run(redis.url, "--only", "orders", "--once")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [f"{CANCELLED}: 1 copied", "dead letters (poison): 1"]
    assert client.lrange("billing-worker", 0, -1) == client.lrange("warehouse", 0, -1) == [body]
    assert client.llen("orders") == 0
