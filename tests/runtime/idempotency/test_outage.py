"""A ledger that is away is no fault of the messages: they go back unchanged, and the consumer waits."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
import runtime_messages as on
from babelqueue.transport import ReceivedMessage

from babelreg.runtime import Consumer, Context, Reject
from babelreg.runtime.consumer.loop import Pauses


class OperationalError(Exception):
    """As the drivers of databases name it (PEP 249)."""


class IntegrityError(Exception):
    """As the drivers of databases name it (PEP 249)."""


class Away:
    """A ledger whose step ``fails`` raises ``error`` the first ``times`` times."""

    def __init__(self, fails: str, times: int = 1, error: type[Exception] = OperationalError) -> None:
        self.fails, self.times, self.error = fails, times, error
        self.marks: dict[str, str] = {}

    def step(self, name: str) -> None:
        if name == self.fails and self.times:
            self.times -= 1
            raise self.error("the database is away")

    def begin(self, message_id: str) -> Away.Unit:
        self.step("begin")
        return Away.Unit(self, message_id)

    class Unit:
        connection = None

        def __init__(self, ledger: Away, message_id: str) -> None:
            self.ledger, self.message_id = ledger, message_id
            self.earlier = ledger.marks.get(message_id)

        def commit(self, content: str) -> bool:
            self.ledger.step("commit")
            self.ledger.marks[self.message_id] = content
            return True

        def rollback(self) -> None:
            self.ledger.step("rollback")


class LoopAway:
    """The same as coroutines."""

    def __init__(self, ledger: Away) -> None:
        self.ledger = ledger

    async def begin(self, message_id: str) -> LoopAway.Unit:
        return LoopAway.Unit(self.ledger.begin(message_id))

    class Unit:
        connection = None

        def __init__(self, unit: Away.Unit) -> None:
            self.unit, self.earlier = unit, unit.earlier

        async def commit(self, content: str) -> bool:
            await asyncio.sleep(0)
            return self.unit.commit(content)

        async def rollback(self) -> None:
            self.unit.rollback()


def service(ledger: Any, raises: list[Exception] | None = None) -> tuple[Any, Consumer, list[int]]:
    app, handled = on.app(), []
    consumer = Consumer(app, ledger=ledger)

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        if raises:
            raise raises.pop(0)
        handled.append(order.order_id)

    return app, consumer, handled


@pytest.mark.parametrize("how", ["plain", "async"])
@pytest.mark.parametrize("fails, raised", [("begin", 0), ("commit", 0), ("rollback", 1)])
def test_190_messages_survive_a_ledger_that_is_away(
    how: str, fails: str, raised: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Today's behaviour before the cure: 190 of 190 dead letters."""
    waited: list[float] = []
    next_seconds = Pauses.next_seconds
    monkeypatch.setattr(Pauses, "next_seconds", lambda pauses: waited.append(next_seconds(pauses)) or 0.0)
    ledger = Away(fails, times=7)
    raises: list[Exception] = [RuntimeError("no")] * 7 * raised
    app, consumer, handled = service(LoopAway(ledger) if how == "async" else ledger, raises)
    texts = [on.put(app, on.envelope(data={"order_id": number})) for number in range(1, 191)]
    consumer.run(max_messages=197, timeout_seconds=0.0)
    assert on.bodies(app, "orders.dlq") == on.bodies(app, "orders") == []
    assert len(texts) == len(set(handled)) == len(ledger.marks) == 190
    assert waited == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]


def test_a_message_goes_back_as_it_came() -> None:
    app, consumer, _ = service(Away("commit"))
    text = json.dumps(on.envelope(attempts=2), indent=1)
    outcome = consumer.dispatch(ReceivedMessage(text, "orders"))
    assert (outcome.kind, outcome.detail) == (
        "returned",
        "ledger_unavailable: OperationalError: the database is away",
    )
    assert isinstance(outcome.error, OperationalError)
    assert on.bodies(app, "orders") == [text]


@pytest.mark.parametrize(
    "fails, error, raises, kind",
    [
        pytest.param("commit", IntegrityError, None, "retried", id="a deferred constraint is the handler's fault"),
        pytest.param("rollback", OperationalError, Reject("no"), "returned", id="a rejection that was not undone"),
        pytest.param("none", OperationalError, RuntimeError("no"), "retried", id="a handler that fails"),
    ],
)
def test_the_handler_s_own_faults_are_retried(
    fails: str, error: type[Exception], raises: Exception | None, kind: str
) -> None:
    _, consumer, _ = service(Away(fails, error=error), [raises] if raises else None)
    assert consumer.dispatch(ReceivedMessage(json.dumps(on.envelope()), "orders")).kind == kind


def test_a_program_that_stops_is_not_kept_by_a_ledger_that_is_away() -> None:
    app, consumer, _ = service(Away("rollback"), [KeyboardInterrupt()])  # type: ignore[list-item]
    text = json.dumps(on.envelope())
    with pytest.raises(KeyboardInterrupt):
        consumer.dispatch(ReceivedMessage(text, "orders"))
    assert on.bodies(app, "orders") == [text]
