"""The data models of one message: shapes, spelled by datamodel-code-generator, taken back as plain data.

The generator sees no text of the registry: attribute names are already final, descriptions and wire names stay
behind. What it writes is parsed again, and only class headers and annotations made of known names are taken over.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from babelreg.errors import BabelregError
from babelreg.typemap.python import Attribute, Class, Shape
from babelreg.typemap.python_names import docstring, literal

__all__ = ["AttributeView", "ClassView", "models", "names"]

_WIDTH = 100
_KNOWN = frozenset(
    ("Annotated", "Any", "Literal", "MISSING", "bool", "dict", "float", "int", "list", "str", "None", "True", "False")
)


@dataclass(frozen=True, slots=True)
class AttributeView:
    """One line of a class body. ``default`` is `` = MISSING`` for what may be absent, else empty."""

    name: str
    annotation: str
    default: str
    docstring: str | None


@dataclass(frozen=True, slots=True)
class ClassView:
    """One class as the template lays it out."""

    name: str
    docstring: str | None
    attributes: tuple[AttributeView, ...]


def models(shape: Shape) -> tuple[ClassView, ...]:
    """The classes of ``shape``, each after those that it uses where that is possible.

    Raises BabelregError where the generator's output is not what was asked for: a bug, never a wrong file.
    """
    written = _parsed(_generate(shape), shape)
    return tuple(_view(shape.classes[name], annotations) for name, annotations in written.items())


def names(views: tuple[ClassView, ...]) -> set[str]:
    """The names that the annotations of ``views`` use."""
    used = set()
    for view in views:
        for attribute in view.attributes:
            tree = ast.parse(attribute.annotation.strip(), mode="eval")
            used |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return used


def _generate(shape: Shape) -> str:
    from datamodel_code_generator import LiteralType, generate
    from datamodel_code_generator.enums import DataModelType, InputFileType, NamingStrategy
    from datamodel_code_generator.format import PythonVersion

    options: dict[str, Any] = {
        "input_file_type": InputFileType.JsonSchema,
        "class_name": shape.root,
        "output_model_type": DataModelType.PydanticV2BaseModel,
        "base_class": "babelreg.runtime.model.Model",
        "formatters": [],
        "disable_timestamp": True,
        "use_annotated": True,
        "enum_field_as_literal": LiteralType.All,
        "naming_strategy": NamingStrategy.FullPath,
        "target_python_version": PythonVersion.PY_311,
        "use_missing_sentinel": True,
        "use_standard_collections": True,
        "use_union_operator": True,
        "allow_remote_refs": False,
        "strict_refs": True,
    }
    try:
        return str(generate(json.dumps(_schema(shape)), **options))
    except Exception as err:
        raise BabelregError(
            f"the model generator cannot spell {shape.root}: {type(err).__name__}: {str(err)[:200]}",
            fix="make the schema of this message simpler: fewer nested or alternative shapes",
        ) from err


def _schema(shape: Shape) -> dict[str, Any]:
    objects = {name: _object(found, shape.root) for name, found in shape.classes.items()}
    return {**objects.pop(shape.root), "$defs": objects}


def _object(found: Class, root: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {attribute.name: _rooted(attribute.shape, root) for attribute in found.attributes},
        "required": [attribute.name for attribute in found.attributes if attribute.required],
    }


def _rooted(node: Any, root: str) -> Any:
    if isinstance(node, list):
        return [_rooted(item, root) for item in node]
    if not isinstance(node, dict):
        return node
    if node.get("$ref") == f"#/$defs/{root}":
        return {"$ref": "#"}
    return {key: value if key == "enum" else _rooted(value, root) for key, value in node.items()}


def _parsed(text: str, shape: Shape) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.ClassDef):
            lines = [line for line in statement.body if isinstance(line, ast.AnnAssign)]
            found[statement.name] = {
                line.target.id: _spelled(line.annotation, shape) for line in lines if isinstance(line.target, ast.Name)
            }
    for name, wanted in shape.classes.items():
        if set(found.get(name, ())) != {attribute.name for attribute in wanted.attributes}:
            raise BabelregError(f"the model generator did not write the attributes of {name} as asked")
    if set(found) != set(shape.classes):
        raise BabelregError(f"the model generator wrote other classes than {', '.join(shape.classes)}")
    return found


def _spelled(node: ast.expr, shape: Shape) -> str:
    """``node`` as source, of known names only, every string escaped by us."""
    match node:
        case ast.Name(id=name) if name in _KNOWN or name in shape.classes:
            return name
        case ast.Constant(value=str() as text):
            return literal(text)
        case ast.Constant(value=None | bool() | int() as value):
            return repr(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return f"-{value}"
        case ast.BinOp(op=ast.BitOr()):
            return " | ".join(_spelled(operand, shape) for operand in _operands(node))
        case ast.Subscript(value=value, slice=ast.Tuple(elts=elements)):
            return f"{_spelled(value, shape)}[{', '.join(_spelled(element, shape) for element in elements)}]"
        case ast.Subscript(value=value, slice=inner):
            return f"{_spelled(value, shape)}[{_spelled(inner, shape)}]"
    raise BabelregError(f"the model generator wrote a type that was not asked for: {ast.unparse(node)[:200]}")


def _operands(node: ast.expr) -> list[ast.expr]:
    """What ``a | b | c`` joins. A loop: Python nests it to the left, as deep as there are alternatives."""
    found: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        found.append(node.right)
        node = node.left
    return [node, *reversed(found)]


def _view(found: Class, annotations: Mapping[str, str]) -> ClassView:
    attributes = tuple(_attribute(attribute, annotations[attribute.name]) for attribute in found.attributes)
    text = docstring(found.description, "    ") if found.description else None
    return ClassView(found.name, text, attributes)


def _attribute(found: Attribute, annotation: str) -> AttributeView:
    if found.name != found.wire:
        annotation = f"Annotated[{annotation}, Field(alias={literal(found.wire)})]"
    default = "" if found.required else " = MISSING"
    if len(found.name) + len(annotation) + len(default) + 6 > _WIDTH:
        annotation = _broken(annotation)
    text = docstring(found.description, "    ") if found.description else None
    return AttributeView(found.name, annotation, default, text)


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
