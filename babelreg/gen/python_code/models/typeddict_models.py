"""Models as typed dictionaries: plain JSON values under their JSON names, read-only for type checkers."""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from dataclasses import replace

from babelreg.gen.python_code.line_wrapping import laid_out, text
from babelreg.gen.python_code.models.kind import (
    AttributeView,
    ClassView,
    Imports,
    attribute_view,
    described,
    from_import,
)
from babelreg.typemap.python.names import docstring, literal
from babelreg.typemap.shapes import Attribute, Class

output = "TypingTypedDict"
known = frozenset(["NotRequired"])
runtime = ("models/typeddict_base.py",)
absent = None
about = "Data is a dictionary; ``key in data`` says whether a key that may be absent is there."
limited = False


def view(class_: Class, annotations: Mapping[str, str]) -> ClassView:
    """See :class:`Kind`. Keys that are not identifiers are declared in a separate class, so that others keep theirs."""
    lines, keyed = [], []
    for attribute in class_.attributes:
        annotation = annotations[attribute.name]
        if _nameable(attribute):
            named = replace(attribute, name=attribute.wire, shape={}, required=True)
            lines.append(attribute_view(named, f"ReadOnly[{annotation}]"))
        else:
            key = text(attribute.wire, 8, 8)
            used = 8 + len(key.rpartition("\n")[2]) + 2
            keyed.append(AttributeView(key, laid_out(_quoted(annotation), 8, used, 1), "", None))
    name = f"_{class_.name}Keys" if keyed else ""
    keys = [attribute for attribute in class_.attributes if not _nameable(attribute) and described(attribute)]
    paragraphs = [class_.description or "", *(f"{literal(key.wire)}: {described(key)}" for key in keys)]
    text_ = "\n\n".join(paragraph for paragraph in paragraphs if paragraph)
    bases = name or "TypedDict"
    return ClassView(class_.name, bases, docstring(text_, "    ") if text_ else None, tuple(lines), tuple(keyed), name)


def _nameable(attribute: Attribute) -> bool:
    """Return True for a key that can be declared in a class body without hiding a type."""
    key = attribute.wire
    if attribute.name == key:
        return True
    plain = key.isascii() and key.isidentifier() and not keyword.iskeyword(key) and not key.startswith("__")
    # Other kinds also rename keys that hide a method; the keys of a dictionary hide none.
    return plain and key not in _TYPES and not key[0].isupper()


_TYPES = frozenset(["bool", "float", "int", "str"])


def _quoted(annotation: str) -> str:
    """Return an annotation that is evaluated at once: in quotes, because its classes may follow later."""
    inner = annotation.removeprefix("NotRequired[")
    if inner == annotation:
        return f"ReadOnly[{literal(annotation)}]"
    return f"ReadOnly[NotRequired[{literal(inner[:-1])}]]"


def imports(used: frozenset[str]) -> Imports:
    standard = from_import("collections.abc", used & {"Mapping", "Sequence"})
    standard += from_import("typing", used & {"Any", "Literal", "NotRequired"})
    libraries = from_import("typing_extensions", used & {"ReadOnly"} | {"TypedDict"})
    return Imports(standard, libraries, {"runtime.models.typeddict_base": frozenset(["message"])})
