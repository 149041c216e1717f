"""``common.go``: the structs of shared fragments, such as ``Common_Money`` of ``_common/money.yaml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from babelreg.gen.render import render
from babelreg.gen.shared_classes import SharedClasses
from babelreg.gen.target import File, header
from babelreg.model import Message, Registry
from babelreg.typemap.go.names import comment
from babelreg.typemap.go.types import Declarations, declarations, definition_of, shape_of, struct_name
from babelreg.typemap.shapes import Class, Shape


class SharedStructs:
    """The structs of the fragments that ``messages`` refer to."""

    def __init__(self, registry: Registry, messages: Sequence[Message]) -> None:
        self._strict = strict = registry.settings.compatibility.reader == "strict"

        def definition(schema: Any, reference: str) -> Mapping[str, Class]:
            return definition_of(schema, reference, strict=strict)

        self._classes = SharedClasses(messages, definition)
        self.digest_of = self._classes.digest_of

    def shape_of(self, message: Message, name: str, *, strict: bool = False) -> Shape:
        """Return the object types of ``message``; the one of its data is called ``name``."""
        known = self._classes.known(message) if strict == self._strict else None
        return shape_of(message.schema, name, strict=strict, known=known)

    @cached_property
    def declarations(self) -> Declarations:
        """The structs, with the types of their fields."""
        return declarations(self._classes.shape)

    def of(self, data: Shape) -> Mapping[str, str]:
        """Return the classes of ``data``, that of a message, which are shared, each with the name of its struct."""
        return {name: struct_name(self._classes.shape.root, name) for name in self._classes.of(data)}

    def files(self, package: str) -> Iterator[File]:
        """Yield the file of the structs, if there are any."""
        if not self._classes.names:
            return
        line = header("go", "_common", package, repr(sorted(self._classes.shape.classes.items())), sign="//")

        def make() -> str:
            found = self.declarations
            structs = [
                (struct, comment([f"{struct.name} is a part of the data of messages.", struct.description]))
                for struct in found.structs
            ]
            view = {
                "header": line,
                "package": package,
                "structs": structs,
                "enums": found.enums,
                "unions": found.unions,
            }
            return render("go", "common.go.jinja", view).rstrip("\n") + "\n"

        yield File(f"{package}/common.go", make, line)
