"""A database that does not answer is reported, and a handler that takes long for another reason is not."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from babelreg.runtime.idempotency import answer_watch
from babelreg.runtime.idempotency.answer_watch import AnswerWatch
from babelreg.runtime.idempotency.guarded_class import guarded


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def test_a_call_without_an_answer_is_reported_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    watch, began = AnswerWatch(clock), clock.seconds
    first = watch.begin()
    second = watch.begin()
    watch.end(second)
    with caplog.at_level(logging.WARNING):
        for seconds, reports in ((19, 0), (26, 1), (31, 1), (80, 1), (85, 1), (95, 2)):
            clock.seconds = began + seconds
            watch.look()
            assert len(caplog.records) == reports
        watch.end(first)
        clock.seconds = began + 200
        watch.look()
    assert len(caplog.records) == 2
    assert "the ledger's database has not answered for 26 s" in caplog.text


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of a watch without a thread, which takes the place of the process's."""
    clock = Clock()
    watch = AnswerWatch(clock)
    monkeypatch.setattr(watch, "_start", lambda: None)
    monkeypatch.setattr("babelreg.runtime.idempotency.guarded_class.watch", watch)
    monkeypatch.setattr(answer_watch, "watch", watch)
    return clock


class Plain:
    """A driver's connection whose server takes ``seconds`` for the answer to each statement."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self.clock, self.seconds = clock, seconds

    def query(self, sql: str, *, rows: int = 0) -> int:
        self.clock.seconds += self.seconds
        answer_watch.watch.look()
        return rows


class Async(Plain):
    async def query(self, sql: str, *, rows: int = 0) -> int:  # type: ignore[override]
        await asyncio.sleep(0)
        return super().query(sql, rows=rows)


@pytest.mark.parametrize("kind", [Plain, Async])
@pytest.mark.parametrize(
    "seconds, reports",
    [
        pytest.param(25.0, ["the ledger's database has not answered for 25 s"], id="late"),
        pytest.param(19.0, [], id="soon"),
    ],
)
def test_a_statement_of_a_handler_is_watched(
    clock: Clock, kind: Any, seconds: float, reports: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    connection = guarded(kind, "query")(clock, seconds)
    with caplog.at_level(logging.WARNING):
        answer = connection.query("INSERT", rows=3)
        assert (asyncio.run(answer) if kind is Async else answer) == 3
    assert [record.getMessage() for record in caplog.records] == reports


def test_a_handler_that_works_between_its_statements_is_not_reported(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    connection = guarded(Plain, "query")(clock, 1.0)
    with caplog.at_level(logging.WARNING):
        connection.query("SELECT")
        for _ in range(10):  # it computes, or calls another service
            clock.seconds += 60
            answer_watch.watch.look()
        connection.query("INSERT")
    assert caplog.records == []


def test_a_call_that_begins_while_the_thread_ends_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    watch, started = AnswerWatch(Clock()), []

    def look() -> None:
        looks.append(1)
        if len(looks) == 3:  # the thread has seen no call three times, and will end
            watch.begin()

    looks: list[int] = []
    monkeypatch.setattr(answer_watch, "_LOOK_SECONDS", 0.0)
    monkeypatch.setattr(watch, "look", look)
    watch._runs = True
    monkeypatch.setattr(watch, "_start", lambda: started.append(watch._runs))
    watch._watch()
    assert started == [False]
