"""The interface of kinds of models, and the classes of a module as its template lays them out.

A kind is a module of this package that satisfies :class:`Kind`; its name is its key in ``kinds.KINDS``.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from babelreg.gen.python_code.line_wrapping import LONGEST, bracketed, laid_out
from babelreg.typemap.python.names import docstring
from babelreg.typemap.shapes import Attribute, Class

_WIDTH = 100
IMPORT_WIDTH = 88
"""The width of imports: that of ruff and black, which lay them out anew."""


@dataclass(frozen=True, slots=True)
class AttributeView:
    """One line of a class body. ``default`` follows the annotation, such as `` = MISSING``, or is empty."""

    name: str
    annotation: str
    default: str
    docstring: str | None


@dataclass(frozen=True, slots=True)
class ClassView:
    """One class as the template lays it out: ``class name(bases)``.

    ``keyed`` are attributes whose names are not identifiers, by their key as a literal: they are declared in a class of
    their own, ``keyed_name``, which is the first of the bases.
    """

    name: str
    bases: str
    docstring: str | None
    attributes: tuple[AttributeView, ...]
    keyed: tuple[AttributeView, ...] = ()
    keyed_name: str = ""

    @property
    def head(self) -> str:
        """The ``class`` line, or several lines where it would be too long."""
        return bracketed(f"class {self.name}(", [self.bases], "):")


class Imports(NamedTuple):
    """The imports of a module: lines for the standard library and for libraries, and names by module of the runtime."""

    standard: list[str]
    libraries: list[str]
    runtime: dict[str, frozenset[str]]


class Kind(Protocol):
    """A kind of model: shapes as classes of one library.

    ``output`` is the generator's name for it; ``known`` are the names that its annotations may use, besides Python's.
    ``runtime`` are the files of ``runtime/`` that only it needs. ``absent`` is the value of an absent property, as
    (module, name), where a module of the runtime starts with ``runtime.``, and the name of its type if users need it;
    ``about`` explains it in a sentence.
    ``limited`` is True where annotations state limits.
    """

    @property
    def output(self) -> str: ...

    @property
    def known(self) -> frozenset[str]: ...

    @property
    def runtime(self) -> tuple[str, ...]: ...

    @property
    def absent(self) -> tuple[str, ...] | None: ...

    @property
    def about(self) -> str: ...

    @property
    def limited(self) -> bool: ...

    def view(self, class_: Class, annotations: Mapping[str, str], /) -> ClassView:
        """Return one class with the annotations of the generator."""
        ...

    def imports(self, used: frozenset[str], /) -> Imports:
        """Return the imports of the names ``used``."""
        ...


def attribute_view(attribute: Attribute, annotation: str, default: str = "") -> AttributeView:
    """Return one attribute, on several lines where it is too long for one."""
    line = f"    {attribute.name}: {annotation}{default}"
    if len(line) > _WIDTH:
        flat, annotation = annotation, _broken(annotation)
        line = f"    {attribute.name}: {annotation}{default}"
        if max(map(len, line.split("\n"))) > LONGEST:
            annotation = laid_out(flat, 4, 4 + len(attribute.name) + 2, len(default))
            line = f"    {attribute.name}: {annotation}{default}"
    if default and max(map(len, line.split("\n"))) > LONGEST:
        default = f" = {laid_out(default.removeprefix(' = '), 4, LONGEST)}"
    text = described(attribute)
    return AttributeView(attribute.name, annotation, default, docstring(text, "    ") if text else None)


def described(attribute: Attribute) -> str | None:
    """Return the docstring of an attribute: its description, after "Deprecated." where it is, and its limits."""
    description = attribute.description
    if description and attribute.limits and not description.endswith((".", "!", "?", ":")):
        description += "."
    parts = ["Deprecated." if attribute.deprecated else None, description, attribute.limits]
    return " ".join(part for part in parts if part) or None


def from_import(module: str, names: frozenset[str]) -> list[str]:
    """Return the line that imports ``names``, constants first; no line without names."""
    ordered = sorted(names, key=lambda name: (not name.isupper(), name[0].islower(), name))
    return [bracketed(f"from {module} import ", ordered, "", IMPORT_WIDTH)] if ordered else []


def _broken(annotation: str) -> str:
    """Return a long ``Literal[...]`` with one value a line; other annotations unchanged."""
    for node in ast.walk(ast.parse(annotation, mode="eval")):
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
            if not isinstance(node.slice, ast.Tuple) or node.end_col_offset is None:
                return annotation
            encoded = annotation.encode()
            values = [encoded[value.col_offset : value.end_col_offset].decode() for value in node.slice.elts]
            before, after = encoded[: node.col_offset].decode(), encoded[node.end_col_offset :].decode()
            lines = "".join(f"        {value},\n" for value in values)
            return f"{before}Literal[\n{lines}    ]{after}"
    return annotation
