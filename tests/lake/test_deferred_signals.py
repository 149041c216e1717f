"""Signals that arrive while something is done as a whole."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from babelreg.lake.deferred_signals import deferred


@pytest.fixture
def log() -> Iterator[list[str]]:
    """What happened, in order; both signals append their name."""
    found: list[str] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {
        number: signal.signal(number, lambda got, _: found.append(signal.Signals(got).name)) for number in numbers
    }
    yield found
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(
    "signals, happened",
    [
        pytest.param([], ["work", "end"], id="none"),
        pytest.param([signal.SIGINT], ["work", "SIGINT", "end"], id="one waits"),
        pytest.param([signal.SIGTERM], ["work", "SIGTERM", "end"], id="of either kind"),
        pytest.param([signal.SIGINT, signal.SIGINT], ["SIGINT", "work", "SIGINT", "end"], id="the second does not"),
    ],
)
def test_a_signal_waits_for_the_end_of_the_block(
    signals: list[signal.Signals], happened: list[str], log: list[str]
) -> None:
    with deferred():
        for number in signals:
            signal.raise_signal(number)
        log.append("work")
    log.append("end")
    assert log == happened


def test_an_error_of_the_block_is_not_lost_to_a_signal(log: list[str]) -> None:
    def work() -> None:
        with deferred():
            signal.raise_signal(signal.SIGINT)
            raise ValueError("ours")

    with pytest.raises(ValueError, match="ours"):
        work()
    assert log == ["SIGINT"]


def test_an_ignored_signal_stays_ignored(log: list[str]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with deferred():
        signal.raise_signal(signal.SIGINT)
    assert log == []


def test_in_another_thread_the_block_just_runs() -> None:
    done = threading.Event()

    def work() -> None:
        with deferred():
            done.set()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done.is_set()
