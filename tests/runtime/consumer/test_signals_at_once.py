"""Signals that arrive while another one is being handled."""

from __future__ import annotations

import signal

import pytest

from babelreg.runtime.consumer.signals import stopping_on_signals


def test_a_signal_within_another_waits_until_that_one_is_done() -> None:
    steps: list[str] = []

    def stop() -> None:
        steps.append("stop begins")
        signal.raise_signal(signal.SIGTERM)
        steps.append("stop ends")

    with stopping_on_signals(stop, enabled=True, again=lambda: steps.append("again")):
        signal.raise_signal(signal.SIGTERM)
        assert steps == ["stop begins", "stop ends", "again"]
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
