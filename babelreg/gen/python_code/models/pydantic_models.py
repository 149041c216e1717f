"""Models of pydantic v2: frozen and lossless; they keep undeclared properties in ``model_extra``."""

from __future__ import annotations

from collections.abc import Mapping

from babelreg.gen.python_code.models.kind import ClassView, Imports, attribute_view, from_import
from babelreg.typemap.python.names import docstring, literal
from babelreg.typemap.shapes import Class

output = "PydanticV2BaseModel"
known = frozenset(["MISSING"])
runtime = ("models/pydantic_base.py", "models/typed_formats.py")
absent = ("runtime.models.pydantic_base", "MISSING", "Missing")
about = "A property that was not sent is ``MISSING``, which is false: ``if order.email:``."
limited = True


def view(class_: Class, annotations: Mapping[str, str]) -> ClassView:
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


def imports(used: frozenset[str]) -> Imports:
    standard = from_import("typing", used & {"Annotated", "Any", "Literal"})
    libraries = from_import("pydantic", used & {"Field"})
    names = used & {"MISSING", "Mapping", "Missing", "Model", "OpenModel", "Sequence"} | {"message"}
    own = {"runtime.models.pydantic_base": names, "runtime.models.typed_formats": used & _TYPED_NAMES}
    return Imports(standard, libraries, own)
