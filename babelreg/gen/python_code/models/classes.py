"""The classes of one message: shapes with annotations by datamodel-code-generator.

The generator receives no text of the registry: attributes have neutral names, without descriptions and JSON names. Its
output is parsed, and only annotations of known names are accepted.
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
from babelreg.gen.python_code.line_wrapping import union_operands
from babelreg.gen.python_code.models import generator, pydantic_models
from babelreg.gen.python_code.models.generator import Annotations
from babelreg.gen.python_code.models.kind import ClassView, Kind
from babelreg.typemap.python.names import TYPED_FORMATS, literal
from babelreg.typemap.shapes import Class, Shape

_KNOWN = frozenset(
    ("Annotated", "Any", "Literal", "Mapping", "Sequence", "bool", "float", "int", "str", "None", "True", "False")
)


def models(shape: Shape, kind: Kind = pydantic_models) -> tuple[ClassView, ...]:
    """Return the classes of ``shape`` as models of ``kind``, each after those that it uses where possible.

    Raises BabelregError for unexpected output of the generator: an error instead of a wrong file.
    """
    by_class = generator.annotations_of(shape, kind.output, *_generator(kind))
    return tuple(kind.view(shape.classes[name], annotations) for name, annotations in by_class.items())


def prefetch(shapes: Iterable[Shape], kind: Kind) -> None:
    """Call the generator once for several messages. An error is raised again when its message is generated."""
    with suppress(BabelregError):
        generator.prefetch(list(shapes), kind.output, *_generator(kind))


def _generator(kind: Kind) -> tuple[Callable[[Shape], Annotations], Callable[[str], str]]:
    return (
        lambda shape: _parsed(_generate(shape, kind), shape, kind),
        lambda annotation: _source(_tree(annotation).body, _known(kind)),
    )


def names(views: tuple[ClassView, ...]) -> frozenset[str]:
    """Return the names that the lines of ``views`` use."""
    used: set[str] = set()
    for view in views:
        used |= _names(f"_({view.bases})") - {"_"}
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
        "use_generic_container_types": True,  # Sequence and Mapping: received data is read-only
        "use_standard_collections": True,
        "use_union_operator": True,
        "allow_remote_refs": False,
        "strict_refs": True,
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about classes that cannot decode data: our kinds handle that
            return str(generate(json.dumps(_schema(shape)), **options))
    except Exception as err:
        raise BabelregError(
            f"the model generator failed for {shape.root}: {type(err).__name__}: {str(err)[:200]}",
            fix="make the schema of this message simpler: fewer nested or alternative shapes",
        ) from err


def _schema(shape: Shape) -> dict[str, Any]:
    objects = {name: _object(class_, shape.root) for name, class_ in shape.classes.items()}
    # Our own names for typed formats: the generator would choose other types.
    objects |= {name: {"type": "object", "properties": {}} for name in TYPED_FORMATS.values()}
    return {**objects.pop(shape.root), "$defs": objects}


def _object(class_: Class, root: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {_neutral_name(n): _rooted(a.shape, root) for n, a in enumerate(class_.attributes)},
        "required": [_neutral_name(n) for n, attribute in enumerate(class_.attributes) if attribute.required],
    }


def _neutral_name(number: int) -> str:
    # The generator renames attributes that collide with its own names; it has none like this.
    return f"attribute_{number}_"


def _rooted(node: Any, root: str) -> Any:
    if isinstance(node, list):
        return [_rooted(item, root) for item in node]
    if not isinstance(node, dict):
        return node
    if node.get("$ref") == f"#/$defs/{root}":
        return {"$ref": "#"}
    if "format" in node:
        return {"$ref": f"#/$defs/{TYPED_FORMATS[node['type'], node['format']]}"}
    return {key: value if key == "enum" else _rooted(value, root) for key, value in node.items()}


def _parsed(text: str, shape: Shape, kind: Kind) -> dict[str, dict[str, str]]:
    by_class: dict[str, dict[str, str]] = {}
    known = _known(kind) | shape.classes.keys()
    for statement in ast.parse(text).body:
        if not isinstance(statement, ast.ClassDef) or statement.name in TYPED_FORMATS.values():
            continue
        if statement.name not in shape.classes:
            raise BabelregError(f"the model generator wrote other classes than {', '.join(shape.classes)}")
        lines = [line for line in statement.body if isinstance(line, ast.AnnAssign)]
        generated = {line.target.id: line.annotation for line in lines if isinstance(line.target, ast.Name)}
        names = {_neutral_name(n): attr.name for n, attr in enumerate(shape.classes[statement.name].attributes)}
        if generated.keys() != names.keys():
            raise BabelregError(f"the model generator wrote other attributes of {statement.name} than requested")
        by_class[statement.name] = {name: _source(generated[neutral], known) for neutral, name in names.items()}
    if by_class.keys() != shape.classes.keys():
        raise BabelregError(f"the model generator did not write all of {', '.join(shape.classes)}")
    return by_class


def _known(kind: Kind) -> frozenset[str]:
    return _KNOWN | kind.known | set(TYPED_FORMATS.values())


def _source(node: ast.expr, known: Set[str]) -> str:
    """Return ``node`` as source, with known names only, and every string escaped by us."""
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
            return " | ".join(_source(operand, known) for operand in union_operands(node))
        case ast.Subscript(value=value, slice=ast.Tuple(elts=elements)):
            return f"{_source(value, known)}[{', '.join(_source(element, known) for element in elements)}]"
        case ast.Subscript(value=value, slice=inner):
            return f"{_source(value, known)}[{_source(inner, known)}]"
    raise BabelregError(f"the model generator wrote an unexpected type: {ast.unparse(node)[:200]}")
