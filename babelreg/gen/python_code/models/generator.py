"""Asking the model generator once for each shape: a thousand messages are made of a few dozen.

The annotation of an attribute depends on its shape and on whether it is required, and on nothing beside it. So shapes
are asked for with neutral names of attributes and classes, all that are new at once. The answers are in ``ANSWERS``,
which :mod:`babelreg.gen.cache.answer_cache` stores for the next run, so that the generator need not be imported.
"""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from babelreg.errors import BabelregError
from babelreg.gen.cache.answer_cache import ANSWERS
from babelreg.typemap.python.shapes import Attribute, Class, Shape

__all__ = ["Annotations", "in_order", "learn", "spelled"]

Annotations = dict[str, dict[str, str]]
"""``{class: {attribute: annotation}}``."""

_REFERENCE = "#/$defs/"
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_CHECKED: set[str] = set()
_SLOT = re.compile(rf"{_QUOTED}|<(\d+)>")


def spelled(shape: Shape, kind: str, ask: Callable[[Shape], Annotations], check: Callable[[str], Any]) -> Annotations:
    """The annotations of every class of ``shape``, each class after those that it uses where that is possible.

    ``ask`` is the generator; its answers for one ``kind`` of models are interchangeable. ``check`` raises BabelregError
    or SyntaxError for an annotation that it would not give: what was kept on disk is looked at once more.
    """
    learn([shape], kind, ask, check)
    found: Annotations = {name: {} for name in in_order(shape)}
    for name, attribute in _attributes(shape):
        key, _, classes = _normal(attribute, kind)
        found[name][attribute.name] = _filled(ANSWERS[key], classes)
    return found


def learn(shapes: Sequence[Shape], kind: str, ask: Callable[[Shape], Annotations], check: Callable[[str], Any]) -> None:
    """Ask for all that is new in ``shapes``, at once; the question is called as the first of them. See `spelled`."""
    asked = [_normal(attribute, kind) for shape in shapes for _, attribute in _attributes(shape)]
    unknown = {key: attribute for key, attribute, classes in asked if not _known(key, len(classes), check)}
    if unknown:
        _ask(shapes[0].root, unknown, ask)


def _attributes(shape: Shape) -> Iterator[tuple[str, Attribute]]:
    return ((name, attribute) for name, found in shape.classes.items() for attribute in found.attributes)


def _known(key: str, slots: int, check: Callable[[str], Any]) -> bool:
    if key in _CHECKED or key not in ANSWERS:
        return key in ANSWERS
    try:
        check(_filled(ANSWERS[key], ["Any"] * slots))
    except (BabelregError, SyntaxError, ValueError, IndexError, RecursionError):
        return False
    _CHECKED.add(key)
    return True


def _normal(attribute: Attribute, kind: str) -> tuple[str, Attribute, list[str]]:
    """What the annotation depends on, as a key; the same as an attribute; and the classes that stand in its slots."""
    classes: list[str] = []
    node = _neutral(attribute.shape, classes)
    key = f"{kind} {int(attribute.required)} {json.dumps(node, separators=(',', ':'))}"
    return key, Attribute("", "", node, attribute.required), classes


def _neutral(node: Any, classes: list[str]) -> Any:
    """``node`` with the slots ``<0>``, ``<1>`` for classes, which are added to ``classes``."""
    if isinstance(node, list):
        return [_neutral(one, classes) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = str(node["$ref"]).removeprefix(_REFERENCE)
        if name not in classes:
            classes.append(name)
        return {"$ref": f"<{classes.index(name)}>"}
    return {key: value if key == "enum" else _neutral(value, classes) for key, value in node.items()}


def _ask(root: str, new: Mapping[str, Attribute], ask: Callable[[Shape], Annotations]) -> None:
    """Ask for all that is ``new``, as the attributes of one class that is called ``root``."""
    slots: set[str] = set()
    attributes = []
    for number, attribute in enumerate(new.values()):
        name = f"a{number}"
        attributes.append(Attribute(name, name, _named(attribute.shape, root, slots), attribute.required))
    # No two are alike, so that none can be taken for another.
    classes = {slot: Class(slot, (Attribute(slot.lower(), "", {"type": "string"}, True),)) for slot in sorted(slots)}
    answer = ask(Shape(root, {**classes, root: Class(root, tuple(attributes))}))[root]
    called = re.compile(rf"{_QUOTED}|\b{re.escape(root)}Slot(\d+)\b")
    for number, key in enumerate(new):
        ANSWERS[key] = called.sub(lambda found: f"<{found[1]}>" if found[1] else found[0], answer[f"a{number}"])
        _CHECKED.add(key)


def _named(node: Any, root: str, slots: set[str]) -> Any:
    if isinstance(node, list):
        return [_named(one, root, slots) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        slots.add(name := f"{root}Slot{node['$ref'][1:-1]}")
        return {"$ref": _REFERENCE + name}
    return {key: value if key == "enum" else _named(value, root, slots) for key, value in node.items()}


def _filled(annotation: str, classes: list[str]) -> str:
    return _SLOT.sub(lambda found: classes[int(found[1])] if found[1] else found[0], annotation)


def in_order(shape: Shape) -> list[str]:
    """The classes, each after those that it uses; else by name, so that no class moves when a property is added.

    Where classes use each other in a circle, the first by name stands first.
    """
    uses = {name: set(_used([one.shape for one in found.attributes])) for name, found in shape.classes.items()}
    users: dict[str, list[str]] = {name: [] for name in uses}
    for name, used in uses.items():
        for other in used - {name}:
            users[other].append(name)
    missing = {name: len(used - {name}) for name, used in uses.items()}
    ready = sorted(name for name, count in missing.items() if not count)
    waiting = sorted(uses, reverse=True)
    placed: dict[str, None] = {}
    while len(placed) < len(uses):
        if not ready:
            while waiting[-1] in placed:
                waiting.pop()
            ready.append(waiting[-1])
        name = heapq.heappop(ready)
        if name in placed:
            continue
        placed[name] = None
        for user in users[name]:
            missing[user] -= 1
            if not missing[user]:
                heapq.heappush(ready, user)
    return list(placed)


def _used(nodes: list[Any]) -> Iterator[str]:
    while nodes:
        node = nodes.pop()
        if isinstance(node, list):
            nodes += node
        elif isinstance(node, dict):
            if "$ref" in node:
                yield str(node["$ref"]).removeprefix(_REFERENCE)
            nodes += [value for key, value in node.items() if key != "enum"]
