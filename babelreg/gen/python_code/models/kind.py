"""What a kind of model is, and a module's classes as its templates lay them out.

A kind is a module of ``gen/targets/`` that satisfies :class:`Kind`; its name is its key in ``python_kinds.KINDS``.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from babelreg.gen.python_code.layout import LONGEST, bracketed, laid_out
from babelreg.typemap.python.names import docstring
from babelreg.typemap.python.shapes import Attribute, Class, Shape

__all__ = ["AttributeView", "ClassView", "Kind", "attribute_view", "described", "from_import"]

_WIDTH = 100


@dataclass(frozen=True, slots=True)
class AttributeView:
    """One line of a class body. ``default`` is what follows the annotation, such as `` = MISSING``, or empty."""

    name: str
    annotation: str
    default: str
    docstring: str | None


@dataclass(frozen=True, slots=True)
class ClassView:
    """One class as the template lays it out: ``class name(bases)``.

    ``keyed`` are attributes that no class body can name, by their key as a literal: they make a class of their own
    that is the first of the bases, called ``keyed_name``.
    """

    name: str
    bases: str
    docstring: str | None
    attributes: tuple[AttributeView, ...]
    keyed: tuple[AttributeView, ...] = ()
    keyed_name: str = ""

    @property
    def head(self) -> str:
        """The line that opens the class, or lines where it would be too long."""
        return bracketed(f"class {self.name}(", [self.bases], "):")


class Kind(Protocol):
    """How shapes become classes of one library.

    ``output`` is the generator's name for it; ``known`` the names its annotations may use, beside Python's own.
    ``runtime`` are the files of ``runtime/`` that only it needs; ``requires`` what to install for it, as pip takes it.
    ``absent`` is the value of a property that is not there, as (module, name); ``about`` says so in a sentence.
    ``caveat`` is what every class of data says where it does not keep all of it.
    """

    @property
    def output(self) -> str: ...

    @property
    def known(self) -> frozenset[str]: ...

    @property
    def runtime(self) -> tuple[str, ...]: ...

    @property
    def requires(self) -> tuple[str, ...]: ...

    @property
    def absent(self) -> tuple[str, str] | None: ...

    @property
    def about(self) -> str: ...

    @property
    def caveat(self) -> str: ...

    def narrowed(self, shape: Shape, /) -> Shape:
        """``shape`` without what the library cannot tell apart: that is spelled wider."""
        ...

    def view(self, found: Class, annotations: Mapping[str, str], /) -> ClassView:
        """One class, its annotations as the generator spells them."""
        ...

    def imports(self, used: frozenset[str], /) -> tuple[list[str], list[str]]:
        """Import lines for the names ``used``: those from elsewhere, then those from the package itself."""
        ...


def attribute_view(found: Attribute, annotation: str, default: str = "") -> AttributeView:
    """One attribute, broken into lines where it is too long for one."""
    line = f"    {found.name}: {annotation}{default}"
    if len(line) > _WIDTH:
        flat, annotation = annotation, _broken(annotation)
        line = f"    {found.name}: {annotation}{default}"
        if max(map(len, line.split("\n"))) > LONGEST:
            annotation = laid_out(flat, 4, 4 + len(found.name) + 2, len(default))
            line = f"    {found.name}: {annotation}{default}"
    if default and max(map(len, line.split("\n"))) > LONGEST:
        default = f" = {laid_out(default.removeprefix(' = '), 4, LONGEST)}"
    text = described(found)
    return AttributeView(found.name, annotation, default, docstring(text, "    ") if text else None)


def described(found: Attribute) -> str | None:
    """What to say of an attribute: its description, and first of all that it is deprecated."""
    if not found.deprecated:
        return found.description
    return f"Deprecated. {found.description}" if found.description else "Deprecated."


def from_import(module: str, names: frozenset[str]) -> list[str]:
    """The line that imports ``names``, constants first; none where there are none."""
    ordered = sorted(names, key=lambda name: (not name.isupper(), name[0].islower(), name))
    return [bracketed(f"from {module} import ", ordered, "")] if ordered else []


def _broken(annotation: str) -> str:
    """A long ``Literal[...]`` with one value a line; anything else as it is."""
    for node in ast.walk(ast.parse(annotation, mode="eval")):
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
            if not isinstance(node.slice, ast.Tuple) or node.end_col_offset is None:
                return annotation
            encoded = annotation.encode()
            values = [encoded[one.col_offset : one.end_col_offset].decode() for one in node.slice.elts]
            before, after = encoded[: node.col_offset].decode(), encoded[node.end_col_offset :].decode()
            lines = "".join(f"        {value},\n" for value in values)
            return f"{before}Literal[\n{lines}    ]{after}"
    return annotation
