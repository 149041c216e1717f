"""The places in a message's data that a field path leads to, to be read, set and removed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from babelreg.schema import field_path
from babelreg.schema.field_path import EACH, PathError, Step, spelled


@dataclass(frozen=True, slots=True)
class Path:
    """A path: names, and ``EACH`` for every item. It ends in a name."""

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
    """Return the path that ``text`` spells. Raises PathError saying what is wrong with it."""
    return Path(text, field_path.parse(text))


def slots(data: dict[str, Any], path: Path, *, create: bool) -> Iterator[Slot]:
    """Yield the places that ``path`` leads to, one for every item on the way. An absent array has none.

    ``create``: absent objects on the way are made; otherwise they end the way.
    Raises PathError when a value on the way is neither an object nor an array, unless it is null and nothing is to be
    created.
    """
    yield from _slots(data, path, 0, create)


def _slots(value: Any, path: Path, at: int, create: bool) -> Iterator[Slot]:
    step = path.steps[at]
    if not isinstance(step, str):
        for item in _items(value, path, at):
            yield from _slots(item, path, at + 1, create)
        return
    if value is None and not create:
        return
    if not isinstance(value, dict):
        raise PathError(f"{_first(path, at)} is not an object")
    if at == len(path.steps) - 1:
        yield Slot(value, step)
        return
    if step not in value:
        if not create or path.steps[at + 1] is EACH:
            return
        value[step] = {}
    yield from _slots(value[step], path, at + 1, create)


def _items(value: Any, path: Path, at: int) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise PathError(f"{_first(path, at)} is not an array")
    return value


def _first(path: Path, count: int) -> str:
    """Return the first steps of the path, as written."""
    return spelled(path.steps[:count]) or "data"
