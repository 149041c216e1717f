"""Services, a relay and a fan-out as processes on one broker and one database, any of which is killed.

What was sent is known from the table ``sent``, which is written in the transaction of the outbox, and for messages of
another SDK from the broker's confirmation. What happened is in ``effects``, and in the dead-letter queues.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import broker_queues
import fault_process
import kafka_server
from babelqueue import BabelQueue, EnvelopeCodec
from fault_process import CREATED, GENERATE
from server import Server
from system_run import System, package_of

from babelreg import load
from babelreg.load.service.starter import example_folder
from babelreg.runtime import SqlOutbox

__all__ = ["CANCELLED", "GENERATED", "SERVICES", "FaultRun"]

CANCELLED, GENERATED = "urn:babel:orders:cancelled", "urn:babel:media:thumbnail.generated"
SERVICES = ("billing-worker", "warehouse", "media-worker", "storefront")
SECONDS = 300.0
# What was killed after its effect comes again within this time, and must change nothing.
PAUSE_SECONDS = 3.0


class FaultRun:
    """The processes ``names`` of one run: of services, and ``relay`` and ``fan-out``. ``killed`` counts by name."""

    def __init__(
        self, broker: Server, database: Server | str, folder: Path, services: Sequence[str] = SERVICES
    ) -> None:
        scheme = broker.url.partition(":")[0]
        self.kind = {"amqp": "rabbitmq"}.get(scheme, scheme)
        self.broker, self.folder = broker, folder
        self.servers = {"broker": broker}
        if isinstance(database, Server):
            self.servers["database"] = database
        self.database = database.url if isinstance(database, Server) else database
        self.services = list(services)
        self.database_of = dict.fromkeys(services, self.database)
        self.broker_of = dict.fromkeys(services, broker.url)
        self.system = System(load.registry(example_folder()), folder, broker.url)
        self.names = [*services, "relay", *(["fan-out"] if self.kind != "kafka" else [])]
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.killed: Counter[str] = Counter()
        self.foreign: set[tuple[str, str]] = set()
        self.number = 0
        with fault_process.opened(self.database) as connection:
            cursor = connection.cursor()
            for statement in fault_process.TABLES:
                cursor.execute(statement)
            SqlOutbox(connection).create()
            connection.commit()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run the services, then the others, until the end of the block. Each must end as it is told to."""
        try:
            for name in self.services:
                self.start(name)
            self.until(self.ready)
            for name in self.names[len(self.services) :]:
                self.start(name)
            yield
            self.until(self.ready)  # one that was killed last may not have begun: SIGTERM would just end it
            for name in list(self.processes):
                self.stop(name)
        finally:
            for process in self.processes.values():
                process.kill()
                process.wait()

    def start(self, name: str) -> None:
        (self.folder / f"{package_of(name)}.ready").unlink(missing_ok=True)
        database = self.database_of.get(name, self.database)
        broker = self.broker_of.get(name, self.broker.url)
        command = [sys.executable, fault_process.__file__, "service", package_of(name), broker, database]
        if name == "relay":
            command[2:4] = ["relay", package_of("orders-api")]
        elif name == "fan-out":
            command = [sys.executable, "-m", "babelreg", "fanout", self.broker.url, "--registry", str(example_folder())]
        with self.log(name).open("ab") as log:
            environment = {**os.environ, "PYTHONPATH": str(self.folder)}
            self.processes[name] = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log, env=environment)

    def stop(self, name: str) -> None:
        process = self.processes.pop(name)
        process.terminate()
        status = process.wait(120)
        assert status == (-signal.SIGTERM if name == "relay" else 0), f"{name}: status {status}\n{self.said_last(name)}"

    def kill(self, name: str) -> None:
        """Kill a process or a server, and start it again."""
        self.killed[name] += 1
        if name in self.servers:
            self.servers[name].crash()
            time.sleep(0.3)
            self.servers[name].start()
            return
        process = self.processes[name]
        process.kill()
        assert process.wait() == -signal.SIGKILL, self.said_last(name)
        self.start(name)

    def revive(self) -> None:
        """Start again a fan-out that found no broker. Nothing else may end by itself."""
        for name, process in list(self.processes.items()):
            if process.poll() is not None:
                assert name == "fan-out", f"{name} ended with status {process.returncode}\n{self.said_last(name)}"
                self.start(name)

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.err"

    def said(self, name: str) -> str:
        return self.log(name).read_text("utf-8", "replace")

    def said_last(self, name: str) -> str:
        return self.said(name)[-3000:]

    def ready(self) -> bool:
        """True once all services have declared their subscriptions."""
        return all((self.folder / f"{package_of(name)}.ready").exists() for name in self.services)

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Return the rows of a SELECT."""
        with fault_process.opened(self.database) as connection:
            cursor = connection.cursor()
            cursor.execute(statement)
            return [tuple(row) for row in cursor.fetchall()]

    def write(self, count: int) -> None:
        """Write orders, cancellations and commands to the outbox, each in a transaction that is tried again."""
        for _ in range(count):
            self.number += 1
            self.retried(lambda: self.write_one(self.number))

    def write_one(self, number: int) -> None:
        service, urn = "orders-api", CANCELLED if number % 4 == 1 else CREATED
        if number % 4 == 0 and "media-worker" in self.services:
            service, urn = "storefront", GENERATE
        producer = self.system.producer(service, urn)(BabelQueue("memory://"))
        data = dict(self.system.registry.by_urn[urn].examples[0].data)
        if urn != GENERATE:
            data["order_id"] = number
        mark = "%s" if "://" in self.database else "?"
        with fault_process.opened(self.database) as connection:
            message_id = producer.write(SqlOutbox(connection), producer.message.parse(data))
            values = (urn, message_id, int(urn == CREATED and fault_process.planned(number)))
            connection.cursor().execute(f"INSERT INTO sent VALUES ({mark}, {mark}, {mark})", values)
            connection.commit()

    def publish(self, count: int) -> None:
        """Publish cancellations as another SDK does: to the one queue that the registry names."""
        data = self.system.registry.by_urn[CANCELLED].examples[0].data
        envelopes = [EnvelopeCodec.make(CANCELLED, data, queue="orders") for _ in range(count)]

        def publish() -> None:
            queues: Any = broker_queues.KINDS[self.kind](self.broker)
            if self.kind == "rabbitmq":
                queues.channel.queue_declare("orders", durable=True)
            queues.publish("orders", [json.dumps(envelope).encode() for envelope in envelopes])

        self.retried(publish)
        self.foreign |= {(CANCELLED, str(envelope["meta"]["id"])) for envelope in envelopes}

    def retried(self, work: Callable[[], object]) -> None:
        """Do ``work`` again until it succeeds."""

        def succeeds() -> bool:
            with suppress(Exception):
                work()
                return True
            return False

        self.until(succeeds)

    def until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + SECONDS
        while not condition():
            self.revive()
            if time.monotonic() > end:
                raise TimeoutError("\n".join(f"--- {name}\n{self.said_last(name)}" for name in self.processes))
            time.sleep(0.1)

    def expected(self) -> set[tuple[str, str, str]]:
        """The effects that messages have: service, URN, id. Those that follow from a command are known by number."""
        rows = self.rows("SELECT urn, message_id, planned FROM sent")
        sent = {(urn, message_id): bool(planned) for urn, message_id, planned in rows}
        sent |= dict.fromkeys(self.foreign, False)
        return {
            (each.service, *message)
            for message, rejected in sent.items()
            for each in self.system.known.subscriptions
            if each.urn == message[0] and each.service in self.names
            if not (rejected and each.service == "billing-worker")
        }

    def effects(self) -> Counter[tuple[str, str, str]]:
        return Counter(
            (service, urn, message_id)
            for service, urn, message_id in self.rows("SELECT service, urn, message_id FROM effects")
        )

    def relayed(self) -> set[str]:
        """The ids of messages that were written to the outbox and have left it."""
        written = {str(row[0]) for row in self.rows("SELECT message_id FROM sent")}
        waiting = (json.loads(body)["meta"]["id"] for (body,) in self.rows("SELECT body FROM babelreg_outbox"))
        return written - set(waiting)

    def handled(self) -> int:
        return int(self.rows("SELECT count(*) FROM effects")[0][0])

    def rejected(self) -> set[str]:
        return {str(row[0]) for row in self.rows("SELECT message_id FROM sent WHERE planned = 1")}

    def is_done(self) -> bool:
        effects, expected = self.effects(), self.expected()
        commands = sum(1 for service, *_ in expected if service == "media-worker")
        followed = sum(1 for _, urn, _ in effects if urn == GENERATED)
        return (
            expected <= set(effects)
            and ("storefront" not in self.names or followed >= commands)
            and self.rejected() <= {message_id for *_, message_id in self.dead_letters()}
        )

    def dead_letters(self) -> list[tuple[str, str, str]]:
        """Queue, reason and id of each dead letter."""
        found = []
        for queue in (*self.names, "orders", "media"):
            for body in self.bodies(f"{queue}.dlq"):
                document = json.loads(body)
                found.append((queue, document["dead_letter"]["reason"], document["meta"]["id"]))
        return found

    def bodies(self, queue: str) -> Sequence[bytes]:
        """The messages in a queue of the broker, none if it does not exist."""
        if self.kind == "kafka":
            if queue not in kafka_server.topics(self.broker):
                return []
            return [message.value() for message in broker_queues.KafkaTopics(self.broker).messages(queue)]
        queues: Any = broker_queues.KINDS[self.kind](self.broker)
        try:
            return list(queues.bodies(queue))
        except Exception as error:
            if "404" in str(error):
                return []
            raise
        finally:
            with suppress(Exception):
                (queues.connection if self.kind == "rabbitmq" else queues.client).close()

    def finish(self) -> str:
        """Wait until everything has happened, hold it to what was promised; return the figures."""
        self.until(self.is_done)
        time.sleep(PAUSE_SECONDS)
        effects, expected, dead = self.effects(), self.expected(), self.dead_letters()
        own = {effect for effect in effects if effect[1] != GENERATED}
        commands = sum(1 for _, urn, _ in expected if urn == GENERATE)
        letters = Counter(message_id for queue, _, message_id in dead if queue == "billing-worker")
        figures = (
            f"{self.kind} x {self.database.partition(':')[0]}: {sum(self.killed.values())} kills {dict(self.killed)}; "
            f"{len(expected)} + {commands} effects expected, {len(effects)} found, "
            f"{effects.total() - len(effects)} doubled, {len(expected - own)} lost; "
            f"{len(letters)} dead letters ({letters.total() - len(letters)} repeated) of {len(self.rejected())} planned, "
            f"{sum(reason == 'unknown_urn' for _, reason, _ in dead)} unknown_urn; "
            f"{len(own - expected)} of sends that were not confirmed"
        )
        assert set(effects.values()) <= {1}, figures
        assert expected <= own, figures
        assert {effect[1] for effect in own - expected} <= {CANCELLED}, figures
        assert len(effects) - len(own) == (commands if "storefront" in self.names else 0), figures
        assert {(queue, reason) for queue, reason, _ in dead} <= {("billing-worker", "failed")}, dead
        assert set(letters) == self.rejected(), figures
        # RabbitMQ has nothing that publishes and acknowledges at once; Redis a script, Kafka transactions.
        assert self.kind == "rabbitmq" or letters.total() == len(letters), figures
        assert self.rows("SELECT count(*) FROM babelreg_outbox") == [(0,)], figures
        return figures
