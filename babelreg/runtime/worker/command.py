"""The command ``python -m <package>.worker module:consumer``: it runs a consumer as a process of its own."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from queue import Empty

from babelreg.errors import BabelregError
from babelreg.runtime.consumer.consume import Consumer
from babelreg.runtime.consumer.run_limits import DEFAULT_GRACE_SECONDS
from babelreg.runtime.consumer.signals import stopping_on_signals
from babelreg.runtime.consumer.time_limit import STUCK_EXIT_CODE, HandlersStuckError, end_process
from babelreg.runtime.mailbox import Mailbox
from babelreg.runtime.telemetry.liveness import DEFAULT_WITHIN_SECONDS
from babelreg.runtime.telemetry.log_fields import logger
from babelreg.runtime.validators import MODES
from babelreg.runtime.worker.consumer_reference import load_consumer
from babelreg.runtime.worker.health_endpoint import HealthEndpoint
from babelreg.runtime.worker.reload import run_reloading

__all__ = ["main"]

_WIDTH = 79
_RETURN_SECONDS = 3.0  # after the grace: to return messages to their queues
_EPILOG = """\
SIGTERM and SIGINT let it finish what is being handled, then it ends with exit
code 0; a second signal, or the end of --grace-seconds, interrupts the handlers
and returns their messages to the queue.

Exit code 2 is an error that you can fix. Exit code 70 means that the worker
ended itself, because half of its handlers exceeded their time limit and could
not be interrupted, or one did not end within --grace-seconds: start it again.

  python -m {package}.worker service:consumer --concurrency 20 --health-port 8080
"""


def main(arguments: Sequence[str] | None = None, *, package: str) -> int:
    """Run the command of ``package``; return its exit code: 0 after a signal, 2 for an error that the user can fix.

    Ends the process with 70 where handlers are stuck.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = _parser(package).parse_args(given)
    try:
        if options.reload:
            command = [sys.executable, "-m", f"{package}.worker", *(word for word in given if word != "--reload")]
            return run_reloading(command, Path.cwd())
        with _Deadline(options.grace_seconds) as deadline:
            return _run(options, deadline)
    except HandlersStuckError:
        end_process()
    except BabelregError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


