"""Views of the tables that ``babelreg lake ingest`` writes: flat, and a second time without personal data.

orders_created__rows      the rows as stored in parquet
orders_created            a column for each property: data.total.minor is total_minor
orders_created__masked    the same columns; those marked x-gdpr-sensitive are null, and data_json is omitted

The input is the struct of the columns with the annotations of personal data and units; the output is SQL, and Python
that runs it. No message is called ``…__masked``: module names never have two underscores in a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from babelreg.errors import UsageError
from babelreg.gen.python_code.line_wrapping import item
from babelreg.gen.render import render
from babelreg.gen.target import File, header
from babelreg.gen.targets.spark.options import MASK, VARIANT
from babelreg.gen.targets.spark.view_columns import names
from babelreg.gen.targets.spark.view_expressions import KEY, ColumnTransform, Members
from babelreg.model import Message
from babelreg.schema.annotations import Annotation, annotated
from babelreg.typemap import spark
from babelreg.typemap.names import visible
from babelreg.typemap.python.names import literal, module_name

_MARK, _UNIT = "x-gdpr-sensitive", "x-unit"
_AROUND = tuple(column.name for column in spark.ENVELOPE)
_INSTANTS = {
    "epoch-s": ("timestamp_seconds", 1),
    "epoch-ms": ("timestamp_millis", 1_000),
    "epoch-us": ("timestamp_micros", 1_000_000),
}
"""``{x-unit: (SQL function that returns the instant, units per second)}`` for integers."""
_YEAR_1, _YEAR_10000 = -62_135_596_800, 253_402_300_800


@dataclass(frozen=True, slots=True)
class _Flat:
    """A column of ``data`` that is not a struct, with its annotations."""

    path: tuple[str, ...]
    type: spark.SparkType
    marks: list[Annotation]
    units: list[Annotation]


def change_of(options: Mapping[str, Any]) -> ColumnTransform:
    """Return the transformation that the settings require. Raises UsageError for invalid settings."""
    variant, masks = VARIANT.value(options, "spark"), MASK.value(options, "spark")
    if not isinstance(masks, Mapping) or not all(action in ("hash", None) for action in masks.values()):
        raise UsageError(
            "gen.spark.mask maps categories to the treatment of marked text: hash or null",
            fix="mask: {email: hash, address: null}",
        )
    return ColumnTransform(variant, {str(category): action for category, action in masks.items() if action})


def line_of(message: Message, change: ColumnTransform) -> str:
    """Return the header of the message's SQL."""
    inputs = message.schema, message.urn, message.description, change.variant, dict(change.masks)
    aliased = ["aliases"] if message.aliases else []
    return header("spark", message.source.path, *inputs, *aliased, sign="--")


def statements(message: Message, struct: spark.Struct, change: ColumnTransform, line: str) -> str:
    """Return the text of the message's SQL."""
    assert message.parsed is not None  # guaranteed by generated_messages()
    name, about = module_name(message.parsed), comment(message)
    aliased = bool(message.aliases)
    around = (*_AROUND, spark.SENT_URN.name) if aliased else _AROUND
    plain, masked = select_lists(message, struct, change, around)
    view = {
        "header": line,
        "notes": _notes(masked, followed=annotated(message.schema, _MARK) is not None),
        "name": name,
        "stored": spark.layout(spark.table(struct, aliased=aliased)),
        "views": [
            {"name": name, "comment": spark.string(about), "columns": plain},
            {"name": f"{name}__masked", "comment": spark.string(f"{about} No personal data."), "columns": masked},
        ],
    }
    return render("spark", "message.sql.jinja", view)


def comment(message: Message) -> str:
    """Return the comment of the message's view, in one line."""
    return " ".join(visible(message.description or f"The data of {message.urn}.").split())


def select_lists(
    message: Message,
    struct: spark.Struct,
    change: ColumnTransform,
    around: Sequence[str] = _AROUND,
) -> tuple[list[str], list[str]]:
    """Return the columns of the flat view and of the masked one; ``around`` are those of the rows besides the data."""
    flat = list(_flattened(struct, (), personal_data(message), _active(annotated(message.schema, _UNIT))))
    return _columns(flat, change, around, masked=False), _columns(flat, change, around, masked=True)


def personal_data(message: Message) -> list[Annotation]:
    """Return the annotations of personal data; all data of a schema that cannot be followed is marked."""
    return _active(annotated(message.schema, _MARK), unknown=True)


