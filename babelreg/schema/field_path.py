r"""Paths of fields as people write them: ``a.b``, ``lines[].qty``, ``rates.*``.

A dot in a name is written ``\.``, so are a backslash and a bracket; the name of no letters is written ``''``. ``[]`` is
every item of an array, ``*`` every other property of an object; a property named ``*`` is written the same, because no
path that is read has the latter.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache


class _Each(enum.Enum):
    EACH = "[]"


EACH = _Each.EACH
"""The step ``[]``: every item of an array."""
Step = str | _Each
OTHERS = "*"
"""The step to a property that the schema does not name. Only paths for people have it."""

_EMPTY = "''"
_EMPTY_NAME = re.compile(r"''(?=[.\[]|\Z)")
_PART = re.compile(
    rf"(?P<item>\[(?:[0-9]*|\*)\])|{_EMPTY_NAME.pattern}|(?P<name>(?:[^\\.\[]|\\.|\[(?!(?:[0-9]*|\*)\]))+)", re.DOTALL
)
_SPECIAL = re.compile(r"[\\.\[]|\A'(?='\Z)")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


class PathError(ValueError):
    """A text that is not a path of a field, or a path that does not fit the data."""


def parse(text: str) -> tuple[Step, ...]:
    """Return the steps of a path that begins and ends with a name.

    Raises PathError saying what is wrong with it.
    """
    steps: list[Step] = []
    for name, depth in _names(text):
        if name is not None:
            steps.append(name)
        elif not depth:
            raise PathError(f"path {text!r} contains an empty name")
        steps.extend([EACH] * depth)
    if not steps or steps[-1] is EACH:
        raise PathError(f"path {text!r} must end in a name")
    if steps[0] is EACH:
        raise PathError(f"path {text!r} must begin with a name, because data is an object")
    return tuple(steps)


def _names(text: str) -> Iterator[tuple[str | None, int]]:
    """Yield the names between the dots, each with the number of ``[]`` after it; None where nothing is written."""
    name: str | None = None
    depth, at = 0, 0
    while at < len(text):
        if name is None and not depth and _EMPTY_NAME.match(text, at):
            name = ""
            at += 1
        elif text[at] == "\\":
            if at + 1 == len(text):
                raise PathError(f"path {text!r} ends in a backslash; a backslash in a name is written \\\\")
            name = (name or "") + text[at + 1]
            at += 1
        elif text[at] == ".":
            yield name, depth
            name, depth = None, 0
        elif text.startswith("[]", at):
            depth += 1
            at += 1
        elif depth:
            raise PathError(f"path {text!r}: after [] comes a dot or another []")
        else:
            name = (name or "") + text[at]
        at += 1
    yield name, depth


@lru_cache(maxsize=1 << 12)
def parts(text: str) -> tuple[Step, ...]:
    """Return the steps of a path that may be sloppy: ``lines[0].qty`` and ``lines[*].qty`` are ``lines[].qty``.

    Nothing is raised: for paths under ``reads``, where a misspelt one is reported as a field that does not exist.
    """
    return tuple(EACH if match["item"] else _ESCAPED.sub(r"\1", match["name"] or "") for match in _PART.finditer(text))


def spelled(steps: Iterable[Step]) -> str:
    """Return the path of ``steps``; empty for the whole data."""
    path = ""
    for step in steps:
        path = f"{path}[]" if step is EACH else child(path, step)
    return path


def child(path: str, name: str) -> str:
    """Return the path of the property ``name`` of the object at ``path``."""
    escaped = _SPECIAL.sub(r"\\\g<0>", name) if name else _EMPTY
    return f"{path}.{escaped}" if path else escaped
