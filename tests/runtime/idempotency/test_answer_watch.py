"""A database that does not answer is reported, and one that answers late once."""

from __future__ import annotations

import logging
import time

import pytest

from babelreg.runtime.idempotency.answer_watch import AnswerWatch


def test_a_call_without_an_answer_is_reported_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    watch, began = AnswerWatch(), time.monotonic()
    first = watch.begin()
    second = watch.begin()
    watch.end(second)
    with caplog.at_level(logging.WARNING):
        watch.look(began + 19)
        assert caplog.records == []
        for seconds in (26, 31, 80, 85):
            watch.look(began + seconds)
        assert len(caplog.records) == 1
        watch.look(began + 95)
        assert len(caplog.records) == 2
        watch.end(first)
        watch.look(began + 200)
    assert len(caplog.records) == 2
    assert "the ledger's database has not answered for 26 s" in caplog.text
