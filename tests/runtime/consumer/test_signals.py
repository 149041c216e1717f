"""A flag that a signal handler sets between any two steps of the thread that waits for it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
import runtime_messages as on
from babelqueue.transport import InMemoryTransport, ReceivedMessage

from babelreg.runtime import Consumer
from babelreg.runtime.consumer.signals import StopFlag

WAITING = ("consumer/loop.py", "receiver.py", "signals.py", "mailbox.py", "threading.py")
"""The modules in which an idle consumer waits: standard library or not, what runs there may hold a lock."""


class Idle(InMemoryTransport):
    """A broker without messages, which stops the consumer when it was asked a number of times."""

    def __init__(self, consumer: Callable[[], Consumer], most: int) -> None:
        super().__init__()
        self._consumer = consumer
        self._most = most
        self.asked = 0

    def pop(self, queue: str, timeout: float = 1.0) -> ReceivedMessage | None:
        self.asked += 1
        if self.asked == self._most:
            self._consumer().stop()
        return None


def interrupted_at(step: int, run: Callable[[], object], interrupt: Callable[[], object]) -> bool:
    """Call ``interrupt`` within ``run``, as a signal handler is called, before its ``step``-th bytecode instruction.

    Return False if there are fewer in the modules that wait.
    """
    steps = 0

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal steps
        if not frame.f_code.co_filename.endswith(WAITING):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            steps += 1
            if steps == step:
                interrupt()
        return trace

    def traced() -> None:
        sys.settrace(trace)
        try:
            run()
        finally:
            sys.settrace(None)

    thread = threading.Thread(target=traced, daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive(), f"it waits for ever when it is interrupted at step {step}"
    return steps >= step


@pytest.mark.parametrize(
    "most", [pytest.param(2, id="one wait"), pytest.param(3, id="two waits", marks=pytest.mark.long)]
)
def test_a_consumer_can_be_stopped_at_every_step_of_its_wait(most: int) -> None:
    def stopped_at(step: int) -> bool:
        app = on.app()
        app.transport = Idle(lambda: consumer, most)
        consumer = Consumer(app)
        consumer.on(on.OrdersCreated)(lambda order, context: None)
        return interrupted_at(step, lambda: consumer.run(timeout_seconds=0.0005), consumer.stop)

    step = 1
    while stopped_at(step):
        step += 1
    assert step > 50


def test_a_flag_can_be_set_while_it_is_being_set() -> None:
    step = 1
    while True:
        flag = StopFlag()
        if not interrupted_at(step, flag.set, flag.set):
            break
        assert flag.is_set()
        step += 1
    assert step > 5


@pytest.mark.parametrize("waiting", [True, False])
def test_a_flag_that_was_set_ends_one_wait_and_no_later_run(waiting: bool) -> None:
    flag = StopFlag()
    if waiting:
        threading.Timer(0.01, flag.set).start()
    else:
        flag.set()
    flag.wait(3600)
    assert flag.is_set()
    flag.clear()
    flag.wait(0.001)
    assert not flag.is_set()
