"""One case for lint alone: a damaged registry with traps in it, judged anew, from the cache, and without one."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Mapping

from fuzzing import mutate, traps
from fuzzing.case import Bench, Ran

__all__ = ["hold", "hold_files", "judged"]

Files = Mapping[str, bytes]


def hold(bench: Bench, seed: int) -> list[str]:
    """What goes wrong in the case of that number, twice: any program that walks the disk opens the forbidden folder."""
    wrongs = _held(bench, seed)
    if wrongs:
        shutil.rmtree(bench.cache, ignore_errors=True)
        wrongs = _held(bench, seed)
    return wrongs


def _held(bench: Bench, seed: int) -> list[str]:
    chance = random.Random(seed)
    changed = {} if chance.random() < 0.1 else mutate.mutated(chance, bench.files)
    set_traps = [] if chance.random() < 0.7 else range(chance.choice([1, 1, 2]))
    return hold_files(bench, changed, [chance] * len(set_traps), named=str(seed))


def hold_files(bench: Bench, changed: Files, chances: list[random.Random], *, named: str = "") -> list[str]:
    """What goes wrong when these files are changed, and a trap set for each of ``chances``."""
    try:
        bench.damage(changed)
        names = [traps.set_one(chance, bench.registry, bench.top / "outside") for chance in chances]
        return [f"{named} {names}: {wrong}" for wrong in judged(bench)]
    finally:
        renew(bench)


def judged(bench: Bench) -> list[str]:
    """What goes wrong in three runs of lint: what they say must be the same, and no file may be another after it."""
    before = _state(bench)
    asked = ("lint", "--registry", str(bench.registry), "--format", "json")
    first, wrongs = bench.run(*asked)
    again, more = bench.run(*asked)
    alone, rest = bench.run(*asked, "--no-cache")
    wrongs += more + rest
    for other, what in ((again, "from the cache"), (alone, "without the cache")):
        if _said(first) != _said(other):
            wrongs.append(f"{what} it says something else")
    if _state(bench) != before:
        wrongs.append("lint changed a file")
    return wrongs


def _said(ran: Ran) -> tuple[int, str, str]:
    return ran.code, ran.out, ran.err


def _state(bench: Bench) -> list[tuple[str, int, int]]:
    """Every file of the bench but those of the cache, with size and time of its last change."""
    found = []
    for top, folders, files in os.walk(bench.top):
        if bench.cache.name in folders:
            folders.remove(bench.cache.name)
        for name in files:
            status = os.lstat(f"{top}/{name}")
            found.append((f"{top}/{name}", status.st_size, status.st_mtime_ns))
    return sorted(found)


def renew(bench: Bench) -> None:
    """The registry as it was, whatever stands there now."""
    shutil.rmtree(bench.registry)
    for path, body in bench.files.items():
        full = bench.registry / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(body)
    (bench.registry / "link").symlink_to(bench.top / "outside")
    bench.forget()
