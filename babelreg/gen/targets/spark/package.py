"""The files of a generated package of Spark schemas: its index, and per message a ``StructType`` and views."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

from babelreg.gen.python_code.line_wrapping import bracketed, text
from babelreg.gen.python_code.package_name import package_name
from babelreg.gen.render import render
from babelreg.gen.target import File, generated_messages, header
from babelreg.gen.targets.spark import pipelines
from babelreg.gen.targets.spark import views as spark_views
from babelreg.gen.targets.spark.options import PACKAGE
from babelreg.gen.targets.spark.view_expressions import ColumnTransform
from babelreg.model import Message, Registry
from babelreg.typemap import spark
from babelreg.typemap.names import visible
from babelreg.typemap.python.names import docstring, literal, module_name

__all__ = ["files"]

_IMPORTED = frozenset(["babelreg", "pyspark"])
_WIDTH = 88
_LONGEST = 120


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the package, file by file. Raises UsageError for an option with an invalid value."""
    package = package_name(PACKAGE.value(options, "spark"), "spark", PACKAGE.default, _IMPORTED)
    messages = list(generated_messages(registry))
    yield _index(package, messages)
    yield File(f"{package}/py.typed", "")
    yield spark_views.package(package, messages, options.get("left_out", {}))
    change = spark_views.change_of(options)
    yield from _job(package)
    yield from pipelines.project(package, messages, options)
    for message in messages:
        mapped = cache(partial(spark.mapped, message.schema or {}))
        module, line = _module_of(message), _header(message)
        yield File(f"{package}/{module}.py", partial(_module, message, mapped, line), line)
        views = spark_views.line_of(message, change)
        yield File(f"{package}/{module}.sql", partial(_views, message, mapped, change, views), views)


def _module_of(message: Message) -> str:
    assert message.parsed is not None  # generated_messages() yields no other
    return module_name(message.parsed)


def _index(package: str, messages: list[Message]) -> File:
    named = sorted((_module_of(message), message.urn) for message in messages)
    view = {
        "package": package,
        "header": header("spark", "the registry", named),
        "example": literal(named[0][1]) if named else None,
        "imports": [bracketed(f"from .{module} import ", [module.upper()], "") for module, _ in named],
        "entries": [f"{text(urn, 4, 4)}: {_value(urn, module.upper())}," for module, urn in named],
        "exports": sorted(literal(name) for name in ["SCHEMAS", *(module.upper() for module, _ in named)]),
    }
    return File(f"{package}/__init__.py", render("spark", "package.py.jinja", view))


def _value(urn: str, name: str) -> str:
    """Return ``name`` as the value of an entry, on its own line where it does not fit beside its key."""
    return name if len(urn) + len(name) + 9 <= _LONGEST else f"(\n        {name}\n    )"


def _module(message: Message, mapping: Callable[[], spark.Mapped], line: str) -> str:
    module = _module_of(message)
    mapped = mapping()
    struct = mapped.struct
    view = {
        "docstring": docstring(f"Spark columns for the data of {message.urn}.\n\n{_about(message)}"),
        "header": line,
        "imports": sorted(spark.classes(struct)),
        "name": module.upper(),
        "schema": spark.source(struct, 0, _WIDTH, len(f"{module.upper()}: Final = ")),
        "ddl": _ddl(struct),
        "notes": [
            line for note in mapped.notes for line in textwrap.wrap(_note(note), _LONGEST - 6, subsequent_indent="  ")
        ],
    }
    return render("spark", "message.py.jinja", view)


def _views(message: Message, mapping: Callable[[], spark.Mapped], change: ColumnTransform, line: str) -> str:
    return spark_views.statements(message, mapping().struct, change, line)


def _header(message: Message) -> str:
    return header("spark", message.source.path, message.schema, message.urn, message.description)


def _about(message: Message) -> str:
    return " ".join(visible(message.description or f"The data of {message.urn}.").split())


def _note(note: spark.Note) -> str:
    where = visible(note.path).replace("\n", " ") or "data"
    what = {"json-text": "holds JSON text", "no-column": "has no column", "guarded": "is typed", "ignored": ""}
    sentence = f"{where}: {what[note.what]}: {note.why}" if note.what != "ignored" else f"{note.pointer}: {note.why}"
    return " ".join(visible(sentence).split())


def _ddl(struct: spark.Struct) -> str:
    """Return the DDL text as a Python expression, one column a line, so that a new column changes no other line."""
    if not struct.fields:
        return literal("")
    columns = [spark.ddl(spark.Struct((column,)), comments=False) for column in struct.fields]
    lines = [_continued(literal(column)[1:-1]) for column in columns]
    return '"""\\\n' + ",\n".join(lines) + '"""'


def _continued(line: str) -> str:
    """Return ``line`` of a literal; a long one with continuation lines, so that a new member changes no other line.

    Lines end after commas, else at spaces, which no escape contains.
    """
    if len(line) <= _LONGEST:
        return line
    lines: list[str] = []
    for member in re.split("(?<=, )", line):
        words = [member] if len(member) < _LONGEST else re.split("(?<= )", member)
        lines.append("")
        for word in words:
            if lines[-1] and len(lines[-1]) + len(word) >= _LONGEST:
                lines.append("")
            lines[-1] += word
    return "\\\n".join(lines)


def _job(package: str) -> Iterator[File]:
    """Yield ``job.py``, the same for every registry: the registry is in the archive."""
    line = header("spark", "no registry in particular")
    yield File(f"{package}/job.py", partial(render, "spark_job", "job.py.jinja", {"header": line}), line)
