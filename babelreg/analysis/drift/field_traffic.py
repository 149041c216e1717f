"""Values that a sketch has at a field path, and the objects that could have had them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import deepcopy
from typing import NamedTuple

from babelreg.analysis.sketch.value_sketch import MAX_DEPTH, ObjectSketch, ValueSketch
from babelreg.schema.field_path import EACH, OTHERS, Step

Steps = tuple[Step, ...]


class FieldTraffic(NamedTuple):
    """The ``values`` at a path, None without any, and the number of ``holders``: the objects or arrays above them."""

    holders: int
    values: ValueSketch | None

    @property
    def present(self) -> int:
        """Number of values."""
        return self.values.count if self.values is not None else 0


class _NotToldApart(Exception):
    """The sketch has the values of several names as one."""


def field_traffic(data: ValueSketch, steps: Steps, named: Mapping[Steps, Collection[str]]) -> FieldTraffic | None:
    """Return the traffic at the path ``steps``; None where the sketch does not tell it.

    That is below a map, for names that are data, and beyond the depth of a sketch. ``named`` has the names that the
    schema declares at each path: ``*`` stands for all others.
    """
    traffic = FieldTraffic(data.count, data)
    for depth, step in enumerate(steps):
        values = traffic.values
        if values is None:
            return FieldTraffic(0, None)
        if values.place.depth >= MAX_DEPTH:
            return None
        try:
            traffic = _below(values, step, named.get(steps[:depth], ()))
        except _NotToldApart:
            return None
    return traffic


def _below(values: ValueSketch, step: Step, named: Collection[str]) -> FieldTraffic:
    if step is EACH:
        return FieldTraffic(values.arrays, values.items)
    if values.members is None:
        return FieldTraffic(values.objects, None)
    if step == OTHERS:
        return FieldTraffic(values.objects, _others(values.members, named))
    return FieldTraffic(values.objects, _property(values.members, str(step)))


def _property(members: ObjectSketch, name: str) -> ValueSketch | None:
    if members.properties is None or members.place.judgement.is_data_name(name):
        raise _NotToldApart
    return members.properties.get(name)


def _others(members: ObjectSketch, named: Collection[str]) -> ValueSketch | None:
    """Return the values of all names but ``named``."""
    if members.properties is None and named:
        raise _NotToldApart
    sketches = [sketch for name, sketch in (members.properties or {}).items() if name not in named]
    if members.values is not None:
        if any(map(members.place.judgement.is_data_name, named)):
            raise _NotToldApart
        sketches.append(members.values)
    if len(sketches) < 2:
        return sketches[0] if sketches else None
    merged = ValueSketch(sketches[0].place)
    for sketch in sketches:
        merged.merge(deepcopy(sketch))
    return merged
