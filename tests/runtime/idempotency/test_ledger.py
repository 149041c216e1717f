"""A message that is delivered twice takes effect once: the mark and the effect are one transaction."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import runtime_messages as on
from babelqueue import BabelQueue
from babelqueue.transport import ReceivedMessage
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.errors import UsageError
from babelreg.runtime import Consumer, Context, Reject, SqliteLedger, SqlOutbox

HOW = ["plain", "async"]


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    found = tmp_path / "service.db"
    with sqlite3.connect(found) as database:
        database.execute("CREATE TABLE effects (order_id INTEGER)")
    yield found
    database.close()


class Service:
    """Handles OrdersCreated: writes a row by the connection of its context, then does ``act``."""

    def __init__(self, app: BabelQueue, ledger: Any, how: str = "plain", act: Any = None) -> None:
        self.app = app
        self.calls = 0
        self.act = act
        self.consumer = Consumer(app, ledger=ledger)

        def effect(order: on.OrdersCreated, context: Context) -> None:
            self.calls += 1
            context.connection.execute("INSERT INTO effects VALUES (?)", (order.order_id,))
            if self.act is not None:
                self.act(order, context)

        async def later(order: on.OrdersCreated, context: Context) -> None:
            await asyncio.sleep(0)
            effect(order, context)

        self.consumer.on(on.OrdersCreated)(effect if how == "plain" else later)

    def run(self, most: int = 20) -> int:
        return self.consumer.run(max_messages=most, timeout_seconds=0.01)


@pytest.fixture(params=["handler", "write"], autouse=True)
def lock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every law holds for both moments at which SQLite is locked."""
    monkeypatch.setitem(DEFAULTS, "lock", request.param)


DEFAULTS: dict[str, Any] = {}


def ledger(path: Path, **settings: Any) -> SqliteLedger:
    settings = {**DEFAULTS, **settings}
    return SqliteLedger(path, prepare=lambda database: database.execute("PRAGMA synchronous = OFF"), **settings)


def effects(path: Path) -> list[int]:
    database = sqlite3.connect(path)
    found = [row[0] for row in database.execute("SELECT order_id FROM effects")]
    database.close()
    return found


def fail(order: on.OrdersCreated, context: Context) -> None:
    raise RuntimeError("no")


@pytest.mark.parametrize("how", HOW)
def test_the_second_delivery_is_acknowledged_without_the_handler(how: str, path: Path) -> None:
    app = on.app()
    text = on.put(app, on.envelope())
    on.put(app, text)
    on.put(app, json.dumps({**json.loads(text), "attempts": 1}))
    service = Service(app, ledger(path), how)
    assert service.run() == 3
    assert service.calls == 1
    assert effects(path) == [1042]
    assert on.bodies(app, "orders") == on.bodies(app, "orders.dlq") == []


@pytest.mark.parametrize("how", HOW)
def test_what_a_handler_wrote_before_it_failed_is_not_kept(how: str, path: Path) -> None:
    app = on.app()
    on.put(app, on.envelope())
    service = Service(
        app, ledger(path), how, act=lambda order, context: fail(order, context) if service.calls < 3 else None
    )
    assert service.run() == 3
    assert service.calls == 3
    assert effects(path) == [1042]


@pytest.mark.parametrize("how", HOW)
def test_a_message_that_was_given_up_is_not_marked_and_can_be_sent_again(how: str, path: Path) -> None:
    app = on.app()
    text = on.put(app, on.envelope())
    service = Service(app, ledger(path), how, act=fail)
    service.run()
    assert effects(path) == []
    service.act = None
    on.put(app, text)
    service.run()
    assert effects(path) == [1042]


def test_a_message_that_was_rejected_leaves_nothing_behind(path: Path) -> None:
    app = on.app()
    on.put(app, on.envelope())

    def reject(order: on.OrdersCreated, context: Context) -> None:
        raise Reject("no such customer")

    Service(app, ledger(path), act=reject).run()
    assert effects(path) == []
    assert len(on.bodies(app, "orders.dlq")) == 1


def test_an_interrupted_handler_leaves_nothing_behind_and_gives_its_message_back(path: Path) -> None:
    app = on.app()
    text = on.put(app, on.envelope())

    def interrupt(order: on.OrdersCreated, context: Context) -> None:
        raise KeyboardInterrupt

    service = Service(app, ledger(path), act=interrupt)
    service.run()
    assert on.bodies(app, "orders") == [text]
    assert effects(path) == []
    service.act = None
    service.run()
    assert effects(path) == [1042]


