"""Liveness, by a clock of the test's own."""

from __future__ import annotations

from unittest.mock import Mock

import runtime_messages as on

from babelreg.runtime import Consumer, Context
from babelreg.runtime.consumer.decision import Attempted, Decision
from babelreg.runtime.consumer.loop import ConsumerLoop
from babelreg.runtime.consumer.run_limits import RunLimits
from babelreg.runtime.consumer.signals import StopFlag
from babelreg.runtime.consumer.valid_delivery import ValidDelivery
from babelreg.runtime.outcome import HANDLED
from babelreg.runtime.telemetry.liveness import Liveness


def test_a_consumer_is_alive_as_long_after_a_sign_of_life_as_it_may_be_silent() -> None:
    now = [100.0]
    liveness = Liveness(lambda: now[0])
    assert not liveness.is_alive(1e9)
    assert liveness.seconds_since_activity is None
    liveness.beat()
    now[0] += 5
    assert liveness.seconds_since_activity == 5
    assert liveness.is_alive(5)
    assert not liveness.is_alive(4.9)
    liveness.beat()
    assert liveness.is_alive(0.1)
    liveness.stop()
    assert not liveness.is_alive(1e9)


def test_a_consumer_is_alive_while_it_runs_only() -> None:
    app = on.app()
    consumer = Consumer(app)
    seen: list[bool] = []

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        seen.append(consumer.liveness.is_alive())

    on.put(app, on.envelope())
    assert not consumer.liveness.is_alive()
    consumer.run(max_messages=1, timeout_seconds=0.01)
    assert seen == [True]
    assert not consumer.liveness.is_alive()


def test_every_poll_is_a_sign_of_life() -> None:
    app = on.app()
    consumer = Consumer(app)
    beats: list[None] = []
    consumer.liveness.beat = lambda: beats.append(None)  # type: ignore[method-assign]

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None: ...

    for _ in range(5):
        on.put(app, on.envelope())
    consumer.run(max_messages=6, timeout_seconds=0.01)
    assert len(beats) >= 6


def test_a_concurrent_run_without_room_for_more_gives_no_sign_of_life() -> None:
    app = on.app()
    on.put(app, on.envelope())
    consumer = Consumer(app)
    consumer.on(on.OrdersCreated)(lambda order, context: None)
    beats: list[None] = []
    started: list[ValidDelivery] = []
    handlers = Mock(start=started.extend)
    limits = RunLimits(concurrency=1, prefetch=0, max_messages=None, timeout_seconds=0.0)
    run = ConsumerLoop(
        app.transport, consumer._dispatcher, ["orders"], limits, StopFlag(), None, lambda: beats.append(None)
    )
    assert run._turn(handlers)
    assert (len(started), len(beats)) == (1, 1)
    assert run._turn(handlers)
    assert len(beats) == 1  # the handler is at work, or hangs: nothing was asked for
    run.report(Attempted(started[0], Decision(started[0].received, HANDLED)))
    assert run._turn(handlers)
    assert len(beats) > 1
