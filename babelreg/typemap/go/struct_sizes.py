"""The classes that Go holds by pointer: those that would contain themselves, and very large ones.

A struct contains the structs of its fields, so a few dozen classes that each have two fields of the next one would be
larger than the address space.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from babelreg.typemap.shapes import Shape

_LARGEST = 4096
"""In fields: a class with more, those of its classes included, is held by pointer."""


def pointed_to(data: Shape) -> frozenset[str]:
    """Return the classes that are held by pointer wherever another class has them in a field."""
    contents = {name: _contained(class_.attributes) for name, class_ in data.classes.items()}
    users: dict[str, list[str]] = {name: [] for name in contents}
    for name, used in contents.items():
        for other in used:
            users[other].append(name)
    waiting = {name: len(used) for name, used in contents.items()}
    ready = deque(name for name, number in waiting.items() if not number)
    sizes: dict[str, int] = {}
    while ready:
        name = ready.popleft()
        own = len(data.classes[name].attributes) + 1
        sizes[name] = own + sum(sizes[other] for other in contents[name] if sizes[other] <= _LARGEST)
        for user in users[name]:
            waiting[user] -= 1
            if not waiting[user]:
                ready.append(user)
    # What is left contains itself, or a class that does.
    return frozenset(name for name in contents if sizes.get(name, _LARGEST + 1) > _LARGEST)


def _contained(attributes: Any) -> list[str]:
    found = []
    for attribute in attributes:
        node: Mapping[str, Any] = attribute.shape
        options = [option for option in node.get("anyOf", [node]) if option.get("type") != "null"]
        if len(options) == 1 and "$ref" in options[0]:
            found.append(str(options[0]["$ref"]).rpartition("/")[2])
    return found