def test_an_async_handler_that_is_interrupted_cleans_up_before_its_transaction_is_undone(path: Path) -> None:
    app = on.app()
    text = on.put(app, on.envelope())
    consumer = Consumer(app, ledger=ledger(path))
    cleaned: list[bool] = []

    def interrupt() -> None:
        raise KeyboardInterrupt

    @consumer.on(on.OrdersCreated)
    async def handle(order: on.OrdersCreated, context: Context) -> None:
        asyncio.get_running_loop().call_later(0.01, interrupt)
        try:
            await asyncio.sleep(5)
        finally:
            context.connection.execute("INSERT INTO effects VALUES (1)")
            cleaned.append(context.connection.in_transaction)

    consumer.run(max_messages=1, timeout_seconds=0.01)
    assert cleaned == [True]
    assert effects(path) == []
    assert on.bodies(app, "orders") == [text]


def test_a_broker_that_takes_no_acknowledgement_brings_a_duplicate_that_does_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = on.app()
    text = on.put(app, on.envelope())
    service = Service(app, ledger(path))
    with monkeypatch.context() as patched:
        patched.setattr(app.transport, "ack", lambda received: 1 / 0)
        service.run()
    on.put(app, text)
    service.run()
    assert (service.calls, effects(path)) == (1, [1042])


def test_another_message_under_the_same_id_is_not_lost(path: Path) -> None:
    app = on.app()
    envelope = on.envelope()
    on.put(app, envelope)
    on.put(app, {**envelope, "data": {"order_id": 7}})
    Service(app, ledger(path)).run()
    (body,) = on.bodies(app, "orders.dlq")
    assert json.loads(body)["data"] == {"order_id": 7}
    assert json.loads(body)["dead_letter"]["error"].startswith("id_conflict: ")
    assert effects(path) == [1042]


def test_a_message_that_another_service_has_written_anew_is_the_same(path: Path) -> None:
    app = on.app()
    envelope = on.envelope(data={"order_id": 1042, "amount": 5.0, "x": {"b": "\ud800", "a": 1}})
    on.put(app, json.dumps(envelope))
    on.put(app, json.dumps({**envelope, "data": {"x": {"a": 1, "b": "\ud800"}, "amount": 5, "order_id": 1042}}))
    Service(app, ledger(path)).run()
    assert effects(path) == [1042]
    assert on.bodies(app, "orders.dlq") == []


@pytest.mark.parametrize("identity", ["", None])
def test_messages_without_an_id_are_all_handled(identity: str | None, path: Path) -> None:
    app = on.app()
    envelope = on.envelope()
    for _ in range(2):
        on.put(app, {**envelope, "meta": {**envelope["meta"], "id": identity}})
    Service(app, ledger(path)).run()
    assert effects(path) == [1042, 1042]


@pytest.mark.parametrize(
    "end",
    [
        pytest.param(lambda connection: connection.commit(), id="commit"),
        pytest.param(lambda connection: connection.rollback(), id="rollback"),
        pytest.param(lambda connection: connection.executescript("SELECT 1"), id="executescript"),
    ],
)
def test_a_handler_cannot_end_the_transaction_by_accident(end: Any, path: Path) -> None:
    app = on.app()
    on.put(app, on.envelope())
    service = Service(app, ledger(path), act=lambda order, context: end(context.connection))
    service.run()
    assert effects(path) == []
    (body,) = on.bodies(app, "orders.dlq")
    assert "UsageError" in json.loads(body)["dead_letter"]["exception"]


def test_a_handler_that_ends_the_transaction_in_sql_is_told(path: Path) -> None:
    app = on.app()
    on.put(app, on.envelope())
    Service(app, ledger(path), act=lambda order, context: context.connection.execute("COMMIT")).run(1)
    assert json.loads(on.bodies(app, "orders")[0])["attempts"] == 1


def test_the_habit_of_with_connection_does_no_harm(path: Path) -> None:
    app = on.app()
    on.put(app, on.envelope())

    def habit(order: on.OrdersCreated, context: Context) -> None:
        with context.connection as connection:
            connection.execute("INSERT INTO effects VALUES (1)")
        if service.calls == 1:
            raise RuntimeError("after the block")

    service = Service(app, ledger(path), act=habit)
    service.run()
    assert effects(path) == [1042, 1]


