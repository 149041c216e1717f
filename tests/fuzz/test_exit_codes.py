"""No command takes damaged input, or an odd argument, for a bug of its own (exit code 3)."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from fuzzing import mutate
from fuzzing.case import run_command
from fuzzing.every_command import COMMANDS, NOT_FUZZED, Workplace

from babelreg.cache import store
from babelreg.cli import _babelreg
from babelreg.gen.targets import TARGETS


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workplace:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BABELREG_CACHE_DIR", str(tmp_path / "cache"))
    return Workplace(tmp_path)


def wrongs(workplace: Workplace, seeds: range, command: str | None = None) -> list[str]:
    found = []
    for seed in seeds:
        arguments, ran = workplace.case(seed, command)
        if ran.code not in (0, 1, 2) or "Traceback" in ran.err:
            found.append(f"case {seed}: exit {ran.code} of {' '.join(arguments)}\n{ran.err[-2000:]}")
    return found


def test_damaged_input_of_any_command(workplace):
    assert [wrong for n, command in enumerate(COMMANDS) for wrong in wrongs(workplace, range(n, n + 1), command)] == []


CACHING = (("lint",), ("list",), ("search", "order"), ("breaking", "--against"), ("gen", "jsonschema", "--out"))


def forged(chance: random.Random, entry: bytes) -> bytes:
    """Return a cache entry with another value, whose check sum is right."""
    value = json.loads(entry[store._CHECKSUM_LENGTH :])
    body = json.dumps(mutate.changed_value(chance, value)).encode()
    return store._checksum(body) + body


@pytest.mark.parametrize(
    "seeds",
    [pytest.param(range(12), id="a few"), pytest.param(range(12, 400), id="many", marks=pytest.mark.long)],
)
def test_cache_entries_with_other_values_are_misses(seeds, workplace, tmp_path):
    workplace._write(tmp_path / "registry", workplace.files)
    commands = [
        (*words, *([str(tmp_path / "published")] if words[-1].startswith("--") else []), "--registry", str(tmp_path / "registry"))
        for words in CACHING
    ]  # fmt: skip
    for command in commands:
        assert run_command(command).code == 0
    entries = {path: path.read_bytes() for path in sorted((tmp_path / "cache").rglob("*")) if path.is_file()}
    assert {path.suffix for path in entries} >= {".result", ".rows", ".overview", ".messages", ".outputs"}
    for seed in seeds:
        chance = random.Random(seed)
        for path, entry in entries.items():
            path.write_bytes(forged(chance, entry))
        for command in commands:
            ran = run_command(command)
            assert (ran.code in (0, 1, 2), "Traceback" in ran.err) == (True, False), f"seed {seed}: {ran}"


def leaves(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[str]:
    if not isinstance(command, click.Group):
        yield " ".join(path)
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        assert below is not None
        yield from leaves(below, (*path, name))


def test_every_command_and_target_is_fuzzed_or_has_a_reason():
    forms = [words.removeprefix("-C SERVICE ").split() for words, _ in COMMANDS.values()]
    every = {*leaves(_babelreg), *(f"gen {target}" for target in TARGETS)} - {"gen"}
    fuzzed = {name for name in every if any(form[: len(name.split())] == name.split() for form in forms)}
    assert every - fuzzed == NOT_FUZZED.keys()


@pytest.mark.long
@pytest.mark.parametrize("command", COMMANDS)
def test_five_hundred_damaged_inputs_of_every_command(command, workplace):
    assert wrongs(workplace, range(1_000, 1_500), command) == []
