"""Models of pydantic v2: frozen and lossless; they keep undeclared properties in ``model_extra``."""

from __future__ import annotations

from collections.abc import Mapping

from babelreg.gen.python_code.models.kind import ClassView, attribute_view, from_import
from babelreg.typemap.python.names import docstring, literal
from babelreg.typemap.python.shapes import Class, Shape

__all__ = ["about", "absent", "caveat", "imports", "known", "narrowed", "output", "requires", "runtime", "view"]

output = "PydanticV2BaseModel"
known = frozenset(["MISSING"])
runtime = ("models/pydantic_base.py", "models/typed_formats.py")
requires = ("pydantic>=2.14,<3",)
absent = ("._babelreg.runtime.models.pydantic_base", "MISSING")
about = "A property that was not sent is ``MISSING``, which is false: ``if order.email:``."
caveat = ""


def narrowed(shape: Shape) -> Shape:
    """Return ``shape``: pydantic distinguishes the members of all unions."""
    return shape


def view(class_: Class, annotations: Mapping[str, str]) -> ClassView:
    """See :class:`Kind`."""
    lines = []
    for attribute in class_.attributes:
        annotation = annotations[attribute.name]
        if annotation.endswith(" | MISSING"):
            annotation = f"{annotation.removesuffix('MISSING')}Missing"  # the type of our own, which is false
        if attribute.name != attribute.wire:
            annotation = f"Annotated[{annotation}, Field(alias={literal(attribute.wire)})]"
        lines.append(attribute_view(attribute, annotation, "" if attribute.required else " = MISSING"))
    text = docstring(class_.description, "    ") if class_.description else None
    # frozen=True in every class: type checkers do not inherit it.
    base = "OpenModel" if class_.open else "Model"
    return ClassView(class_.name, f"{base}, frozen=True", text, tuple(lines))


_TYPED_NAMES = frozenset(["Date", "DateTime", "DecimalNumber", "DecimalText", "Uuid"])


def imports(used: frozenset[str]) -> tuple[list[str], list[str]]:
    """See :class:`Kind`."""
    elsewhere = from_import("typing", used & {"Annotated", "Any", "Literal"})
    fields = from_import("pydantic", used & {"Field"})
    elsewhere += [""] * bool(elsewhere and fields) + fields
    names = used & {"MISSING", "Mapping", "Missing", "Model", "OpenModel", "Sequence"} | {"message"}
    own = from_import("._babelreg.runtime.models.pydantic_base", names)
    return elsewhere, own + from_import("._babelreg.runtime.models.typed_formats", used & _TYPED_NAMES)
