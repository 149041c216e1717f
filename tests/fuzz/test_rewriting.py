"""Whatever a registry holds: laying it out and mending it end, keep values and comments, and do nothing a second time."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from fuzzing import case, mutate
from steps import TooManySteps, steps

from babelreg.lint.engine.fixes import fix_tree
from babelreg.lint.engine.run import LintResult, examine
from babelreg.load.files.tree import Memory
from babelreg.load.registry.builder import from_tree
from babelreg.load.registry.document import decode
from babelreg.load.registry.format import tidy
from babelreg.load.registry.overlay import FileChange, Overlay
from babelreg.load.yaml import parser
from babelreg.load.yaml.comment_tree import outline
from babelreg.model import Registry

MOST_STEPS = 4_000_000
"""Of laying out and fixing a small registry twice; usually it takes 700,000."""
ORIGINALS = case.originals()


def judged(registry: Registry) -> LintResult:
    return examine(registry)


def comments(body: bytes) -> Counter[str]:
    return Counter(outline(decode(body).replace("\r\n", "\n")).comments())


def wrong(seed: int) -> list[str]:
    chance = random.Random(seed)
    files = {**ORIGINALS, **mutate.mutated(chance, ORIGINALS)}
    found: list[str] = []
    try:
        steps(lambda: found.extend([*laid_out(files), *mended(files)]), most=MOST_STEPS)
    except TooManySteps as err:
        found.append(f"it takes {err}")
    return [f"case {seed}: {complaint}" for complaint in found]


def laid_out(files: dict[str, bytes]) -> list[str]:
    overlay = Overlay(Memory(files))
    tidy(from_tree(overlay), overlay, lambda path: True)
    found = []
    for path, change in overlay.changes().items():
        if parser.read(decode(change.old)) != parser.read(decode(change.new)):
            found.append(f"{path} says something else")
        if comments(change.old) != comments(change.new):
            found.append(f"{path} has other comments")
    again = Overlay(Memory(with_changes(files, overlay.changes())))
    tidy(from_tree(again), again, lambda path: True)
    return found + [f"{path} is laid out differently again" for path in again.changes()]


def mended(files: dict[str, bytes]) -> list[str]:
    done = fix_tree(Memory(files), "", judged)
    found = [f"{path} loses a comment" for path, c in done.changes.items() if comments(c.old) - comments(c.new)]
    again = fix_tree(Memory(with_changes(files, done.changes)), "", judged)
    return found + [f"{path} is mended again" for path in again.changes]


def with_changes(files: dict[str, bytes], changes: dict[str, FileChange]) -> dict[str, bytes]:
    return {**files, **{path: change.new for path, change in changes.items()}}


def hold(bench: case.Bench, seed: int) -> list[str]:
    """What the commands do wrong to the files of a damaged registry on disk, and to the world around it."""
    chance = random.Random(seed)
    here = ("--registry", str(bench.registry))
    try:
        bench.damage(mutate.mutated(chance, bench.files))
        if chance.random() < 0.1:
            bench.link(chance)
        _, found = bench.run("lint", "--diff", *here)
        for command in (("lint", "--fix"), ("format",)):
            found += bench.run(*command, *here, writes=(bench.registry,))[1]
            before = snapshot(bench.registry)
            found += bench.run(*command, *here, writes=(bench.registry,))[1]
            if snapshot(bench.registry) != before:
                found.append(f"{' '.join(command)} changes something the second time")
        checked, wrongs = bench.run("format", "--check", *here)
        if "[file-unformatted]" in checked.out:
            found.append("format leaves something that its check refuses")
        if left := [path for path in before if path.endswith(".part")]:
            found.append(f"{left} are left behind")
        return [f"case {seed}: {complaint}" for complaint in (*found, *wrongs)]
    finally:
        bench.mend()
        for path, body in bench.files.items():
            if (bench.registry / path).read_bytes() != body:
                (bench.registry / path).write_bytes(body)


def snapshot(registry: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in registry.rglob("*") if p.is_file() and not p.is_symlink()}


def test_the_commands_write_only_what_they_may() -> None:
    with case.bench() as bench:
        assert [complaint for seed in range(12) for complaint in hold(bench, seed)] == []


@pytest.mark.long
def test_the_commands_write_only_what_they_may_in_thousands_of_cases() -> None:
    with case.bench() as bench:
        assert [complaint for seed in range(1000, 6000) for complaint in hold(bench, seed)] == []


def test_any_registry_is_rewritten_safely() -> None:
    assert [complaint for seed in range(10) for complaint in wrong(seed)] == []


@pytest.mark.long
def test_ten_thousand_registries() -> None:
    assert [complaint for seed in range(1000, 11_000) for complaint in wrong(seed)] == []
