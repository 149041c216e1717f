"""Cached calls of the model generator, one for each distinct attribute shape.

The annotation of an attribute depends only on its shape and on whether it is required, and a thousand messages have a
few dozen shapes, limits aside. So the generator is called with neutral names of attributes and classes, once for all
new shapes; its annotations are kept in ``ANSWERS``; :mod:`babelreg.gen.cache.function_cache` stores them on disk. A run
with known shapes alone does not import the generator. It does not see limits: a value with limits is a slot, as a class
is, and they are written around its annotation: ``Annotated[int, Field(ge=1)]``.
"""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from babelreg.errors import BabelregError
from babelreg.gen.cache.function_cache import ANSWERS
from babelreg.typemap.python.field_limits import ARGUMENTS
from babelreg.typemap.python.names import literal
from babelreg.typemap.shapes import Attribute, Class, Shape

Annotations = dict[str, dict[str, str]]
"""``{class: {attribute: annotation}}``."""

_REFERENCE = "#/$defs/"
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_CHECKED: set[str] = set()
_SLOT = re.compile(rf"{_QUOTED}|<(\d+)>")


def annotations_of(
    shape: Shape, kind: str, generate: Callable[[Shape], Annotations], check: Callable[[str], Any]
) -> Annotations:
    """Return the annotations of every class of ``shape``, each class after those that it uses where possible.

    ``generate`` calls the generator for one ``kind`` of models. ``check`` raises BabelregError or SyntaxError for an
    annotation that the generator would not return: it validates annotations from disk.
    """
    prefetch([shape], kind, generate, check)
    by_class: Annotations = {name: {} for name in in_order(shape)}
    for name, attribute in _attributes(shape):
        by_class[name][attribute.name] = _annotation(attribute, kind)
    return by_class


def _annotation(attribute: Attribute, kind: str) -> str:
    key, _, slots = _normalised(attribute, kind)
    return _filled(ANSWERS[key], [slot if isinstance(slot, str) else _limited(slot, kind) for slot in slots])


def _limited(node: dict[str, Any], kind: str) -> str:
    arguments = ", ".join(
        f"{argument}={literal(node[keyword]) if isinstance(node[keyword], str) else node[keyword]}"
        for keyword, argument in ARGUMENTS.items()
        if keyword in node
    )
    return f"Annotated[{_annotation(_unlimited(node), kind)}, Field({arguments})]"


def _unlimited(node: dict[str, Any]) -> Attribute:
    """Return a required attribute with the values of ``node``, whose own limits are left out."""
    return Attribute("", "", {key: value for key, value in node.items() if key not in ARGUMENTS}, True)


def prefetch(
    shapes: Sequence[Shape], kind: str, generate: Callable[[Shape], Annotations], check: Callable[[str], Any]
) -> None:
    """Call the generator once for all new attributes of ``shapes``; see :func:`annotations_of`."""
    unknown: dict[str, Attribute] = {}
    stack = [attribute for shape in shapes for _, attribute in _attributes(shape)][::-1]
    while stack:
        key, attribute, slots = _normalised(stack.pop(), kind)
        stack += [_unlimited(slot) for slot in slots if not isinstance(slot, str)]
        if key not in unknown and not _known(key, len(slots), check):
            unknown[key] = attribute
    if unknown:
        _generate(shapes[0].root, unknown, generate)


def _attributes(shape: Shape) -> Iterator[tuple[str, Attribute]]:
    return ((name, attribute) for name, class_ in shape.classes.items() for attribute in class_.attributes)


def _known(key: str, slots: int, check: Callable[[str], Any]) -> bool:
    if key in _CHECKED or key not in ANSWERS:
        return key in ANSWERS
    try:
        check(_filled(ANSWERS[key], ["Any"] * slots))
    except (BabelregError, SyntaxError, ValueError, IndexError, RecursionError):
        return False
    _CHECKED.add(key)
    return True


def _normalised(attribute: Attribute, kind: str) -> tuple[str, Attribute, list[_Slot]]:
    """Return the inputs of the annotation as a key and as a neutral attribute, and the contents of its slots."""
    slots: list[_Slot] = []
    node = _neutral(attribute.shape, slots)
    key = f"{kind} {int(attribute.required)} {json.dumps(node, separators=(',', ':'))}"
    return key, Attribute("", "", node, attribute.required), slots


_Slot = str | dict[str, Any]
"""The name of a class, or the shape of a value with limits."""


def _neutral(node: Any, slots: list[_Slot]) -> Any:
    """Return ``node`` with the slots ``<0>``, ``<1>`` for classes and limited values, which are added to ``slots``."""
    if isinstance(node, list):
        return [_neutral(item, slots) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node or not ARGUMENTS.keys().isdisjoint(node):
        slot: _Slot = str(node["$ref"]).removeprefix(_REFERENCE) if "$ref" in node else node
        if slot not in slots:
            slots.append(slot)
        return {"$ref": f"<{slots.index(slot)}>"}
    return {key: value if key == "enum" else _neutral(value, slots) for key, value in node.items()}


def _generate(root: str, new: Mapping[str, Attribute], generate: Callable[[Shape], Annotations]) -> None:
    """Generate the annotations of ``new`` attributes as those of one class with the name ``root``."""
    slots: set[str] = set()
    attributes = []
    for number, attribute in enumerate(new.values()):
        name = f"a{number}"
        attributes.append(Attribute(name, name, _named(attribute.shape, root, slots), attribute.required))
    # All differ, so that the generator cannot merge them.
    classes = {slot: Class(slot, (Attribute(slot.lower(), "", {"type": "string"}, True),)) for slot in sorted(slots)}
    generated = generate(Shape(root, {**classes, root: Class(root, tuple(attributes))}))[root]
    slot = re.compile(rf"{_QUOTED}|\b{re.escape(root)}Slot(\d+)\b")
    for number, key in enumerate(new):
        ANSWERS[key] = slot.sub(lambda match: f"<{match[1]}>" if match[1] else match[0], generated[f"a{number}"])
        _CHECKED.add(key)


def _named(node: Any, root: str, slots: set[str]) -> Any:
    if isinstance(node, list):
        return [_named(item, root, slots) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        slots.add(name := f"{root}Slot{node['$ref'][1:-1]}")
        return {"$ref": _REFERENCE + name}
    return {key: value if key == "enum" else _named(value, root, slots) for key, value in node.items()}


def _filled(annotation: str, classes: list[str]) -> str:
    return _SLOT.sub(lambda match: classes[int(match[1])] if match[1] else match[0], annotation)


def in_order(shape: Shape) -> list[str]:
    """Return the classes, each after those that it uses; else by name, so that a new property moves no class.

    In a cycle of classes the first by name comes first.
    """
    uses = {
        name: set(_used([attribute.shape for attribute in class_.attributes])) for name, class_ in shape.classes.items()
    }
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
