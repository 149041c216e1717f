"""Three writers and a publisher at one lake at the same time: every message is in one place, in the Delta tables, too."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

import pytest

pytest.importorskip("deltalake")

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
import once
import projected

from babelreg.lake.publish import delta_log
from babelreg.lake.publish.table_changes import folder_of
from babelreg.lake.storage.log import manifest

WRITERS = 3
BUSY = "another run is writing to"
PROGRAM = """
import importlib, os, sys
from babelreg.cli import main
from babelreg.cli.lake.commands import compact, ingest, publish, redrive
from babelreg.lake.publish import delta, run
from babelreg.spark import ingest
import deltalake

importlib.import_module("babelreg.lake.ingest.compaction").FANOUT = 3
importlib.import_module("babelreg.lake.storage.log.replay").EVERY = 4
def serve(requests, answers):
    for line in os.fdopen(int(requests)):
        child = os.fork()  # nothing has run in a thread yet
        if child == 0:
            sys.argv[1:] = line.rstrip("\\n").split("\\t")
            os.dup2(os.open("told-" + sys.argv.pop(1), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
            os.dup2(1, 2)
            main()
        os.write(int(answers), b"%d\\n" % child)
        os.write(int(answers), b"%d\\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

for pipes in sys.argv[1:]:
    if os.fork() == 0:
        serve(*pipes.split(","))
        os._exit(0)
for _ in sys.argv[1:]:
    os.wait()
"""
"""Serves several testers at once, each by a copy of itself: while a new program starts, nobody would write."""


@dataclass
class Program:
    """A process that runs commands on the lake in ``home``, one after the other."""

    home: Path
    name: str
    requests: TextIO
    answers: TextIO
    ended: Counter[str] = field(default_factory=Counter)

    def run(self, *words: str, kill_after: float | None = None) -> int:
        """Run a command; return its exit code, and count how it ended."""
        self.requests.write("\t".join((self.name, "lake", *words, "--lake", "out")) + "\n")
        self.requests.flush()
        child = int(self.answers.readline())
        if kill_after is not None:
            time.sleep(kill_after)
            with suppress(ProcessLookupError):  # it is done
                os.kill(child, signal.SIGKILL)
        code = int(self.answers.readline())
        busy = code == 2 and BUSY in self.told
        assert busy or code in (0, -signal.SIGKILL), self.told
        self.ended["refused" if busy else "killed" if code else "done"] += 1
        return code

    def until_done(self, *words: str) -> None:
        """Run a command again for as long as another run writes."""
        while self.run(*words):
            time.sleep(0.01)

    @property
    def told(self) -> str:
        return (self.home / f"told-{self.name}").read_text()


@contextmanager
def programs(home: Path, count: int) -> Iterator[list[Program]]:
    """Start ``count`` programs; end them afterwards."""
    requests, answers = [os.pipe() for _ in range(count)], [os.pipe() for _ in range(count)]
    theirs = [(asked[0], told[1]) for asked, told in zip(requests, answers, strict=True)]
    command = [sys.executable, "-c", PROGRAM, *(f"{asked},{told}" for asked, told in theirs)]
    descriptors = [descriptor for pair in theirs for descriptor in pair]
    with subprocess.Popen(command, cwd=home, pass_fds=descriptors), ExitStack() as stack:
        for descriptor in descriptors:
            os.close(descriptor)
        yield [
            Program(
                home,
                str(number),
                stack.enter_context(os.fdopen(asked[1], "w")),
                stack.enter_context(os.fdopen(told[0])),
            )
            for number, (asked, told) in enumerate(zip(requests, answers, strict=True))
        ]


def _registry(folder: Path, minimum: int) -> None:
    for urn, schema in once.schemas(minimum).items():
        context, message = urn.split(":")[2:]
        (folder / context).mkdir(parents=True, exist_ok=True)
        (folder / context / "_context.yaml").write_text("owner: team\n")
        (folder / context / f"{message}.yaml").write_text(json.dumps({"urn": urn, "kind": "event", "data": schema}))
    (folder / "babelreg.yaml").write_text("version: 1\n")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    _registry(tmp_path / "strict", 1)
    _registry(tmp_path / "mild", -5)
    for name in ("sent", *(f"in-{writer}" for writer in range(WRITERS))):
        (tmp_path / name).mkdir()
    return tmp_path


def _ingest(writer: int) -> tuple[str, ...]:
    return ("ingest", "--input", f"in-{writer}", "--registry", "strict", "--engine", "local")


def _write(program: Program, writer: int, rounds: int, kills: bool) -> None:
    """Ingest a file of one's own in each round, then redrive or compact."""
    chance = random.Random(writer)
    for number in range(writer, rounds * WRITERS, WRITERS):
        name = f"{number:05d}"
        (program.home / "sent" / name).write_bytes(once.lines(chance, number))
        os.link(program.home / "sent" / name, program.home / f"in-{writer}" / name)
        if kills:
            program.run(*_ingest(writer), kill_after=chance.random() * 0.4)
        program.until_done(*_ingest(writer))
        if number % 4 == 1:
            program.until_done("redrive", "--registry", "mild", "--engine", "local")
        if number % 4 == 3:
            program.until_done("compact", "--at-least", "2", "--engine", "local")


def _publish(program: Program, written: threading.Event) -> int:
    """Publish and read for as long as others write; return how often that was."""
    out, reads = program.home / "out", 0
    while not (written.is_set() or manifest.exists(out)):
        time.sleep(0.01)
    while not written.is_set():
        assert program.run("publish", "--to", "delta") == 0, program.told
        for table in projected.tables(out):
            if not delta_log.exists(out / folder_of(table)):
                continue  # another run committed its first rows since, and publishes them now
            rows = projected.delta(out, table).to_pylist()
            places = [(row["source_file"], row["source_offset"]) for row in rows]
            assert len(places) == len(set(places)), f"a message is twice in {table}"
            reads += 1
    return reads


@pytest.mark.parametrize(
    "rounds, kills",
    [
        pytest.param(2, False, id="a few batches"),
        pytest.param(20, True, id="many, whose runs are killed", marks=pytest.mark.long),
    ],
)
def test_writers_at_once_wait_for_each_other_and_every_message_is_in_one_place(
    rounds: int, kills: bool, home: Path
) -> None:
    written = threading.Event()
    with programs(home, WRITERS + 1) as (*writers, publisher), ThreadPoolExecutor(WRITERS + 1) as threads:
        publishing = threads.submit(_publish, publisher, written)
        writing = [threads.submit(_write, program, n, rounds, kills) for n, program in enumerate(writers)]
        try:
            for each in writing:
                each.result()
        finally:
            written.set()
        reads = publishing.result()
        assert publisher.run("publish", "--to", "delta") == 0, publisher.told
        for number, program in enumerate(writers):
            assert program.run(*_ingest(number)) == 0, program.told
            assert "nothing new" in program.told
    found = once.check(home)
    assert once.consumed(home) == {path.name for path in (home / "sent").iterdir()}
    assert len(once.consumed(home)) == WRITERS * rounds
    assert projected.check(home / "out", ["delta"])
    ended = {program.name: dict(program.ended) for program in (*writers, publisher)}
    print(f"{dict(found)}; {ended}; {reads} reads meanwhile")
