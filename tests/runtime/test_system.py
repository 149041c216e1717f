"""All services of the example registry, generated, as processes on a real broker: every consumer gets its events."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from types import ModuleType

import broker_queues
import kafka_server
import pytest
import rabbitmq_server
import redis_server
from babelqueue import EnvelopeCodec
from click.testing import CliRunner
from server import Server
from system_run import System

from babelreg import load
from babelreg.cli.redrive.command import command as redrive
from babelreg.cli.topology.fanout import command as fanout
from babelreg.load.service.starter import example_folder

pytestmark = pytest.mark.servers

CREATED, CANCELLED = "urn:babel:orders:created.v2", "urn:babel:orders:cancelled"
GENERATED = "urn:babel:media:thumbnail.generated"
COUNT = 20
REGISTRY = ["--registry", str(example_folder())]


@pytest.fixture(
    params=[
        pytest.param(("redis", redis_server), id="redis"),
        pytest.param(("rabbitmq", rabbitmq_server), id="rabbitmq"),
        pytest.param(("kafka", kafka_server), id="kafka"),
    ]
)
def broker(request: pytest.FixtureRequest) -> Iterator[tuple[str, Server]]:
    kind: str
    module: ModuleType
    kind, module = request.param
    with module.running() as server:
        yield kind, server


def test_every_declared_consumer_gets_its_events_and_no_other(broker, tmp_path, capsys):
    kind, server = broker
    system = System(load.registry(example_folder()), tmp_path, server.url)
    if kind != "kafka":
        with pytest.raises(Exception, match="the broker has no subscription, but billing-worker, warehouse consume it"):
            system.send(1, urns=[CREATED])
    with system.running():
        sent = system.send(COUNT)
        handled = system.wait(sent)
        with capsys.disabled():
            print(f"\n{table(system, sent, handled)}")
        assert handled == system.expected(sent)

        sent += published_by_another_sdk(system, kind, server)
        assert system.wait(sent) == system.expected(sent)

        # A dead letter of billing goes back to billing.
        fails = system.log("billing-worker").with_suffix(".fails")
        fails.write_text(CANCELLED)
        sent += system.send(3, urns=[CANCELLED])
        before = system.wait(sent - Counter({CANCELLED: 3}))
        queues = broker_queues.KINDS[kind](server)
        until(
            lambda: (
                queues.count("billing-worker.dlq") == 3 and system.handled("warehouse")[CANCELLED] == sent[CANCELLED]
            )
        )
        assert before["billing-worker"][CANCELLED] == sent[CANCELLED] - 3
        fails.unlink()
        result = CliRunner().invoke(redrive, ["--broker", server.url, "--from", "billing-worker.dlq", *REGISTRY])
        assert result.exit_code == 0, result.output
        assert system.wait(sent) == system.expected(sent)
    dead = {name: queues.count(f"{name}.dlq") for name in system.consumers if kind == "kafka"}
    assert all(number == 0 for name, number in dead.items() if name != "billing-worker")
    assert all(set(system.ids(name).values()) <= {1} for name in system.consumers)


def published_by_another_sdk(system: System, kind: str, server: Server) -> Counter[str]:
    """Send messages to the queues that the registry names, as SDKs of other languages do, and fan them out."""
    queues, sent = broker_queues.KINDS[kind](server), Counter()
    for urn in (CREATED, CANCELLED, GENERATED):
        message = system.registry.by_urn[urn]
        envelopes = [EnvelopeCodec.make(urn, message.examples[0].data, queue=message.queue) for _ in range(COUNT)]
        if kind == "rabbitmq":
            queues.channel.queue_declare(message.queue, durable=True)
        queues.publish(message.queue, [json.dumps(envelope).encode() for envelope in envelopes])
        sent[urn] += COUNT
    if kind != "kafka":
        result = CliRunner().invoke(fanout, [server.url, "--once", *REGISTRY])
        assert result.exit_code == 0, result.output
        assert result.stdout.splitlines() == [f"{urn}: {COUNT} copied" for urn in sorted(sent)]
    return sent


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.1)


def table(system, sent, handled):
    rows = [("consumer", "message", "sent", "handled")]
    rows += [
        (each.service, each.urn, str(sent[each.urn]), str(handled[each.service][each.urn]))
        for each in system.known.subscriptions
    ]
    kind = re.match("[a-z]+", system.url)[0]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(f"{kind:6} {line}" for line in lines)
