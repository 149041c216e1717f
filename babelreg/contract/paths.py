"""Paths into data as people write them: ``a.b``, ``lines[].qty``, a dot in a name written ``\\.``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["EACH", "Path", "PathError", "Slot", "parse", "slots"]


class _Each:
    """The step ``[]``: every item of an array."""

    def __repr__(self) -> str:
        return "[]"


EACH = _Each()
Step = str | _Each


class PathError(ValueError):
    """A text that is no path, or a path that does not fit the data."""


@dataclass(frozen=True, slots=True)
class Path:
    """A path: names, and :data:`EACH` for every item. It ends in a name."""

    text: str
    steps: tuple[Step, ...]

    @property
    def arrays(self) -> tuple[Step, ...]:
        """The steps up to and with the last ``[]``; empty without one."""
        last = max((at for at, step in enumerate(self.steps) if step is EACH), default=-1)
        return self.steps[: last + 1]


@dataclass(frozen=True, slots=True)
class Slot:
    """One place in data: the name ``name`` in the object ``holder``."""

    holder: dict[str, Any]
    name: str

    @property
    def filled(self) -> bool:
        return self.name in self.holder

    @property
    def value(self) -> Any:
        return self.holder[self.name]

    def put(self, value: Any) -> None:
        self.holder[self.name] = value

    def take(self) -> Any:
        return self.holder.pop(self.name)


def parse(text: str) -> Path:
    """Read a path.

    Raises PathError saying what is wrong with it.
    """
    steps: list[Step] = []
    for part in _parts(text):
        name, depth = part
        if name:
            steps.append(name)
        elif not depth:
            raise PathError(f"path {text!r} has an empty name")
        steps.extend([EACH] * depth)
    if not steps or steps[-1] is EACH:
        raise PathError(f"path {text!r} must end in a name")
    if steps[0] is EACH:
        raise PathError(f"path {text!r} must begin with a name, because data is an object")
    return Path(text, tuple(steps))


def _parts(text: str) -> Iterator[tuple[str, int]]:
    """The names between the dots, each with how many ``[]`` follow it."""
    name, depth, at = "", 0, 0
    while at < len(text):
        if text[at] == "\\":
            if at + 1 == len(text):
                raise PathError(f"path {text!r} ends in a backslash; a backslash in a name is written \\\\")
            name += text[at + 1]
            at += 1
        elif text[at] == ".":
            yield name, depth
            name, depth = "", 0
        elif text.startswith("[]", at):
            depth += 1
            at += 1
        elif depth:
            raise PathError(f"path {text!r}: after [] comes a dot or another []")
        else:
            name += text[at]
        at += 1
    yield name, depth


def slots(data: dict[str, Any], path: Path, *, create: bool) -> Iterator[Slot]:
    """The places that ``path`` leads to, one for every item on the way. An absent array has none.

    ``create``: absent objects on the way are made; otherwise they end the way.
    Raises PathError when something else than an object or array stands on the way, unless it is null and nothing
    is to be created.
    """
    yield from _slots(data, path, 0, create)


def _slots(here: Any, path: Path, at: int, create: bool) -> Iterator[Slot]:
    step = path.steps[at]
    if isinstance(step, _Each):
        for item in _items(here, path, at):
            yield from _slots(item, path, at + 1, create)
        return
    if here is None and not create:
        return
    if not isinstance(here, dict):
        raise PathError(f"{_spelled(path, at)} is not an object")
    if at == len(path.steps) - 1:
        yield Slot(here, step)
        return
    if step not in here:
        if not create or path.steps[at + 1] is EACH:
            return
        here[step] = {}
    yield from _slots(here[step], path, at + 1, create)


def _items(here: Any, path: Path, at: int) -> list[Any]:
    if here is None:
        return []
    if not isinstance(here, list):
        raise PathError(f"{_spelled(path, at)} is not an array")
    return here


def _spelled(path: Path, at: int) -> str:
    """The first ``at`` steps of the path, as written."""
    spelled = ""
    for step in path.steps[:at]:
        name = "[]" if isinstance(step, _Each) else step.replace("\\", "\\\\").replace(".", "\\.").replace("[", "\\[")
        spelled += name if name == "[]" or not spelled else "." + name
    return spelled or "data"
