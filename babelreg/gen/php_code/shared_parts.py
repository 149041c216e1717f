"""``Common/``: the classes of shared fragments, such as ``Common\\Money`` of ``_common/money.yaml``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from babelreg.gen.shared_classes import SharedClasses
from babelreg.model import Message, Registry
from babelreg.typemap.php.types import PhpClass, class_names, definition_of, shape_of, shared_classes
from babelreg.typemap.shapes import Class, Shape


class SharedParts:
    """The classes of the fragments that ``messages`` refer to."""

    def __init__(self, registry: Registry, messages: Sequence[Message]) -> None:
        self._strict = strict = registry.settings.compatibility.reader == "strict"

        def definition(schema: Any, reference: str) -> Mapping[str, Class]:
            return definition_of(schema, reference, strict=strict)

        self._classes = SharedClasses(messages, definition)
        self.digest_of = self._classes.digest_of

    @property
    def namespace(self) -> str:
        """The namespace of the classes, relative to that of the messages."""
        return self._classes.shape.root

    def shape_of(self, message: Message, name: str, *, strict: bool = False) -> Shape:
        """Return the object types of ``message``; the one of its data is called ``name``."""
        known = self._classes.known(message) if strict == self._strict else None
        return shape_of(message.schema, name, strict=strict, known=known)

    @cached_property
    def classes(self) -> list[PhpClass]:
        """The classes, with their properties."""
        return shared_classes(self._classes.shape)

    @cached_property
    def _names(self) -> Mapping[str, str]:
        return {name: f"{self.namespace}\\{spelled}" for name, spelled in class_names(self._classes.shape).items()}

    def of(self, data: Shape) -> Mapping[str, str]:
        """Return the classes of ``data``, that of a message, which are shared, each with its relative name."""
        return {name: self._names[name] for name in self._classes.of(data)}
