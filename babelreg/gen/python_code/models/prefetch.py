"""The shapes of messages, those that come next asked for together: the generator takes long to begin, not to go on.

Whoever wants one message gets one; whoever goes on gets ever more at once. So one changed message costs what it needs,
and a thousand new ones a dozen questions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from babelreg.gen.python_code.models import classes
from babelreg.gen.python_code.models.kind import Kind
from babelreg.typemap.python.shapes import Shape

__all__ = ["Ahead"]

_MOST = 64


class Ahead:
    """``shapes`` are the messages in the order in which they are made, by URN. Each is asked for once."""

    def __init__(self, kind: Kind, shapes: Mapping[str, Callable[[], Shape]]) -> None:
        self._kind = kind
        self._shapes = shapes
        self._order = list(shapes)
        self._places = {urn: place for place, urn in enumerate(self._order)}
        self._ready: dict[str, Shape] = {}
        self._step = 1

    def shape(self, urn: str) -> Shape:
        """The shape of that message; what the generator has to say of it is known as far as it could be asked."""
        if urn not in self._ready:
            place = self._places[urn]
            self._ready = {one: self._shapes[one]() for one in self._order[place : place + self._step]}
            self._step = min(2 * self._step, _MOST)
            if len(self._ready) > 1:
                classes.learn(list(self._ready.values()), self._kind)
        return self._ready.pop(urn)
