"""An edit changes exactly what it was asked to change, or raises EditError; every other line stays byte for byte."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from fuzzing import case, mutate, values

from babelreg.load.files.defect import Defect
from babelreg.load.yaml import edits, parser

FILES = {path: body for path, body in case.originals().items() if path.endswith(".yaml")}
KINDS = ("replace", "insert", "remove")


def pointers(value: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(found for step, member in below for found in pointers(member, (*at, step)))]


def text_of(chance: random.Random) -> str | None:
    """A YAML text that can be read, as written by people or as damaged."""
    path = chance.choice(sorted(FILES))
    body = FILES[path] if chance.random() < 0.5 else mutate.mutated(chance, {path: FILES[path]}).get(path, b"")
    if chance.random() < 0.1:
        body = body.replace(b"\n", b"\r\n")
    try:
        text = body.decode()
        parser.read(text)
    except (Defect, UnicodeDecodeError):
        return None
    return text


def edited(chance: random.Random, kind: str, text: str, value: Any) -> tuple[str, Callable[[Any], Any]]:
    """The text after an edit, and what the edit does to the value."""
    at = chance.choice(pointers(value))
    new = values.any_value(chance) if chance.random() < 0.7 else chance.choice(["x", 1, None, True, -0.0, 10**30])
    key = values.key(chance)
    if kind == "replace":
        return edits.replace(text, at, new), lambda v: put(v, at, new)
    if kind == "insert":
        block = chance.random() < 0.5
        return edits.insert(text, (*at, key), new, block=block), lambda v: inserted(v, at, key, new)
    return edits.remove(text, at), lambda v: removed(v, at)


def put(value: Any, at: tuple[str | int, ...], new: Any) -> Any:
    if not at:
        return new
    here: Any = value
    for step in at[:-1]:
        here = here[step]
    here[at[-1]] = new
    return value


def inserted(value: Any, at: tuple[str | int, ...], key: str, new: Any) -> Any:
    held: Any = {} if value is None and not at else value
    here = held
    for step in at:
        here = here[step]
    here[key] = new
    return held


def removed(value: Any, at: tuple[str | int, ...]) -> Any:
    here: Any = value
    for step in at[:-1]:
        here = here[step]
    del here[at[-1]]
    return value


def wrong(seed: int) -> tuple[str, str | None]:
    """``done``, ``refused`` or ``passed``, and what went wrong."""
    chance = random.Random(seed)
    text = text_of(chance)
    if text is None:
        return "passed", None
    kind = chance.choice(KINDS)
    value = parser.read(text)
    try:
        after, does = edited(chance, kind, text, value)
    except edits.EditError:
        return "refused", None
    wanted = does(parser.read(text))
    if json.dumps(parser.read(after)) != json.dumps(wanted):
        return "done", f"{kind} in case {seed} says something else"
    # the comments, in their order; one may go with the line or the value that goes
    left = [line for line in text.splitlines() if line.lstrip().startswith("#")]
    missing = [line for line in left if line not in after.splitlines()]
    if missing and kind == "insert" and "|" not in text and ">" not in text:
        return "done", f"{kind} in case {seed} loses {missing}"
    return "done", None


def run(seeds: range) -> tuple[dict[str, int], list[str]]:
    counts = dict.fromkeys(("done", "refused", "passed"), 0)
    found = []
    for seed in seeds:
        what, complaint = wrong(seed)
        counts[what] += 1
        found += [complaint] if complaint else []
    return counts, found


def test_an_edit_changes_what_it_should_and_nothing_else() -> None:
    counts, found = run(range(300))
    assert found == []
    assert counts["done"] > 100


@pytest.mark.long
def test_twenty_thousand_edits() -> None:
    counts, found = run(range(1000, 21_000))
    assert found == []
    assert counts["done"] > counts["refused"]