def test_messages_written_to_an_outbox_are_part_of_it(path: Path) -> None:
    app = on.app()
    on.put(app, on.envelope())
    database = sqlite3.connect(path)
    SqlOutbox(database).create()

    def forward(order: on.OrdersCreated, context: Context) -> None:
        on.OrdersCancelledProducer(app).write(SqlOutbox(context.connection), on.OrdersCancelled(order_id=1))
        if service.calls == 1:
            raise RuntimeError("no")

    service = Service(app, ledger(path), act=forward)
    service.run()
    (record,) = SqlOutbox(database).fetch_unpublished(10)
    assert json.loads(record.body)["trace_id"]
    database.close()


def test_consumers_that_share_a_database_are_kept_apart_by_name(path: Path) -> None:
    app = on.app()
    text = on.put(app, on.envelope())
    Service(app, ledger(path, consumer="billing")).run()
    on.put(app, text)
    Service(app, ledger(path, consumer="mailer")).run()
    assert effects(path) == [1042, 1042]


def test_what_is_pruned_would_be_handled_again(path: Path) -> None:
    app = on.app()
    text = on.put(app, on.envelope())
    kept = ledger(path)
    Service(app, kept).run()
    assert kept.prune(keep_seconds=3600) == 0
    assert kept.prune(keep_seconds=-1) == 1
    on.put(app, text)
    Service(app, kept).run()
    assert effects(path) == [1042, 1042]
    kept.close()


def test_a_run_in_another_thread_has_a_connection_of_its_own(path: Path) -> None:
    app = on.app()
    on.put(app, on.envelope())
    service = Service(app, ledger(path))
    asyncio.run(asyncio.to_thread(service.run))
    assert effects(path) == [1042]


