"""Keywords of a schema as written in a registry, whatever they mean: also below keywords that no dialect knows.

A reference may lead below any keyword. Data is skipped: the values of ``enum``, ``const``, ``default``, ``examples``
and ``x-`` keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.schema.keywords import KEYED, VALUES
from babelreg.schema.pointer import Pointer

_REFERENCE = frozenset({"$ref"})
_CONTAINERS = frozenset({dict, list})
_Steps = tuple[Any, str | int] | None
"""A place by the steps of the one above and its own step; None for the root."""


def references(schema: Any) -> Iterator[tuple[Pointer, str]]:
    """Yield every ``$ref`` of ``schema`` with its pointer, in order."""
    return ((at, value) for at, _, value in keywords(schema, _REFERENCE) if isinstance(value, str))


def keywords(schema: Any, wanted: frozenset[str]) -> Iterator[tuple[Pointer, str, Any]]:
    """Yield every keyword of ``wanted`` in ``schema`` and all its subschemas, in order.

    Each with its pointer and value. Data and the names below ``properties`` are skipped.
    """
    waiting: list[tuple[_Steps, Any, bool]] = [(None, schema, False)]
    while waiting:
        steps, node, by_name = waiting.pop()
        below: list[tuple[_Steps, Any, bool]] = []
        if isinstance(node, list):
            below = [((steps, i), item, False) for i, item in enumerate(node) if type(item) in _CONTAINERS]
        elif isinstance(node, dict):
            if not by_name and not wanted.isdisjoint(node):
                at = _pointer(steps)  # made only where there is one to yield
                yield from (((*at, key), key, value) for key, value in node.items() if key in wanted)
            for key, value in node.items():
                if type(value) in _CONTAINERS and (by_name or not _is_data(key)):
                    below.append(((steps, key), value, not by_name and key in KEYED))
        if below:
            waiting += below[::-1]


def _pointer(steps: _Steps) -> Pointer:
    reverse: list[str | int] = []
    while steps is not None:
        steps, step = steps
        reverse.append(step)
    return tuple(reversed(reverse))


def _is_data(key: str) -> bool:
    return key in VALUES or key.startswith("x-")
