"""How well the English of message names is read: accuracy on verbs, false alarms and misses on real names, time.

    python benchmarks/english.py

The names are those of ``tests/lint/data/message_names.tsv``. Half of them (by a checksum of the name) were held out:
the reading was tuned on the other half only.
"""

from __future__ import annotations

import re
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from babelreg.lint import english
from babelreg.lint.english import VerbForm

DATA = Path(__file__).parents[1] / "tests" / "lint" / "data"

# Past forms that are base forms too, of another verb: to bore a hole, to found a company, to saw wood.
VERBS_OF_THEIR_OWN = {"bore", "bound", "fell", "found", "ground", "lay", "saw", "wound"}


@dataclass(frozen=True)
class Name:
    """A real message name: as its source spells it, and as a registry would."""

    spelled: str
    kind: str
    source: str

    @property
    def name(self) -> str:
        """The name in the spelling of a URN: `orders/create` is `orders.create`, `PlaceOrder` is `place_order`."""
        text = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", self.spelled)
        return re.sub(r"([A-Z])([A-Z][a-z])", r"\1_\2", text).replace("/", ".").lower()

    @property
    def held_out(self) -> bool:
        """Whether the tuning never saw it."""
        return zlib.crc32(self.spelled.encode()) % 2 == 1


@dataclass(frozen=True)
class Verb:
    """A verb and its forms; several spellings of one form are all right."""

    group: str
    base: str
    past: frozenset[str]
    participle: frozenset[str]


@dataclass(frozen=True)
class Score:
    """How many of how many, and which were wrong."""

    total: int
    wrong: tuple[str, ...]

    @property
    def rate(self) -> float:
        """The share that was wrong."""
        return len(self.wrong) / self.total

    def __str__(self) -> str:
        return f"{len(self.wrong):4} of {self.total:4}  {self.rate:6.1%}"


def names() -> list[Name]:
    """Every real name."""
    return [Name(*row) for row in _rows("message_names.tsv")]


def verbs() -> list[Verb]:
    """Every verb of the list."""
    return [
        Verb(group, base, frozenset(past.split("/")), frozenset(participle.split("/")))
        for group, base, past, participle in _rows("verbs.tsv")
    ]


def verb_errors(verb: Verb) -> Iterator[str]:
    """What is read or inflected wrongly of one verb; a noun that is a verb too may read AMBIGUOUS, never wrong."""
    if english.form(verb.base) not in (VerbForm.BASE, VerbForm.AMBIGUOUS):
        yield f"{verb.base} reads {english.form(verb.base).value}"
    if english.past(verb.base) not in verb.participle:
        yield f"the past of {verb.base} is said to be {english.past(verb.base)}"
    for past in sorted(verb.past | verb.participle):
        expected = VerbForm.AMBIGUOUS if past == verb.base or past in VERBS_OF_THEIR_OWN else VerbForm.PAST
        if english.form(past) is not expected:
            yield f"{past} reads {english.form(past).value}"
        if english.base(past) != verb.base:
            yield f"the base of {past} is said to be {english.base(past)}"


def verb_score(chosen: list[Verb]) -> Score:
    """The verbs of which anything at all is wrong."""
    wrong = ["; ".join(verb_errors(verb)) for verb in chosen]
    return Score(len(chosen), tuple(text for text in wrong if text))


def false_alarms(chosen: list[Name]) -> Score:
    """The findings on names that a careful reviewer accepts for their kind."""
    good = [name for name in chosen if name.kind in ("event", "command")]
    return Score(len(good), _where(good, lambda name: _found(name.name, name.kind)))


def misses(chosen: list[Name]) -> Score:
    """The badly named messages that get no finding."""
    bad = [name for name in chosen if name.kind.startswith("misnamed-")]
    return Score(len(bad), _where(bad, lambda name: not _found(name.name, name.kind.removeprefix("misnamed-"))))


def misses_when_swapped(chosen: list[Name], kind: str) -> Score:
    """The names of one kind that get no finding when they are declared as the other kind."""
    other = "command" if kind == "event" else "event"
    return Score(
        len(own := [name for name in chosen if name.kind == kind]),
        _where(own, lambda name: not _found(name.name, other)),
    )


def _found(name: str, kind: str) -> bool:
    reading = english.read(name)
    return reading.contradicts_event if kind == "event" else reading.contradicts_command


def _where(chosen: list[Name], wrong: Callable[[Name], bool]) -> tuple[str, ...]:
    return tuple(f"{name.name} ({name.kind}, {english.form(name.name).value})" for name in chosen if wrong(name))


def _rows(file: str) -> Iterator[list[str]]:
    for line in (DATA / file).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            yield line.split("\t")


def _first_use_milliseconds() -> float:
    start = time.perf_counter()
    english.form("created")
    return (time.perf_counter() - start) * 1e3


def main() -> None:
    """Print the figures and every error."""
    import machine

    first = _first_use_milliseconds()
    everything = names()
    halves = {
        "tuned on": [name for name in everything if not name.held_out],
        "held out": [name for name in everything if name.held_out],
        "all": everything,
    }
    print(f"first use {first:.1f} ms, {machine.beside(first / 1000).strip()}\n\nverbs read or inflected wrongly")
    for group in dict.fromkeys(verb.group for verb in verbs()):
        print(f"  {group:28}{verb_score([verb for verb in verbs() if verb.group == group])}")
    for half, chosen in halves.items():
        print(f"\n{half}: {len(chosen)} names")
        print(f"  {'false alarms':28}{false_alarms(chosen)}")
        print(f"  {'misnamed, not found':28}{misses(chosen)}")
        print(f"  {'events as commands, missed':28}{misses_when_swapped(chosen, 'event')}")
        print(f"  {'commands as events, missed':28}{misses_when_swapped(chosen, 'command')}")
    print("\nwrong")
    for text in (*verb_score(verbs()).wrong, *false_alarms(everything).wrong, *misses(everything).wrong):
        print(f"  {text}")


if __name__ == "__main__":
    main()