@pytest.mark.parametrize("where", ["no/such/folder/x.db", "."])
def test_a_database_that_cannot_be_opened_is_told_before_any_message_is_taken(where: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot store the ledger"):
        SqliteLedger(tmp_path / where)


def locks(path: Path, failures: int) -> Callable[[sqlite3.Connection], None]:
    """Let the first connections fail as the switch to WAL does beside another worker: at once, whatever the timeout."""
    left = iter(range(failures))

    def prepare(connection: sqlite3.Connection) -> None:
        if next(left, None) is not None:
            with closing(sqlite3.connect(path, isolation_level=None)) as other:
                other.execute("BEGIN EXCLUSIVE")
                connection.execute("PRAGMA busy_timeout = 0")
                connection.execute("SELECT * FROM effects")

    return prepare


def test_workers_that_begin_with_a_new_database_at_once_wait_for_each_other(path: Path) -> None:
    app = on.app()
    on.put(app, on.envelope())
    Service(app, SqliteLedger(path, prepare=locks(path, 2))).run()
    assert effects(path) == [1042]


def test_a_database_that_stays_locked_is_told_as_such(path: Path) -> None:
    with pytest.raises(UsageError, match="database is locked") as raised:
        SqliteLedger(path, timeout_seconds=0, prepare=locks(path, 1_000_000))
    assert raised.value.fix == "end the program that has locked it"


def test_a_database_that_is_locked_means_once_more(path: Path) -> None:
    app = on.app()
    on.put(app, on.envelope())
    service = Service(app, ledger(path, timeout_seconds=0.01))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    service.run(1)
    other.execute("ROLLBACK")
    other.close()
    service.run()
    assert effects(path) == [1042]


def test_a_rollback_that_failed_stops_no_later_message(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = on.app()
    on.put(app, on.envelope())
    service = Service(app, ledger(path), act=fail)
    with monkeypatch.context() as patched:
        patched.setattr("babelreg.runtime.idempotency.sqlite_ledger._Unit.rollback", lambda self: 1 / 0)
        service.run(1)
    service.act = None
    service.run()
    assert effects(path) == [1042]


def test_a_forked_worker_has_a_connection_of_its_own(path: Path) -> None:
    app = on.app()
    on.put(app, on.envelope())
    service = Service(app, ledger(path))
    child = os.fork()
    if child == 0:
        try:
            service.run()
        finally:
            os._exit(service.calls)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    service.run()  # the same message, which the child has handled
    assert effects(path) == [1042]


def test_workers_that_share_a_database_and_get_the_same_messages_do_each_once(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA journal_mode = WAL")
    bodies = [json.dumps(on.envelope(data={"order_id": number})) for number in range(1, 41)]
    shared = ledger(path)

    def work(bodies: list[str]) -> list[str]:
        service = Service(on.app(), shared)
        kinds = [service.consumer.dispatch(ReceivedMessage(body, "orders")).kind for body in bodies]
        shared.close()
        return kinds

    with ThreadPoolExecutor(3) as pool:
        kinds = [kind for found in pool.map(work, [bodies, bodies, bodies[::-1]]) for kind in found]
    assert sorted(effects(path)) == list(range(1, 41))
    assert Counter(kinds) == {"handled": 40, "duplicate": 80}


FAULTS = ("none", "before", "after", "interrupt", "commit", "ack")


@settings(max_examples=fewer(50))
@given(st.lists(st.sampled_from(FAULTS), max_size=12), st.sampled_from(HOW))
def test_whatever_fails_whenever_each_message_takes_effect_exactly_once(faults: list[str], how: str) -> None:
    app = on.app()
    made = SqliteLedger(
        ":memory:", prepare=lambda database: database.execute("CREATE TABLE effects (order_id INTEGER)"), **DEFAULTS
    )
    waiting = list(faults)
    fault = "none"

    def act(order: on.OrdersCreated, context: Context) -> None:
        if fault == "after":
            raise RuntimeError
        if fault == "interrupt":
            raise KeyboardInterrupt
        if fault == "commit":
            context.connection.execute("ROLLBACK")  # so that there is nothing to commit

    service = Service(app, made, how, act)
    for number in (1, 2, 3):
        on.put(app, on.envelope(data={"order_id": number}))
    while (received := app.transport.pop("orders")) is not None:
        fault = waiting.pop() if waiting else "none"
        received = replace(received, body=re.sub('"attempts":[0-9]+', '"attempts":0', received.body))
        with pytest.MonkeyPatch.context() as patched:
            if fault == "before":
                patched.setattr(made, "begin", lambda message_id: 1 / 0)
            if fault == "ack":
                patched.setattr(app.transport, "ack", lambda received: 1 / 0)
            try:
                if service.consumer.dispatch(received).kind == "unsettled":
                    on.put(app, received.body)
            except KeyboardInterrupt:
                pass  # it was given back
    found = made.begin("").connection.execute("SELECT order_id FROM effects").fetchall()
    assert sorted(found) == [(1,), (2,), (3,)]
    assert on.bodies(app, "orders.dlq") == []
    service.consumer.close()
    made.close()


class Lists:
    """A ledger of another kind: what the Protocol asks for, and nothing else."""

    def __init__(self) -> None:
        self.marks: dict[str, str] = {}
        self.kept: list[int] = []
        self.overtaken = False

    def begin(self, message_id: str) -> Lists.Unit:
        return Lists.Unit(self, message_id)

    class Unit:
        def __init__(self, ledger: Lists, message_id: str) -> None:
            self.ledger, self.message_id = ledger, message_id
            self.connection: list[int] = []
            self.earlier = ledger.marks.get(message_id)

        def commit(self, content: str) -> bool:
            if self.ledger.overtaken:
                return False
            self.ledger.marks[self.message_id] = content
            self.ledger.kept += self.connection
            return True

        def rollback(self) -> None:
            self.connection.clear()


@pytest.mark.parametrize(
    "overtaken, kinds, kept",
    [
        pytest.param(False, ["handled", "duplicate"], [1042], id="a ledger of another kind"),
        pytest.param(True, ["duplicate", "duplicate"], [], id="another worker was faster"),
    ],
)
def test_any_ledger_will_do(overtaken: bool, kinds: list[str], kept: list[int]) -> None:
    app = on.app()
    made = Lists()
    made.overtaken = overtaken
    consumer = Consumer(app, ledger=made)
    consumer.on(on.OrdersCreated)(lambda order, context: context.connection.append(order.order_id))
    text = json.dumps(on.envelope())
    assert [consumer.dispatch(ReceivedMessage(text, "orders")).kind for _ in range(2)] == kinds
    assert made.kept == kept
