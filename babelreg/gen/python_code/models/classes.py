"""The data models of one message: shapes, spelled by datamodel-code-generator, taken back as plain data.

The generator sees no text of the registry: attributes have stand-ins, descriptions and wire names stay behind.
What it writes is parsed again, and only class names and annotations made of known names are taken over.
"""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Callable, Iterable, Set
from contextlib import suppress
from functools import lru_cache
from typing import Any

from babelreg.errors import BabelregError
from babelreg.gen.python_code.models import generator, pydantic_models
from babelreg.gen.python_code.models.generator import Annotations
from babelreg.gen.python_code.models.kind import ClassView, Kind
from babelreg.typemap.python.names import RICH, literal
from babelreg.typemap.python.shapes import Class, Shape

__all__ = ["learn", "models", "names"]

_KNOWN = frozenset(
    ("Annotated", "Any", "Literal", "Mapping", "Sequence", "bool", "float", "int", "str", "None", "True", "False")
)


def models(shape: Shape, kind: Kind = pydantic_models) -> tuple[ClassView, ...]:
    """The classes of ``shape`` as models of ``kind``, each after those that it uses where that is possible.

    Raises BabelregError where the generator's output is not what was asked for: a bug, never a wrong file.
    """
    narrowed = kind.narrowed(shape)
    written = generator.spelled(narrowed, kind.output, *_asking(kind))
    return tuple(kind.view(narrowed.classes[name], annotations) for name, annotations in written.items())


def learn(shapes: Iterable[Shape], kind: Kind) -> None:
    """Ask for what is new in several messages at once. What is wrong with one of them is said when it is made."""
    with suppress(BabelregError):
        generator.learn([kind.narrowed(shape) for shape in shapes], kind.output, *_asking(kind))


def _asking(kind: Kind) -> tuple[Callable[[Shape], Annotations], Callable[[str], str]]:
    return (
        lambda asked: _parsed(_generate(asked, kind), asked, kind),
        lambda annotation: _spelled(_tree(annotation).body, _known(kind)),
    )


def names(views: tuple[ClassView, ...]) -> frozenset[str]:
    """The names that the lines of ``views`` use."""
    used: set[str] = set()
    for view in views:
        for attribute in view.attributes:
            used |= _names(attribute.annotation) | _names(attribute.default.removeprefix(" = "))
        for attribute in view.keyed:
            quoted = [node.value for node in ast.walk(_tree(attribute.annotation)) if isinstance(node, ast.Constant)]
            used |= _names(attribute.annotation).union(*(_names(text) for text in quoted if isinstance(text, str)))
    return frozenset(used)


@lru_cache(4096)
def _names(expression: str) -> frozenset[str]:
    nodes = ast.walk(_tree(expression)) if expression else ()
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name))


def _tree(expression: str) -> ast.Expression:
    return ast.parse(expression.strip(), mode="eval")


def _generate(shape: Shape, kind: Kind) -> str:
    from datamodel_code_generator import LiteralType, generate
    from datamodel_code_generator.enums import DataModelType, InputFileType, NamingStrategy
    from datamodel_code_generator.format import PythonVersion

    options: dict[str, Any] = {
        "input_file_type": InputFileType.JsonSchema,
        "class_name": shape.root,
        "output_model_type": DataModelType[kind.output],
        "formatters": [],
        "disable_timestamp": True,
        "use_annotated": True,
        "enum_field_as_literal": LiteralType.All,
        "naming_strategy": NamingStrategy.FullPath,
        "target_python_version": PythonVersion.PY_311,
        "use_missing_sentinel": "MISSING" in kind.known,
        "use_generic_container_types": True,  # Sequence and Mapping: what was received is not to be changed
        "use_standard_collections": True,
        "use_union_operator": True,
        "allow_remote_refs": False,
        "strict_refs": True,
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what the classes could not decode: kinds see to that themselves
            return str(generate(json.dumps(_schema(shape)), **options))
    except Exception as err:
        raise BabelregError(
            f"the model generator cannot spell {shape.root}: {type(err).__name__}: {str(err)[:200]}",
            fix="make the schema of this message simpler: fewer nested or alternative shapes",
        ) from err


def _schema(shape: Shape) -> dict[str, Any]:
    objects = {name: _object(found, shape.root) for name, found in shape.classes.items()}
    # Our own names for rich types: the generator's choice of types for formats is not ours.
    objects |= {name: {"type": "object", "properties": {}} for name in RICH.values()}
    return {**objects.pop(shape.root), "$defs": objects}


def _object(found: Class, root: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {_stand_in(n): _rooted(one.shape, root) for n, one in enumerate(found.attributes)},
        "required": [_stand_in(n) for n, one in enumerate(found.attributes) if one.required],
    }


def _stand_in(number: int) -> str:
    # The generator renames what it takes for a name of its own; it has none like this.
    return f"attribute_{number}_"


def _rooted(node: Any, root: str) -> Any:
    if isinstance(node, list):
        return [_rooted(item, root) for item in node]
    if not isinstance(node, dict):
        return node
    if node.get("$ref") == f"#/$defs/{root}":
        return {"$ref": "#"}
    if "format" in node:
        return {"$ref": f"#/$defs/{RICH[node['type'], node['format']]}"}
    return {key: value if key == "enum" else _rooted(value, root) for key, value in node.items()}


def _parsed(text: str, shape: Shape, kind: Kind) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    known = _known(kind) | shape.classes.keys()
    for statement in ast.parse(text).body:
        if not isinstance(statement, ast.ClassDef) or statement.name in RICH.values():
            continue
        if statement.name not in shape.classes:
            raise BabelregError(f"the model generator wrote other classes than {', '.join(shape.classes)}")
        lines = [line for line in statement.body if isinstance(line, ast.AnnAssign)]
        spelled = {line.target.id: line.annotation for line in lines if isinstance(line.target, ast.Name)}
        wanted = {_stand_in(n): one.name for n, one in enumerate(shape.classes[statement.name].attributes)}
        if spelled.keys() != wanted.keys():
            raise BabelregError(f"the model generator did not write the attributes of {statement.name} as asked")
        found[statement.name] = {name: _spelled(spelled[stand_in], known) for stand_in, name in wanted.items()}
    if found.keys() != shape.classes.keys():
        raise BabelregError(f"the model generator did not write all of {', '.join(shape.classes)}")
    return found


def _known(kind: Kind) -> frozenset[str]:
    return _KNOWN | kind.known | set(RICH.values())


def _spelled(node: ast.expr, known: Set[str]) -> str:
    """``node`` as source, of known names only, every string escaped by us."""
    match node:
        case ast.Name(id=name) if name in known:
            return name
        case ast.Constant(value=str() as text):
            return literal(text)
        case ast.Constant(value=None | bool() | int() as value):
            return repr(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return f"-{value}"
        case ast.BinOp(op=ast.BitOr()):
            return " | ".join(_spelled(operand, known) for operand in _operands(node))
        case ast.Subscript(value=value, slice=ast.Tuple(elts=elements)):
            return f"{_spelled(value, known)}[{', '.join(_spelled(element, known) for element in elements)}]"
        case ast.Subscript(value=value, slice=inner):
            return f"{_spelled(value, known)}[{_spelled(inner, known)}]"
    raise BabelregError(f"the model generator wrote a type that was not asked for: {ast.unparse(node)[:200]}")


def _operands(node: ast.expr) -> list[ast.expr]:
    """What ``a | b | c`` joins. A loop: Python nests it to the left, as deep as there are alternatives."""
    found: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        found.append(node.right)
        node = node.left
    return [node, *reversed(found)]
