"""The worker command, as a service runs it: a process of its own, on a broker in memory or on Redis."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from babelreg import load
from babelreg.gen.targets.python import target
from babelreg.gen.write import write

ROOT = Path(__file__).parents[3]
Run = Callable[..., subprocess.CompletedProcess[str]]
SERVICE = """
import sys
from babelqueue import BabelQueue
from messages import Consumer, Context, OrdersCreatedV2, OrdersCreatedV2Producer
from messages.orders_created_v2 import Money

app = BabelQueue("memory://", queue="orders")
consumer = Consumer(app)
number = 3


@consumer.on(OrdersCreatedV2)
def handle(order: OrdersCreatedV2, context: Context) -> None:
    print("handled", order.order_id, flush=True)


def send():
    OrdersCreatedV2Producer(app).send(OrdersCreatedV2(order_id=1042, total=Money(minor=1, currency="EUR")))
"""


COPIES = """
import gc, json, os, runpy, sys
import babelqueue, redis, messages.orders_created_v2, messages._babelreg.runtime.worker.command
gc.collect()
gc.freeze()  # a copy that ends looks for garbage, and would copy the memory of all that is imported
for line in sys.stdin:
    folder, arguments = json.loads(line)
    if not (copy := os.fork()):
        os.chdir(folder)
        sys.path.insert(0, folder)
        sys.argv[1:] = arguments
        for number, name in enumerate(("/dev/null", "out", "err")):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC), number)
        sys.stdin.close()
        runpy.run_module("messages.worker", run_name="__main__", alter_sys=True)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]), flush=True)
"""
"""A program that has imported the generated package, and runs the command in copies of itself, one for each line."""


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("service")
    write(folder, "python", target.files(load.registry(ROOT / "registry.example"), {"runtime": "vendored"}))
    return folder


@pytest.fixture
def folder(generated: Path, tmp_path: Path) -> Path:
    (tmp_path / "messages").symlink_to(generated / "messages")
    (tmp_path / "service.py").write_text(SERVICE)
    return tmp_path


@pytest.fixture(scope="module")
def copies(generated: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", COPIES]
    with subprocess.Popen(command, cwd=generated, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process


@pytest.fixture
def run(copies: subprocess.Popen[str], folder: Path) -> Run:
    """A function that runs the command to its end, without a new interpreter for each."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        print(json.dumps((str(folder), arguments)), file=copies.stdin, flush=True)
        code = int(copies.stdout.readline())
        texts = [(folder / name).read_text("utf-8") for name in ("out", "err")]
        return subprocess.CompletedProcess(arguments, code, *texts)

    return run


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "messages.worker", *arguments]


