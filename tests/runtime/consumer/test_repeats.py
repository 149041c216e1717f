"""A broker that takes deliveries back while their handlers are at work, and delivers their messages again."""

from __future__ import annotations

import json
import logging
import threading
from pathlib import Path
from typing import Any

import broker_queues
import pytest
import runtime_messages as on
from babelqueue import BabelQueue
from babelqueue.transport import ReceivedMessage, Transport
from click.testing import CliRunner
from server import Server

from babelreg.cli.redrive.command import command as redrive
from babelreg.runtime import Consumer, Context, Reject, SqliteLedger
from babelreg.runtime.transports.rabbitmq import RabbitMQ
from babelreg.runtime.transports.receiver import DeliveryLostError


class Delivery:
    def __init__(self, repeats: int | None) -> None:
        self.repeats = repeats
        self.is_open = True


class TakesBack(Transport):
    """A queue of one client, whose reservations end together, as those of a channel do."""

    def __init__(self, *, counts: bool) -> None:
        self.counts = counts
        self.waiting: list[tuple[str, int | None]] = []
        self.reserved: list[ReceivedMessage] = []
        self.acknowledged: list[ReceivedMessage] = []
        self.pops = threading.Condition()
        self.popped = 0

    def take_back(self) -> None:
        """End all reservations, and deliver their messages again."""
        for message in self.reserved:
            message.handle.is_open = False
            self.waiting.append((message.body, (message.handle.repeats or 0) + 1 if self.counts else None))
        self.reserved.clear()

    def wait_for_pops(self, count: int) -> None:
        """Wait until the consumer has asked ``count`` more times: it has dealt with what it took before the last."""
        with self.pops:
            end = self.popped + count
            assert self.pops.wait_for(lambda: self.popped >= end, 60)

    def publish(self, queue: str, body: str) -> None:
        self.waiting.append((body, 0))

    def pop(self, queue: str, timeout: float = 1.0) -> ReceivedMessage | None:
        with self.pops:
            self.popped += 1
            self.pops.notify_all()
        if not self.waiting:
            return None
        body, repeats = self.waiting.pop(0)
        self.reserved.append(ReceivedMessage(body, queue, Delivery(repeats)))
        return self.reserved[-1]

    def ack(self, message: ReceivedMessage) -> None:
        if not message.handle.is_open:
            raise DeliveryLostError("taken back")
        self.reserved.remove(message)
        self.acknowledged.append(message)

    def redeliver(self, message: ReceivedMessage, body: str, delay: float) -> None:
        self.ack(message)
        self.publish(message.queue, body)

    def renew(self, message: ReceivedMessage) -> bool:
        return bool(message.handle.is_open)

    def recoveries(self, message: ReceivedMessage) -> int | None:
        repeats: int | None = message.handle.repeats
        return repeats

    def uncounted(self, queue: str) -> str | None:
        return None

    def close(self) -> None:
        pass


@pytest.fixture(params=[True, False], ids=["counted", "not counted"])
def broker(request: pytest.FixtureRequest) -> TakesBack:
    return TakesBack(counts=request.param)


def run(broker: TakesBack, handle: Any, *bodies: str, **settings: Any) -> list[int]:
    """Handle ``bodies`` and what follows from them until the queue is empty; return the attempts of each call."""
    consumer = Consumer(BabelQueue(transport=broker, queue="orders", retry_backoff=0))
    calls: list[int] = []

    @consumer.on(on.OrdersCreated)
    def call(order: on.OrdersCreated, context: Context) -> None:
        calls.append(context.attempts)
        handle(len(calls))

    for body in bodies:
        broker.publish("orders", body)
    consumer.run(max_messages=20, timeout_seconds=0.0, **settings)
    assert broker.waiting == broker.reserved == []
    return calls


def order() -> str:
    return json.dumps(on.envelope())


def test_a_repeat_waits_for_the_handler_that_is_at_work(broker: TakesBack, caplog: pytest.LogCaptureFixture) -> None:
    def handle(call: int) -> None:
        for _ in range(2):  # the repeat is taken back, too
            broker.take_back()
            broker.wait_for_pops(3)

    with caplog.at_level(logging.WARNING):
        assert run(broker, handle, order(), workers=2) == [0]
    assert len(broker.acknowledged) == 1
    assert "the handler is not called again" in caplog.text


@pytest.mark.parametrize("workers", [1, 2])
def test_a_repeat_after_the_handler_is_acknowledged(broker: TakesBack, workers: int) -> None:
    assert run(broker, lambda call: broker.take_back(), order(), workers=workers, prefetch=0) == [0]
    assert len(broker.acknowledged) == 1


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failure_is_retried_once(broker: TakesBack, workers: int) -> None:
    def handle(call: int) -> None:
        if call == 1:
            broker.take_back()
            raise ValueError

    assert run(broker, handle, order(), workers=workers) == [0, 1]


