"""A message that kills its worker goes to the dead letters after some deliveries."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import runtime_messages as on
from babelqueue import BabelQueue
from babelqueue.transport import InMemoryTransport, ReceivedMessage

from babelreg.errors import UsageError
from babelreg.runtime import Consumer, Context, SqliteLedger


class Counting(InMemoryTransport):
    """A broker that says of each delivery what ``counts`` says."""

    def __init__(self, counts: Sequence[int | None], *, counted: bool = True) -> None:
        super().__init__()
        self.counts = list(counts)
        self.counted = counted

    def recoveries(self, message: ReceivedMessage) -> int | None:
        return self.counts.pop(0)

    def uncounted(self, queue: str) -> str | None:
        return None if self.counted else f"queue {queue!r} counts nothing"


def consumer_of(transport: Counting, calls: list[int], **settings: Any) -> Consumer:
    consumer = Consumer(BabelQueue(transport=transport, queue="orders"), **settings)

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        calls.append(order.order_id)

    return consumer


def deliver(consumer: Consumer, **members: Any) -> str:
    return consumer.dispatch(ReceivedMessage(json.dumps(on.envelope(**members)), "orders")).kind


@pytest.mark.parametrize(
    "count, limit, kind",
    [
        pytest.param(0, 5, "handled", id="a first delivery"),
        pytest.param(4, 5, "handled", id="the last one that is allowed"),
        pytest.param(5, 5, "dead_lettered", id="one more"),
        pytest.param(1, 1, "dead_lettered", id="a limit of one delivery"),
        pytest.param(500, None, "handled", id="no limit"),
    ],
)
def test_the_handler_is_called_until_the_limit(count: int, limit: int | None, kind: str) -> None:
    calls: list[int] = []
    transport = Counting([count])
    assert deliver(consumer_of(transport, calls, delivery_limit=limit)) == kind
    assert bool(calls) == (kind == "handled")
    if kind == "dead_lettered":
        error = json.loads(transport._queues["orders.dlq"][0])["dead_letter"]["error"]
        assert error == f"delivery_limit: {count} deliveries ended without a result"


def test_a_ledger_counts_what_the_broker_does_not(tmp_path: Path) -> None:
    calls: list[int] = []
    consumer = consumer_of(Counting([None] * 3), calls, ledger=SqliteLedger(tmp_path / "x.db"), delivery_limit=3)
    kills = on.envelope()
    envelopes = [kills, kills, kills]
    consumer._dispatcher.ledger.begin = lambda message_id: 1 / 0  # type: ignore[union-attr,assignment,method-assign]
    kinds = [consumer.dispatch(ReceivedMessage(json.dumps(body), "orders")).kind for body in envelopes]
    assert kinds == ["returned"] * 3  # each counted before the transaction that failed
    with sqlite3.connect(tmp_path / "x.db") as database:
        assert database.execute("SELECT deliveries FROM babelreg_handled_deliveries").fetchall() == [(3,)]
    database.close()


@pytest.mark.parametrize(
    "counts, besides",
    [
        pytest.param([0, None, None, None] * 2, False, id="a broker that tells first deliveries"),
        pytest.param([None, None, None, None] * 2, True, id="a broker that does not"),
    ],
)
def test_a_dead_letter_that_is_sent_again_has_all_its_deliveries(
    counts: list[int | None], besides: bool, tmp_path: Path
) -> None:
    transport = Counting(counts)
    transport.may_count_first = besides  # type: ignore[attr-defined]
    consumer = Consumer(
        BabelQueue(transport=transport, queue="orders"), ledger=SqliteLedger(tmp_path / "x.db"), delivery_limit=3
    )

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        raise SystemExit

    kinds, body = [], json.dumps(on.envelope())
    for _ in counts:
        try:
            kinds.append(consumer.dispatch(ReceivedMessage(body, "orders")).kind)
        except SystemExit:
            kinds.append("died")
    assert kinds == ["died", "died", "died", "dead_lettered"] * 2


def test_a_message_that_was_handled_is_a_duplicate_whatever_its_count(tmp_path: Path) -> None:
    calls: list[int] = []
    consumer = consumer_of(Counting([0, 9]), calls, ledger=SqliteLedger(tmp_path / "x.db"))
    body = json.dumps(on.envelope())
    assert [consumer.dispatch(ReceivedMessage(body, "orders")).kind for _ in range(2)] == ["handled", "duplicate"]


def test_a_queue_that_cannot_be_limited_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    calls: list[int] = []
    consumer = consumer_of(Counting([None, None], counted=False), calls)
    with caplog.at_level(logging.WARNING):
        consumer.run(max_messages=1, timeout_seconds=0)
        assert [deliver(consumer), deliver(consumer)] == ["handled", "handled"]
    assert [record.getMessage() for record in caplog.records] == [
        "queue 'orders' counts nothing: a message that kills its worker comes again without end; a ledger caps it"
    ]


def test_messages_without_an_id_are_said_once_a_urn(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    calls: list[int] = []
    consumer = consumer_of(Counting([0, 0]), calls, ledger=SqliteLedger(tmp_path / "x.db"))
    meta = {**on.envelope()["meta"], "id": ""}
    with caplog.at_level(logging.WARNING):
        assert [deliver(consumer, meta=meta), deliver(consumer, meta=meta)] == ["handled", "handled"]
    assert [record.getMessage() for record in caplog.records] == [
        f"{on.CREATED}: a message without meta.id: the ledger cannot tell when it is delivered again"
    ]


@pytest.mark.parametrize("limit", [0, -1, True])
def test_a_limit_that_is_no_number_of_deliveries_is_refused(limit: Any) -> None:
    with pytest.raises(UsageError, match="delivery_limit is"):
        Consumer(on.app(), delivery_limit=limit)
