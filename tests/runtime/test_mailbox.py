"""A wait ends in time, whatever interrupts it, and an item ends it at once."""

from __future__ import annotations

import signal
import threading
import time
from queue import Empty

import pytest

from babelreg.runtime.mailbox import Mailbox


def test_items_come_in_order_and_end_the_wait() -> None:
    mailbox: Mailbox[int] = Mailbox()
    for number in range(3):
        mailbox.put(number)
    assert [mailbox.get(0.0), mailbox.get(), mailbox.get_nowait()] == [0, 1, 2]
    threading.Timer(0.01, mailbox.put, [3]).start()
    assert mailbox.get() == 3
    assert mailbox.empty()


@pytest.mark.parametrize("seconds", [0.0, -1.0, 1e-9, 1e-6, 0.001])
def test_a_wait_for_nothing_ends_also_where_items_came_before(seconds: float) -> None:
    mailbox: Mailbox[int] = Mailbox()
    for number in range(2_000 if seconds < 0.001 else 20):
        mailbox.put(number)
        assert mailbox.get(seconds) == number
        with pytest.raises(Empty):
            mailbox.get(seconds)


def test_a_signal_handler_that_outlasts_the_wait_does_not_prolong_it() -> None:
    mailbox: Mailbox[int] = Mailbox()
    before = signal.signal(signal.SIGALRM, lambda number, frame: time.sleep(0.02))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.005)
        with pytest.raises(Empty):
            mailbox.get(0.01)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_signal_handler_ends_the_wait_with_an_item() -> None:
    mailbox: Mailbox[int] = Mailbox()
    before = signal.signal(signal.SIGALRM, lambda number, frame: mailbox.put(7))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.005)
        assert mailbox.get() == 7
    finally:
        signal.signal(signal.SIGALRM, before)


def test_nothing_is_lost_between_threads() -> None:
    mailbox: Mailbox[int] = Mailbox()
    threads = [threading.Thread(target=lambda: [mailbox.put(n) for n in range(500)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    found = sorted(mailbox.get() for _ in range(2_000))
    assert found == sorted([*range(500)] * 4)
    assert mailbox.empty()