def test_another_message_with_the_same_body_is_handled(broker: TakesBack) -> None:
    body = order()
    assert run(broker, lambda call: broker.take_back() if call == 1 else None, body, body) == [0, 0]
    assert len(broker.acknowledged) == 2


def test_a_repeat_of_a_message_that_is_reserved_is_handled(broker: TakesBack) -> None:
    """Its sender sent it twice, and another worker died with the second one."""
    body = order()
    broker.waiting.append((body, 1))
    assert run(broker, lambda call: None, body, workers=2) == [0, 0]
    assert len(broker.acknowledged) == 2


def test_what_is_interrupted_returns_the_repeat(broker: TakesBack) -> None:
    consumer = Consumer(BabelQueue(transport=broker, queue="orders"))
    ended = threading.Event()

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        broker.take_back()
        broker.wait_for_pops(3)
        consumer._run.abort()  # type: ignore[union-attr]
        ended.wait(60)

    broker.publish("orders", order())
    consumer.run(workers=2, timeout_seconds=0.0)
    ended.set()
    assert [repeats for _, repeats in broker.waiting] == [0]
    assert broker.reserved == []


def test_what_was_taken_back_before_its_handler_began_does_not_count_as_taken(
    broker: TakesBack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("babelreg.runtime.consumer.backlog._RENEW_AFTER_SECONDS", 0.0)
    consumer = Consumer(BabelQueue(transport=broker, queue="orders"))
    calls: list[str] = []

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        calls.append(context.message_id)
        if len(calls) == 1:
            broker.take_back()

    for _ in range(3):
        broker.publish("orders", order())
    consumer.run(max_messages=4, prefetch=2, timeout_seconds=0.0)  # the first one is delivered twice
    assert len(set(calls)) == 3


@pytest.mark.rabbitmq
@pytest.mark.parametrize(
    "runs, outcomes",
    [
        pytest.param([[]], ["handled"], id="one run sends one of them"),
        pytest.param([["--limit", "1"], ["--limit", "1"]], ["handled", "duplicate"], id="two runs send both"),
    ],
)
def test_a_dead_letter_of_a_worker_that_died_before_its_acknowledgement_has_one_effect(
    rabbitmq: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: list[list[str]], outcomes: list[str]
) -> None:
    """RabbitMQ publishes and acknowledges one after the other: a worker that dies in between repeats a dead letter."""
    queues = broker_queues.opened("rabbitmq", rabbitmq, "orders", "orders.dlq")
    ledger = SqliteLedger(tmp_path / "effects.db")
    found: list[str] = []
    rejects = True

    def work() -> None:
        consumer = Consumer(BabelQueue(queues.url, queue="orders"), ledger=ledger)
        consumer.on_outcome(lambda outcome, delivery: found.append(outcome.kind))

        @consumer.on(on.OrdersCreated)
        def handle(order: on.OrdersCreated, context: Context) -> None:
            context.connection.execute("CREATE TABLE IF NOT EXISTS effects (order_id INTEGER)")
            context.connection.execute("INSERT INTO effects VALUES (?)", (order.order_id,))
            if rejects:
                raise Reject("not yet")

        consumer.run("orders", max_messages=2, timeout_seconds=0.2)

    def die(transport: RabbitMQ, message: object) -> None:
        raise SystemExit  # its connection closes, as that of a process that is killed

    queues.publish("orders", [order().encode()])
    with monkeypatch.context() as patched:
        patched.setattr(RabbitMQ, "ack", die)
        with pytest.raises(SystemExit):
            work()
    work()
    assert (found, queues.count("orders.dlq")) == (["dead_lettered"], 2)
    rejects = False
    found.clear()
    for options in runs:
        words = ["--broker", queues.url, "--registry", registry(tmp_path), "--from", "orders.dlq", *options]
        result = CliRunner().invoke(redrive, words)
        assert result.exit_code == 0, result.output
        work()
    assert found == outcomes
    assert ledger.begin("").connection.execute("SELECT order_id FROM effects").fetchall() == [(1042,)]
    assert (queues.count("orders"), queues.count("orders.dlq")) == (0, 0)


def registry(folder: Path) -> str:
    """Write a registry that has the message."""
    context = folder / "registry" / "orders"
    context.mkdir(parents=True, exist_ok=True)
    (context.parent / "babelreg.yaml").write_text("version: 1\n")
    (context / "_context.yaml").write_text("owner: team-orders\n")
    message = {"urn": on.CREATED, "kind": "event", "queue": "orders", "data": on.SCHEMA}
    (context / "created.yaml").write_text(json.dumps(message))
    return str(context.parent)
