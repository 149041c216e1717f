"""What a piece of work takes, of this process and all below it (the JVM, its Python workers): time and memory.

``/proc`` tells: Linux only. The CPU time of processes that ended is with those that waited for them; nobody waits for
Spark's Python workers, so what one had used is remembered. Memory is looked at four times a second, the time for that left out; shared pages count in every
process that has them.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_PAUSE_SECONDS = 0.25


@dataclass(slots=True)
class Cost:
    """``wall`` and ``cpu`` in seconds; ``peaks`` in bytes, by what kind of process: driver, JVM, workers together."""

    wall: float = 0.0
    cpu: float = 0.0
    peaks: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        memory = ", ".join(f"{kind} {peak / 2**20:,.0f}" for kind, peak in self.peaks.items())
        return f"{self.wall:7.1f} s  cpu {self.cpu:7.1f} s  MB: {memory}"


def measured(job: Callable[[], object]) -> Cost:
    """What ``job`` took."""
    cost = Cost()
    forgotten = _forgotten()
    before, start = _cpu(), time.perf_counter()
    with _watched(cost):
        job()
    cost.wall = time.perf_counter() - start
    alive = _family()
    cost.cpu += _cpu() - before + sum(used for pid, used in forgotten.items() if pid not in alive)
    return cost


@contextmanager
def _watched(cost: Cost) -> Iterator[None]:
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_PAUSE_SECONDS):
            for kind, size in _memory().items():
                cost.peaks[kind] = max(size, cost.peaks.get(kind, 0))
        cost.cpu -= time.thread_time()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _family() -> dict[int, list[str]]:
    """The fields of ``/proc/PID/stat`` after the name, of this process and all below it."""
    every: dict[int, list[str]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            every[int(path.parent.name)] = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
    family = {os.getpid()}
    while more := {pid for pid, fields in every.items() if int(fields[1]) in family} - family:
        family |= more
    return {pid: every[pid] for pid in family if pid in every}


def _cpu() -> float:
    return sum(map(_used, _family().values()))


def _used(fields: list[str]) -> float:
    return sum(map(int, fields[11:15])) / _TICKS


def _forgotten() -> dict[int, float]:
    """The seconds that processes have used whose parent ignores their end: nothing is left of them after it."""
    family = _family()
    return {pid: _used(fields) for pid, fields in family.items() if _ignores_children(fields[1])}


def _ignores_children(pid: str) -> bool:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    ignored = int(status.partition("SigIgn:")[2].split()[0], 16)
    return bool(ignored >> (signal.SIGCHLD - 1) & 1)


def _memory() -> dict[str, int]:
    found = {"driver": 0, "JVM": 0, "workers": 0}
    for pid, fields in _family().items():
        try:
            name = Path(f"/proc/{pid}/comm").read_text().strip()
        except OSError:
            continue
        # What the JVM starts is itself for a moment, by another name.
        kind = "driver" if pid == os.getpid() else {"java": "JVM"}.get(name, "workers" if "python" in name else "")
        if kind:
            found[kind] += int(fields[21]) * _PAGE_BYTES
    return found
