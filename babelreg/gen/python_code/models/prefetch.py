"""Prefetching of shapes: one call of the model generator for several messages, because each call starts slowly.

The batch size begins at 1 and doubles, so that one changed message causes one small call, and a thousand new messages
about a dozen calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from babelreg.gen.python_code.models import classes
from babelreg.gen.python_code.models.kind import Kind
from babelreg.typemap.shapes import Shape

_MAX_BATCH = 64


class ShapePrefetch:
    """The shapes of messages. ``shapes`` has one function per URN, in the order of generation; each is called once."""

    def __init__(self, kind: Kind, shapes: Mapping[str, Callable[[], Shape]]) -> None:
        self._kind = kind
        self._shapes = shapes
        self._order = list(shapes)
        self._positions = {urn: position for position, urn in enumerate(self._order)}
        self._ready: dict[str, Shape] = {}
        self._batch = 1

    def shape(self, urn: str) -> Shape:
        """Return the shape of that message, with the annotations of its attributes prefetched."""
        if urn not in self._ready:
            start = self._positions[urn]
            self._ready = {name: self._shapes[name]() for name in self._order[start : start + self._batch]}
            self._batch = min(2 * self._batch, _MAX_BATCH)
            if len(self._ready) > 1:
                classes.prefetch(list(self._ready.values()), self._kind)
        return self._ready.pop(urn)
