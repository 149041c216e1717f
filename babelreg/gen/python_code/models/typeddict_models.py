"""Typed dictionaries: the data as JSON has it, every key under its own name, and read-only to type checkers."""

from __future__ import annotations

import keyword
from collections.abc import Mapping

from babelreg.gen.python_code.layout import laid_out, text
from babelreg.gen.python_code.models.kind import (
    AttributeView,
    ClassView,
    attribute_view,
    described,
    from_import,
)
from babelreg.typemap.python.names import docstring, literal
from babelreg.typemap.python.shapes import Attribute, Class, Shape

__all__ = ["about", "absent", "caveat", "imports", "known", "narrowed", "output", "requires", "runtime", "view"]

output = "TypingTypedDict"
known = frozenset(["NotRequired"])
runtime = ("models/typeddict_base.py",)
requires = ("typing-extensions>=4.13",)
absent = None
about = "Data is a dictionary; ``key in data`` says whether a key that may be absent is there."
caveat = ""


def narrowed(shape: Shape) -> Shape:
    """``shape``: nothing has to be told apart, a dictionary stays what it is."""
    return shape


def view(found: Class, annotations: Mapping[str, str]) -> ClassView:
    """See :class:`Kind`. Keys that are no fit names stand in a class of their own, so that the others keep theirs."""
    lines, keyed = [], []
    for attribute in found.attributes:
        annotation = annotations[attribute.name]
        if _nameable(attribute):
            named = Attribute(attribute.wire, attribute.wire, {}, True, attribute.description, attribute.deprecated)
            lines.append(attribute_view(named, f"ReadOnly[{annotation}]"))
        else:
            key = text(attribute.wire, 8, 8)
            used = 8 + len(key.rpartition("\n")[2]) + 2
            keyed.append(AttributeView(key, laid_out(_quoted(annotation), 8, used, 1), "", None))
    name = f"_{found.name}Keys" if keyed else ""
    about_keys = [attribute for attribute in found.attributes if not _nameable(attribute) and described(attribute)]
    said = [found.description or "", *(f"{literal(one.wire)}: {described(one)}" for one in about_keys)]
    told = "\n\n".join(part for part in said if part)
    bases = name or "TypedDict"
    return ClassView(found.name, bases, docstring(told, "    ") if told else None, tuple(lines), tuple(keyed), name)


def _nameable(attribute: Attribute) -> bool:
    """True for a key that can stand in a class body and hides no type there."""
    key = attribute.wire
    if attribute.name == key:
        return True
    plain = key.isascii() and key.isidentifier() and not keyword.iskeyword(key) and not key.startswith("__")
    # Other kinds of model rename what hides a method, too; a dictionary's keys hide none.
    return plain and key not in _TYPES and not key[0].isupper()


_TYPES = frozenset(["bool", "float", "int", "str"])


def _quoted(annotation: str) -> str:
    """An annotation that is evaluated where it stands: classes further down are named in a string."""
    inner = annotation.removeprefix("NotRequired[")
    if inner == annotation:
        return f"ReadOnly[{literal(annotation)}]"
    return f"ReadOnly[NotRequired[{literal(inner[:-1])}]]"


def imports(used: frozenset[str]) -> tuple[list[str], list[str]]:
    """See :class:`Kind`."""
    elsewhere = from_import("collections.abc", used & {"Mapping", "Sequence"})
    elsewhere += from_import("typing", used & {"Any", "Literal", "NotRequired"})
    elsewhere += [""] * bool(elsewhere)
    elsewhere += from_import("typing_extensions", used & {"ReadOnly"} | {"TypedDict"})
    return elsewhere, from_import("._babelreg.runtime.models.typeddict_base", frozenset(["message"]))
