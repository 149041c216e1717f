"""Recorders write what is sent and received, and never stop a message."""

from __future__ import annotations

import json
import logging
import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
import recorded_files
import runtime_messages as on
from babelqueue.outbox import InMemoryOutboxStore

from babelreg.runtime import Consumer, Context, OutboxRelay, Recorder
from babelreg.runtime.bytes import recorder as recorders
from babelreg.runtime.bytes.recorder import recorder_of


def recorded(folder: Path) -> list[bytes]:
    return recorded_files.bodies(recorded_files.visible(folder))


def test_what_is_sent_is_recorded_byte_for_byte(tmp_path: Path) -> None:
    app, recorder = on.app(), Recorder(tmp_path)
    producer = on.OrdersCreatedProducer(app, record=recorder)
    producer.send(on.OrdersCreated(order_id=1, note="é☃"))
    producer.send_many([on.OrdersCreated(order_id=2), on.OrdersCreated(order_id=3)])
    recorder.close()
    assert [body.decode() for body in recorded(tmp_path)] == on.bodies(app, "orders")


def test_what_a_relay_sends_is_recorded(tmp_path: Path) -> None:
    app, recorder, outbox = on.app(), Recorder(tmp_path), InMemoryOutboxStore()
    on.OrdersCreatedProducer(app, record=recorder).write(outbox, on.OrdersCreated(order_id=1))
    recorder.close()
    assert recorded(tmp_path) == []
    OutboxRelay(app.transport, outbox, record=recorder).drain()
    recorder.close()
    assert [body.decode() for body in recorded(tmp_path)] == on.bodies(app, "orders")


def test_every_delivery_is_recorded_as_it_came(tmp_path: Path) -> None:
    app, recorder = on.app(), Recorder(tmp_path)
    bodies = [json.dumps(on.envelope()), "not json", "\udcff\udcfe"]
    for body in bodies:
        on.put(app, body)
    consumer = Consumer(app, record=recorder)

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None: ...

    consumer.run(max_messages=10, timeout_seconds=0.01)
    recorder.close()
    assert recorded(tmp_path) == [body.encode("utf-8", "surrogateescape") for body in bodies]


def test_a_message_is_recorded_before_it_is_handled(tmp_path: Path) -> None:
    app = on.app()
    on.put(app, json.dumps(on.envelope()))
    consumer = Consumer(app, record=Recorder(tmp_path))
    sizes: list[int] = []

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        sizes.extend(path.stat().st_size for path in tmp_path.iterdir())

    consumer.run(max_messages=1, timeout_seconds=0.01)
    assert [size > 100 for size in sizes] == [True]


def test_a_message_that_the_broker_did_not_take_is_not_in_the_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, recorder = on.app(), Recorder(tmp_path)
    producer = on.OrdersCreatedProducer(app, record=recorder)
    producer.send(on.OrdersCreated(order_id=1))

    def fail(queue: str, body: str) -> None:
        raise ConnectionError("away")

    with monkeypatch.context() as patched:
        patched.setattr(app.transport, "publish", fail)
        with pytest.raises(ConnectionError):
            producer.send(on.OrdersCreated(order_id=2))
    producer.send(on.OrdersCreated(order_id=3))
    recorder.close()
    assert [json.loads(body)["data"]["order_id"] for body in recorded(tmp_path)] == [1, 3]


def missing_folder(folder: Path) -> Path:
    (folder / "file").write_text("")
    return folder / "file"


def forbidden_folder(folder: Path) -> Path:
    return Path("/proc/nowhere")


@pytest.mark.parametrize("place", [missing_folder, forbidden_folder])
def test_a_folder_that_cannot_be_written_stops_no_message_and_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, place: Callable[[Path], Path]
) -> None:
    app = on.app()
    producer = on.OrdersCreatedProducer(app, record=Recorder(place(tmp_path)))
    for number in range(1, 6):
        producer.send(on.OrdersCreated(order_id=number))
    assert len(on.bodies(app, "orders")) == 5
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "cannot record to" in caplog.text


def test_a_full_disk_stops_no_message(tmp_path: Path) -> None:
    """In a process of its own, whose files may have 2,000 bytes: a larger write fails in the middle of a frame."""
    child = os.fork()
    if not child:
        code = 1
        try:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
            app, recorder = on.app(), Recorder(tmp_path)
            producer = on.OrdersCreatedProducer(app, record=recorder)
            for number in range(1, 51):
                producer.send(on.OrdersCreated(order_id=number))
            recorder.close()
            code = 0 if len(on.bodies(app, "orders")) == 50 else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    sizes = [path.stat().st_size for path in recorded_files.visible(tmp_path)]
    assert len(recorded(tmp_path)) >= 5
    assert all(size <= 2000 for size in sizes)


def test_recording_goes_on_when_the_folder_can_be_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(recorders, "_PAUSE_SECONDS", 0.0)
    blocked = missing_folder(tmp_path)
    recorder = Recorder(blocked)
    recorder.record("one")
    recorder.record("two")
    blocked.unlink()
    recorder.record("three")
    recorder.close()
    assert recorded(blocked) == [b"three"]
    assert "2 messages were not recorded" in caplog.records[-1].message


def test_a_file_is_completed_after_its_time(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, max_seconds=0.01)
    recorder.record("one")
    assert recorder._timer is not None
    recorder._timer.join()
    assert recorded(tmp_path) == [b"one"]


def test_producers_of_one_folder_share_a_file(tmp_path: Path) -> None:
    first = recorder_of(tmp_path / "sent")
    assert recorder_of(f"{tmp_path}/./sent/") is first
    assert recorder_of(first) is first
    assert recorder_of(None) is None
    assert recorder_of(tmp_path / "received") is not first


def test_a_forked_process_writes_files_of_its_own(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    recorder.record("parent")
    child = os.fork()
    if not child:
        try:
            recorder.record("child")
            recorder.close()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert recorded(tmp_path) == [b"child"]
    recorder.record("parent again")
    recorder.close()
    assert sorted(recorded(tmp_path)) == [b"child", b"parent", b"parent again"]


def test_what_a_killed_process_recorded_is_completed_by_the_next(tmp_path: Path) -> None:
    child = os.fork()
    if not child:
        Recorder(tmp_path).record("one")
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert recorded(tmp_path) == []
    recorder = Recorder(tmp_path)
    recorder.record("two")
    assert recorded(tmp_path) == [b"one"]
    recorder.close()