def package(folder: str, messages: Sequence[Message], left_out: Mapping[str, str]) -> File:
    """Return ``views.py``, which runs those statements. ``left_out``: ``{URN: reason}`` of messages without views."""
    named = sorted((module_name(message.parsed), message.urn) for message in messages if message.parsed)
    aliased = sorted(message.urn for message in messages if message.aliases)
    view = {
        "package": folder,
        "header": header("spark", "the registry", named, sorted(left_out.items()), *([aliased] if aliased else [])),
        "aliased": [literal(urn) for urn in aliased],
        "around": spark.source(spark.Struct((*spark.ENVELOPE, spark.DATA_JSON)), 0, 88, len("_AROUND: Final = ")),
        "example": named[0][0] if named else None,
        "entries": [item(urn, name) for name, urn in named],
        "left_out": [item(urn, reason) for urn, reason in sorted(left_out.items())],
    }
    return File(f"{folder}/views.py", render("spark", "views.py.jinja", view))


def _notes(masked: Sequence[str], *, followed: bool) -> list[str]:
    notes = []
    if not followed:
        notes.append("The schema cannot be followed to its end, so any column of data may hold personal data.")
    if any(KEY in column for column in masked):
        notes.append("Digests need a secret: SET babelreg.mask_key='a secret';")
    return notes


def _columns(flat: Sequence[_Flat], change: ColumnTransform, around: Sequence[str], *, masked: bool) -> list[str]:
    """Return the select list of a view. Spark copies the comments of the columns from the rows."""
    instants = [column for column in flat if _instant(column)]
    paths = [column.path for column in flat] + [
        (*column.path[:-1], f"{column.path[-1]}_timestamp") for column in instants
    ]
    named = names(paths, [*around, spark.DATA_JSON.name])
    after: dict[tuple[str, ...], str] = {}
    for column, name in zip(instants, named[len(flat) :], strict=True):
        hidden = masked and column.marks
        after[column.path] = _selected(name, "CAST(NULL AS TIMESTAMP)" if hidden else _instant(column) or "")
    selected = list(map(spark.name, around))
    for column, name in zip(flat, named, strict=False):
        selected.append(
            _selected(name, change.expression(column.type, _source(column.path), column.marks if masked else ()))
        )
        if column.path in after:
            selected.append(after[column.path])
    return selected if masked else [*selected, spark.name(spark.DATA_JSON.name)]


def _selected(name: str, shown: str) -> str:
    spelled = spark.name(name)
    return shown if shown == f"data.{spelled}" else f"{shown} AS {spelled}"


def _source(path: Sequence[str]) -> str:
    return ".".join(["data", *map(spark.name, path)])


def _active(annotations: Sequence[Annotation] | None, *, unknown: bool = False) -> list[Annotation]:
    """Return the annotations that are neither null nor false.

    ``unknown`` marks all data of a schema that cannot be followed.
    """
    if annotations is None:
        return [Annotation((), True)] if unknown else []
    return [annotation for annotation in annotations if annotation.value is not None and annotation.value is not False]


def _flattened(
    struct: spark.Struct, above: tuple[str, ...], marks: Sequence[Annotation], units: Sequence[Annotation]
) -> Iterator[_Flat]:
    marked, measured = Members(marks), Members(units)
    for column in struct.fields:
        path, inner, inner_units = (*above, column.name), marked.of(column.name), measured.of(column.name)
        if isinstance(column.type, spark.Struct):
            yield from _flattened(column.type, path, inner, inner_units)
        else:
            yield _Flat(path, column.type, inner, inner_units)


def _instant(flat: _Flat) -> str | None:
    """Return the SQL of the instant that the column holds, or None.

    An instant outside the range of Spark's timestamps is null, because the function would end the query; the column of
    the integer has its value.
    """
    units = {unit.value for unit in flat.units if not unit.path and isinstance(unit.value, str)}
    if flat.type is not spark.Scalar.BIGINT or len(units) != 1 or (unit := units.pop()) not in _INSTANTS:
        return None
    function, scale = _INSTANTS[unit]
    column = _source(flat.path)
    return f"if({column} BETWEEN {_YEAR_1 * scale} AND {_YEAR_10000 * scale - 1}, {function}({column}), NULL)"