@contextmanager
def started(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        command(*arguments), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for(process: subprocess.Popen[str], pattern: str) -> re.Match[str]:
    """Read the output up to a line that matches."""
    assert process.stdout is not None
    read = []
    for line in process.stdout:
        read.append(line)
        if found := re.search(pattern, line):
            return found
    raise AssertionError("".join(read))


@pytest.mark.parametrize(
    "reference, printed",
    [
        pytest.param("servce:consumer", "there is no module 'servce' in .*\n  fix: did you mean service?", id="module"),
        pytest.param("other:consumer", "no module 'other' in .*\n  fix: change to the folder", id="another module"),
        pytest.param("service", "'service' does not name a consumer\n  fix: service:consumer", id="no attribute named"),
        pytest.param("service:consmer", "has no 'consmer'\n  fix: did you mean service:consumer?", id="attribute"),
        pytest.param("service:number", "service:number is of type int, not a Consumer", id="not a consumer"),
        pytest.param("service.py:consumer", "fix: write it as Python imports it: service:consumer", id="a file"),
        pytest.param("a/b.py", "fix: write it as Python imports it: a.b:consumer", id="a path"),
        pytest.param("", "does not name a module", id="nothing"),
        pytest.param("..:x", "does not name a module", id="dots"),
    ],
)
def test_a_wrong_reference_says_what_is_wrong_and_how_to_go_on(
    run: Run, folder: Path, reference: str, printed: str
) -> None:
    done = run(reference)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr
    expected = ".*".join(re.escape(part) for part in printed.split(".*"))
    assert re.search(expected, done.stderr), done.stderr


def test_an_import_that_fails_inside_of_the_module_keeps_its_traceback(run: Run, folder: Path) -> None:
    (folder / "broken.py").write_text("import not_installed\n")
    done = run("broken:consumer")
    assert done.returncode == 1
    assert "No module named 'not_installed'" in done.stderr
    assert "broken.py" in done.stderr


def test_a_module_without_a_consumer_is_told_what_to_create(run: Run, folder: Path) -> None:
    (folder / "empty.py").write_text("")
    assert "create one in the module: jobs = Consumer(app)" in run("empty:jobs").stderr


@pytest.mark.parametrize(
    "option, value",
    [("--concurrency", "0"), ("--concurrency", "x"), ("--health-port", "70000"), ("--health-within", "0")],
)
def test_a_wrong_number_is_refused(run: Run, folder: Path, option: str, value: str) -> None:
    done = run("service:consumer", option, value)
    assert done.returncode == 2
    assert f"argument {option}: '{value}' is not" in done.stderr


def test_a_port_in_use_is_refused_before_anything_is_handled(run: Run, folder: Path) -> None:
    (folder / "sends.py").write_text("from service import consumer, send\nsend()\n")
    with socket.socket() as taken:
        taken.bind(("0.0.0.0", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run("sends:consumer", "--health-port", str(port))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: port {port} is in use\n  fix: choose another --health-port, or 0 for any free one\n"


def test_a_consumer_that_cannot_run_says_so_as_run_does(run: Run, folder: Path) -> None:
    (folder / "bare.py").write_text("from service import Consumer, app\nconsumer = Consumer(app)\n")
    done = run("bare:consumer")
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "error: no handler is registered")


def test_the_help_fits_eighty_columns_and_names_the_package(folder: Path) -> None:
    environment = {**os.environ, "COLUMNS": "200"}
    done = subprocess.run(command("--help"), cwd=folder, env=environment, capture_output=True, text=True, check=True)
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "python -m messages.worker" in done.stdout
    for option in ("--concurrency", "--health-port", "--health-within", "--log-level", "--reload"):
        assert option in done.stdout


def test_an_option_of_the_worker_makes_refusals_reports(run: Run, folder: Path) -> None:
    bad = "\n@consumer.on_refused()\ndef raw(data, context):\n    print('raw', data, flush=True)\n"
    sent = "app.transport.publish('orders', OrdersCreatedV2Producer(app)._encode(order, None).body.replace('1042', '\"x\"'))"
    order = "order = OrdersCreatedV2(order_id=1042, total=Money(minor=1, currency='EUR'))"
    (folder / "reports.py").write_text(f"{SERVICE}{bad}\n{order}\n{sent}\n")
    with started(folder, "reports:consumer", "--enforce", "report") as process:
        wait_for(process, "raw {'order_id': 'x'")
        wait_for(process, "handled, although it would be refused: not_an_integer: /order_id")
    assert "invalid choice: 'warn'" in run("reports:consumer", "--enforce", "warn").stderr


@pytest.mark.parametrize("concurrency", ["1", "4"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_handles_messages_answers_probes_and_ends_well(folder: Path, concurrency: str, number: int) -> None:
    (folder / "sends.py").write_text("from service import consumer, send\nsend()\n")
    with started(folder, "sends:consumer", "--health-port", "0", "--concurrency", concurrency) as process:
        port = wait_for(process, r"health on port (\d+)")[1]
        wait_for(process, "handled 1042")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as answer:
            assert answer.headers["Content-Type"] == "application/json"
            status = json.load(answer)
        assert (status["status"], status["within_seconds"]) == ("alive", 60)
        process.send_signal(number)
        wait_for(process, "stopped")
        assert process.wait() == 0


def test_a_worker_whose_handler_hangs_answers_503(folder: Path) -> None:
    (folder / "hangs.py").write_text(
        "from service import *\nimport threading\n"
        "hanging = Consumer(app)\n"
        "@hanging.on(OrdersCreatedV2)\n"
        "def handle(order, context):\n    print('hanging', flush=True)\n    threading.Event().wait()\nsend()\n"
    )
    with started(folder, "hangs:hanging", "--health-port", "0", "--health-within", "0.000001") as process:
        port = wait_for(process, r"health on port (\d+)")[1]
        wait_for(process, "hanging")
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/live")
        assert (refused.value.code, json.load(refused.value)["status"]) == (503, "stalled")


def test_a_signal_lets_the_worker_finish_the_message_at_hand(folder: Path) -> None:
    (folder / "slow.py").write_text(
        "from service import *\nimport sys\n"
        "slow = Consumer(app)\n"
        "@slow.on(OrdersCreatedV2)\n"
        "def handle(order, context):\n"
        "    print('begun', flush=True)\n    sys.stdin.readline()\n    print('done', flush=True)\nsend()\nsend()\n"
    )
    process = subprocess.Popen(
        command("slow:slow"),
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    wait_for(process, "begun")
    process.send_signal(signal.SIGTERM)
    printed, _ = process.communicate("\n")
    assert process.returncode == 0
    assert [line for line in printed.splitlines() if "INFO" not in line] == ["done"]


def test_with_reload_a_change_starts_the_worker_again_and_a_signal_ends_both(folder: Path) -> None:
    with started(folder, "service:consumer", "--reload") as process:
        wait_for(process, "handling orders")
        (folder / "service.py").write_text("import nothing_like_it\n")
        wait_for(process, "service.py has changed: starting again")
        wait_for(process, "the worker ended with exit code 1: waiting for a change")
        (folder / "service.py").write_text(SERVICE + "\nprint('second', flush=True)\n")
        wait_for(process, "service.py has changed: starting again")
        wait_for(process, "second")
        wait_for(process, "handling orders")
        process.send_signal(signal.SIGTERM)
        wait_for(process, "stopped")
        assert process.wait() == 0


@pytest.mark.parametrize(
    "module, level, expected",
    [
        pytest.param("", "info", ["an error"], id="errors at info"),
        pytest.param("", "debug", ["a step", "an error"], id="all at debug"),
        pytest.param(
            "logging.getLogger('pika').setLevel('INFO')", "info", ["a step", "an error"], id="as the module says"
        ),
    ],
)
def test_steps_of_a_connection_are_not_logged(
    run: Run, folder: Path, module: str, level: str, expected: list[str]
) -> None:
    handled = '    print("handled", order.order_id, flush=True)\n'
    steps = (
        "    logging.getLogger('pika.connection').info('a step')\n"
        "    logging.getLogger('pika.connection').error('an error')\n"
        "    consumer.stop()\n"
    )
    text = SERVICE.replace(handled, handled + steps)
    (folder / "service.py").write_text(f"import logging\n{module}\n{text}\nsend()\n")
    ended = run("service:consumer", "--log-level", level)
    assert [line.rpartition(": ")[2] for line in ended.stderr.splitlines() if " pika.connection: " in line] == expected


@pytest.fixture
def away(folder: Path) -> Path:
    """A service whose broker is not there."""
    text = (folder / "service.py").read_text()
    (folder / "service.py").write_text(text.replace("memory://", "redis://127.0.0.1:1/0"))
    return folder


@pytest.mark.parametrize("concurrency", ["1", "4"])
def test_a_broker_that_is_away_at_the_start_is_one_line(run: Run, away: Path, concurrency: str) -> None:
    ended = run("service:consumer", "--concurrency", concurrency, "--log-level", "error")
    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    assert line.startswith("error: cannot reach the broker: ConnectionError: ")
    assert line.endswith("; start it, or pass --wait-for-broker")


@pytest.mark.parametrize("concurrency", ["1", "4"])
def test_a_broker_that_is_away_is_waited_for_on_demand(away: Path, concurrency: str) -> None:
    with started(away, "service:consumer", "--concurrency", concurrency, "--wait-for-broker") as process:
        assert process.stdout is not None
        while "retrying in" not in (line := process.stdout.readline()):
            assert line
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=300)
    assert process.returncode == 0


LIMITED = """
import asyncio, dataclasses, threading, time
from service import *
from messages._babelreg.runtime.consumer import time_limit
from messages._babelreg.runtime.message import message_type, register

time_limit._CANCEL_SECONDS = 0.05
register(dataclasses.replace(message_type(OrdersCreatedV2), time_limit_seconds=%s))
consumer = Consumer(app)


@consumer.on(OrdersCreatedV2)
%s
send()
"""
BLOCKS_THREAD = "def handle(order, context):\n    print('begun', flush=True)\n    threading.Event().wait()\n"
BLOCKS_LOOP = "async def handle(order, context):\n    print('begun', flush=True)\n    time.sleep(600)\n"
IGNORES_CANCELLATION = """async def handle(order, context):
    print('begun', flush=True)
    while True:
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            pass
"""


@pytest.mark.parametrize(
    "handler, concurrency",
    [
        pytest.param(BLOCKS_THREAD, "1", id="a thread is blocked"),
        pytest.param(BLOCKS_THREAD, "2", id="one of two threads is blocked"),
        pytest.param(BLOCKS_LOOP, "20", id="the event loop is blocked"),
        pytest.param(IGNORES_CANCELLATION, "2", id="one of two tasks ignores its cancellation"),
    ],
)
def test_a_worker_of_stuck_handlers_ends_itself_with_a_code_of_its_own(
    run: Run, folder: Path, handler: str, concurrency: str
) -> None:
    (folder / "limited.py").write_text(LIMITED % (0.05, handler))
    ended = run("limited:consumer", "--concurrency", concurrency)
    assert ended.returncode == 70, ended.stderr
    assert "time_limit" in ended.stderr
    assert "the process ends itself with exit code 70" in ended.stderr


@pytest.mark.parametrize(
    "handler, concurrency, code",
    [
        pytest.param(BLOCKS_THREAD, "1", 0, id="a handler that a signal interrupts"),
        pytest.param(BLOCKS_THREAD, "2", 0, id="a handler in a thread"),
        pytest.param(BLOCKS_LOOP, "2", 70, id="a handler that blocks the event loop"),
    ],
)
def test_a_signal_does_not_wait_longer_than_the_grace(folder: Path, handler: str, concurrency: str, code: int) -> None:
    (folder / "limited.py").write_text(LIMITED % (None, handler))
    with started(folder, "limited:consumer", "--concurrency", concurrency, "--grace-seconds", "0.1") as process:
        wait_for(process, "begun")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=300) == code
