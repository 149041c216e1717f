"""All services of a registry as processes on one broker, each with the package that is generated for it."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import generated
import system_service
from babelqueue import BabelQueue

from babelreg.model import Registry, topology
from babelreg.model.service_subset import names, share_of

__all__ = ["System"]


class System:
    """The services of ``registry``, generated into ``folder``. Each logs what its handlers get."""

    def __init__(self, registry: Registry, folder: Path, url: str) -> None:
        self.registry, self.folder, self.url = registry, folder, url
        self.known = topology(registry)
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        for service in sorted(names(registry)):
            self.generate(service)

    def generate(self, service: str) -> None:
        share = share_of(self.registry, service)
        options = {"service": service, **share.urns, "topology": self.known, "package": package_of(service)}
        generated.write_package(self.folder, share.part, options, form="package")

    @property
    def consumers(self) -> Sequence[str]:
        return self.known.services

    @contextmanager
    def running(self, *services: str, start: str | None = None) -> Iterator[None]:
        """Run the services, or all that consume, until the end of the block."""
        try:
            for service in services or self.consumers:
                self.start(service, start)
            self.ready()
            yield
        finally:
            for service in list(self.processes):
                self.stop(service)

    def start(self, service: str, start: str | None = None) -> None:
        command = [sys.executable, system_service.__file__, package_of(service), self.url, str(self.log(service))]
        self.log(service).with_suffix(".ready").unlink(missing_ok=True)
        with (self.folder / f"{service}.err").open("ab") as errors:
            self.processes[service] = subprocess.Popen(
                [*command, *([start] if start else [])], cwd=self.folder, stderr=errors, env=environment(self.folder)
            )

    def ready(self) -> None:
        """Wait until all that were started have declared their subscriptions."""
        while not all(self.log(name).with_suffix(".ready").exists() for name in self.processes):
            for name, process in self.processes.items():
                assert process.poll() is None, self.errors(name)
            time.sleep(0.05)

    def stop(self, service: str) -> None:
        process = self.processes.pop(service)
        process.terminate()
        assert process.wait(60) == 0, self.errors(service)

    def errors(self, service: str) -> str:
        return (self.folder / f"{service}.err").read_text("utf-8", "replace")[-3000:]

    def log(self, service: str) -> Path:
        return self.folder / f"{service}.log"

    def handled(self, service: str) -> Counter[str]:
        """How often each handler of the service was called, by the URN of its message."""
        return Counter(urn for urn, _ in self.lines(service))

    def ids(self, service: str) -> Counter[str]:
        return Counter(message_id for _, message_id in self.lines(service))

    def lines(self, service: str) -> list[list[str]]:
        return (
            [line.split() for line in self.log(service).read_text().splitlines()] if self.log(service).exists() else []
        )

    def expected(self, sent: Counter[str]) -> dict[str, Counter[str]]:
        """What each service is to handle of the messages that were sent, by URN."""
        return {
            name: Counter({each.urn: sent[each.urn] for each in self.known.of_service(name) if sent[each.urn]})
            for name in self.consumers
        }

    def producer(self, service: str, urn: str) -> Any:
        """The producer of a message in the package of ``service``, with an example of its data."""
        if str(self.folder) not in sys.path:
            sys.path.insert(0, str(self.folder))
        module = importlib.import_module(package_of(service))
        (message,) = [
            value
            for name in module.__all__
            if name.endswith("Producer")
            and hasattr(value := getattr(module, name), "message")
            and getattr(value.message, "urn", None) == urn
        ]
        return message

    def send(self, count: int, app: BabelQueue | None = None, urns: Sequence[str] = ()) -> Counter[str]:
        """Send each message that a service produces ``count`` times; return the numbers by URN."""
        opened = app or BabelQueue(self.url)
        sent: Counter[str] = Counter()
        for message in self.registry.messages:
            if message.status == "retired" or not message.examples or (urns and message.urn not in urns):
                continue
            for service in message.producers:
                producer = self.producer(service, message.urn)
                data = producer.message.parse(message.examples[0].data)
                sent[message.urn] += len([producer(opened).send(data) for _ in range(count)])
        opened.transport.close()
        return sent

    def wait(self, sent: Counter[str], seconds: float = 120) -> dict[str, Counter[str]]:
        """Return what each service handled, once that is what was sent. Raises TimeoutError after ``seconds``."""
        expected, deadline = self.expected(sent), time.monotonic() + seconds
        while not all(self.handled(name) >= wanted for name, wanted in expected.items()):
            for name, process in self.processes.items():
                assert process.poll() is None, self.errors(name)
            if time.monotonic() > deadline:
                raise TimeoutError(f"{ {name: self.handled(name) for name in self.consumers} } of {expected}")
            time.sleep(0.1)
        time.sleep(0.5)  # for what is too much
        return {name: self.handled(name) for name in self.consumers}


def package_of(service: str) -> str:
    return f"{service.replace('-', '_')}_messages"


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(folder)}
