"""The classes of shared fragments: one class in a whole package for ``_common/money.yaml``, in a module of its own.

A message uses a class of that module where its own would be the same in every respect, those that it uses included.
That is not so where its context reads more strictly, or where a name is taken by another class of the message; then the
message has a class of its own. So the code of a message depends on its schema, which has the text of its fragments, and
on the classes of these fragments alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from babelreg.errors import SchemaError
from babelreg.gen.target import digest
from babelreg.model import Message
from babelreg.schema.dialects import Dialect, Reach, identify
from babelreg.schema.keywords import UNIONS
from babelreg.schema.local_references import fragment_steps
from babelreg.schema.pointer import text
from babelreg.schema.walk import walk
from babelreg.typemap.shapes import Class, Shape

_DEFINITIONS = "#/$defs/"
_ROOT = "Common"

Target = tuple[str, str]
"""The path of a fragment's file, and a JSON pointer into it."""


class SharedClasses:
    """The classes of the fragments that ``messages`` refer to.

    ``definition`` returns the class of a reference in a bundled schema, and those that it uses.
    """

    def __init__(self, messages: Sequence[Message], definition: Callable[[Any, str], Mapping[str, Class]]) -> None:
        self._definition = definition
        self._references = _FragmentReferences()
        self._classes: dict[str, Class] = {}
        self._of_target: dict[Target, Mapping[str, Class]] = {}
        self._targets = {message.urn: self._references.of(message) for message in messages}
        for target, (message, reference) in sorted(_users(messages, self._targets).items()):
            self._add(target, message, reference)

    @cached_property
    def shape(self) -> Shape:
        """All classes. The root is none of them."""
        return Shape(_ROOT, self._classes)

    @property
    def names(self) -> list[str]:
        """The names of the classes."""
        return list(self.shape.classes)

    def known(self, message: Message) -> Mapping[str, Mapping[str, Class]]:
        """Return the classes of the references of ``message`` to fragments, those that they use included."""
        references = self._targets[message.urn].items()
        return {reference: self._of_target[target] for target, reference in references if target in self._of_target}

    def digest_of(self, message: Message) -> str | None:
        """Return a digest of the classes that ``message`` may use; None where there is none."""
        of_targets = [self._of_target.get(target, {}) for target in sorted(self._targets[message.urn])]
        classes = {name: self.shape.classes.get(name) for names in of_targets for name in names}
        return digest(repr(sorted(classes.items()))) if classes else None

    def of(self, shape: Shape) -> frozenset[str]:
        """Return the names of the classes of ``shape``, that of a message, which are the shared ones."""
        mine = shape.classes
        same = {name for name, class_ in mine.items() if name != shape.root and self.shape.classes.get(name) == class_}
        while other := {name for name in same if not _uses(mine[name]) <= same}:
            same -= other
        return frozenset(same)

    def _add(self, target: Target, message: Message, reference: str) -> None:
        classes = self._definition(message.schema, reference)
        if all(self._classes.get(name, class_) == class_ for name, class_ in classes.items()):
            self._classes |= classes
            self._of_target[target] = classes


class _FragmentReferences:
    """The references of messages to fragments; each fragment is walked once."""

    def __init__(self) -> None:
        self._walked: dict[tuple[int, str], frozenset[str]] = {}

    def of(self, message: Message) -> Mapping[Target, str]:
        """Return the references that are the class of a value, by what they lead to."""
        if not message.origins or message.schema is None:
            return {}
        try:
            references = self._in(message.schema, message.origins)
        except SchemaError:  # reported where the contract is built
            return {}
        found = {}
        for reference in sorted(references):
            _, name, *inner = fragment_steps(reference)
            if (origin := message.origins.get(name)) is not None:
                found[origin.path, text(tuple(inner))] = reference
        return found

    def _in(self, schema: Mapping[str, Any], fragments: Iterable[str]) -> set[str]:
        dialect, definitions = identify(schema), schema["$defs"]
        own = {name: node for name, node in definitions.items() if name not in fragments}
        references = set(_references({**schema, "$defs": own}, dialect))
        for name in fragments:
            key = (id(definitions[name]), dialect.name)
            if key not in self._walked:
                self._walked[key] = frozenset(_references(definitions[name], dialect))
            references |= self._walked[key]
        return references


def _references(schema: Any, dialect: Dialect) -> Iterator[str]:
    for node in walk(schema, dialect):
        # Below other keywords a reference adds to another class.
        of_value = node.reach in (Reach.PROPERTY, Reach.ITEM) or node.keyword in UNIONS
        if of_value and isinstance(node.schema, dict):
            reference = node.schema.get("$ref")
            steps = fragment_steps(reference) if isinstance(reference, str) and reference.startswith("#") else ()
            if len(steps) > 1 and steps[0] == "$defs":
                yield str(reference)


def _users(
    messages: Iterable[Message], targets: Mapping[str, Mapping[Target, str]]
) -> dict[Target, tuple[Message, str]]:
    """Return for each target a message that refers to it, and its reference, with as short a name as there is."""
    users: dict[Target, tuple[Message, str]] = {}
    for message in messages:
        for target, reference in targets[message.urn].items():
            if target not in users or len(reference) < len(users[target][1]):
                users[target] = (message, reference)
    return users


def _uses(class_: Class) -> set[str]:
    return {name.removeprefix(_DEFINITIONS) for attribute in class_.attributes for name in _referred(attribute.shape)}


def _referred(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            yield from _referred(item)
    elif isinstance(node, dict):
        if "$ref" in node:
            yield str(node["$ref"])
        for key, value in node.items():
            if key != "enum":
                yield from _referred(value)