class _Deadline(AbstractContextManager["_Deadline"]):
    """The end of a process that was told to stop and whose handlers cannot be interrupted.

    Its thread is started before a signal can come: to start one within a signal handler may wait for ever.
    """

    def __init__(self, grace_seconds: float) -> None:
        self._seconds = grace_seconds + _RETURN_SECONDS
        self._steps: Mailbox[None] = Mailbox()
        self._ended = False

    def __enter__(self) -> _Deadline:
        threading.Thread(target=self._wait, name="babelreg-deadline", daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended = True
        self._steps.put(None)

    def watch(self, consumer: Consumer) -> None:
        """Let the time run from the first call of ``consumer.stop`` on."""
        stop = consumer.stop

        def stop_in_time() -> None:
            self._steps.put(None)
            stop()

        consumer.stop = stop_in_time  # type: ignore[method-assign]

    def _wait(self) -> None:
        self._steps.get()
        end = time.monotonic() + self._seconds
        while not self._ended and (left := end - time.monotonic()) > 0:
            with suppress(Empty):
                self._steps.get(left)
        if not self._ended:
            words = "handlers do not end and cannot be interrupted: the process ends itself with exit code %d"
            logger.critical(words, STUCK_EXIT_CODE)
            end_process()


def _run(options: argparse.Namespace, deadline: _Deadline) -> int:
    consumer = load_consumer(options.consumer)
    if options.enforce is not None:
        consumer.enforce(options.enforce)
    deadline.watch(consumer)
    # After the module, whose own configuration counts.
    logging.basicConfig(level=options.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    # pika logs each step of a connection, in 20 lines, and answers of the broker that are expected or raised here.
    pika = logging.getLogger("pika")
    if options.log_level != "debug" and not pika.level:
        pika.setLevel(logging.ERROR)
    with ExitStack() as stack:
        port = ""
        if options.health_port is not None:
            endpoint = HealthEndpoint(consumer.liveness, options.health_port, within_seconds=options.health_within)
            stack.enter_context(endpoint)
            port = f", health on port {endpoint.port}"
        consumer.check()
        about = f"handling {', '.join(consumer.queues)}, {options.concurrency} at a time{port}"
        if options.fan_out:
            stack.callback(consumer.start_fan_out())
        try:
            if options.concurrency == 1:
                # Signals are handled before the line that says so, and not only once the consumer runs.
                with stopping_on_signals(consumer.stop, enabled=True, grace_seconds=options.grace_seconds):
                    logger.info(about)
                    consumer.run(
                        start=options.start,
                        wait_for_broker=options.wait_for_broker,
                        grace_seconds=options.grace_seconds,
                    )
            else:
                with suppress(asyncio.CancelledError):
                    asyncio.run(_run_async(consumer, options, about))
        except Exception as error:
            if consumer.reached_broker or options.wait_for_broker or isinstance(error, BabelregError):
                raise
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            print(f"error: cannot reach the broker: {reason}; start it, or pass --wait-for-broker", file=sys.stderr)
            return 2
        logger.info("stopped")
    return 0


async def _run_async(consumer: Consumer, options: argparse.Namespace, about: str) -> None:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None

    def interrupt() -> None:
        loop.call_soon_threadsafe(task.cancel)

    with stopping_on_signals(consumer.stop, enabled=True, again=interrupt, grace_seconds=options.grace_seconds):
        logger.info(about)
        try:
            await consumer.run_async(
                concurrency=options.concurrency,
                handle_signals=False,
                start=options.start,
                wait_for_broker=options.wait_for_broker,
                grace_seconds=options.grace_seconds,
            )
        except HandlersStuckError:
            end_process()  # asyncio.run would wait for the tasks that are stuck


def _parser(package: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m {package}.worker",
        description="Handle messages with the consumer of a module until told to stop.",
        epilog=_EPILOG.format(package=package),
        formatter_class=_HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("consumer", metavar="module:consumer", help="the Consumer to run, by module and name")
    parser.add_argument(
        "--concurrency", type=_positive, default=1, metavar="N", help="messages to handle at the same time (default: 1)"
    )
    parser.add_argument(
        "--health-port",
        type=_port,
        metavar="PORT",
        help="answer HTTP requests with 200, or with 503 when stalled; 0: any free port",
    )
    parser.add_argument(
        "--health-within",
        type=_seconds,
        default=DEFAULT_WITHIN_SECONDS,
        metavar="SECONDS",
        help="how long a consumer may neither poll nor finish a message before it counts as stalled (default: 60)",
    )
    parser.add_argument(
        "--enforce",
        choices=MODES,
        help="report: give data that violates its contract to on_refused, and dead-letter none (default: as the "
        "consumer says)",
    )
    parser.add_argument(
        "--wait-for-broker",
        action="store_true",
        help="wait for a broker that is away at the start",
    )
    parser.add_argument(
        "--grace-seconds",
        type=_seconds,
        default=DEFAULT_GRACE_SECONDS,
        metavar="SECONDS",
        help="how long handlers may work on after the first signal (default: 25)",
    )
    parser.add_argument(
        "--log-level",
        default="info",
        choices=("debug", "info", "warning", "error"),
        help="what to log, unless the module configures logging (default: info)",
    )
    parser.add_argument(
        "--start",
        choices=("earliest", "latest"),
        help="where a Kafka group without a position begins (default: the position of the former group)",
    )
    parser.add_argument(
        "--fan-out",
        action="store_true",
        help="also copy what SDKs of other languages publish for this service to all inboxes",
    )
    parser.add_argument("--reload", action="store_true", help="start again when a Python file changes: for development")
    return parser


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Help for 80 columns, wherever it is printed."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26, width=_WIDTH)


def _positive(text: str) -> int:
    return _number(text, 1, 10_000)


def _port(text: str) -> int:
    return _number(text, 0, 65_535)


def _number(text: str, least: int, most: int) -> int:
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} to {most}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return seconds
