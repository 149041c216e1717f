"""Views over the tables that ``babelreg spark ingest`` writes: flat, well named, and once more without personal data.

orders_created__rows      the rows as they lie in parquet
orders_created            a column for each property: data.total.minor is total_minor
orders_created__masked    the same columns; what is marked x-gdpr-sensitive is null, and data_json is not there

What flows in is the struct of the columns and what the schema says of personal data and of units; what flows out is
SQL, and Python that runs it. No message is called ``…__masked``: names of modules have no two underscores in a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from babelreg.errors import UsageError
from babelreg.gen.python_code.layout import item
from babelreg.gen.render import render
from babelreg.gen.target import File, header
from babelreg.gen.targets.spark.options import MASK, VARIANT
from babelreg.gen.targets.spark.view_expressions import KEY, ColumnTransform, Members
from babelreg.gen.targets.spark.view_names import names
from babelreg.model import Message
from babelreg.schema.annotations import Annotation, annotated
from babelreg.typemap import spark
from babelreg.typemap.python.names import module_name, visible

__all__ = ["change_of", "line_of", "package", "statements"]

_MARK, _UNIT = "x-gdpr-sensitive", "x-unit"
_INSTANTS = {
    "epoch-s": ("timestamp_seconds", 1),
    "epoch-ms": ("timestamp_millis", 1_000),
    "epoch-us": ("timestamp_micros", 1_000_000),
}
"""By ``x-unit`` of an integer: the function that makes the instant of it, and how many there are in a second."""
_YEAR_1, _YEAR_10000 = -62_135_596_800, 253_402_300_800


@dataclass(frozen=True, slots=True)
class _Flat:
    """A column of ``data`` that is no struct, with what is said of it."""

    path: tuple[str, ...]
    type: spark.SparkType
    marks: list[Annotation]
    units: list[Annotation]


def change_of(options: Mapping[str, Any]) -> ColumnTransform:
    """What the settings ask of the views. Raises UsageError."""
    variant, masks = VARIANT.value(options, "spark"), MASK.value(options, "spark")
    if not isinstance(masks, Mapping) or not all(action in ("hash", None) for action in masks.values()):
        raise UsageError(
            "gen.spark.mask says by category what becomes of text that is marked: hash or null",
            fix="mask: {email: hash, address: null}",
        )
    return ColumnTransform(variant, {str(category): action for category, action in masks.items() if action})


def line_of(message: Message, change: ColumnTransform) -> str:
    """The header of the message's SQL."""
    inputs = message.schema, message.urn, message.description, change.variant, dict(change.masks)
    return header("spark", message.source.path, *inputs, sign="--")


def statements(message: Message, struct: spark.Struct, change: ColumnTransform, line: str) -> str:
    """The text of the message's SQL."""
    assert message.parsed is not None  # guaranteed by generated_messages()
    name = module_name(message.parsed)
    about = " ".join(visible(message.description or f"The data of {message.urn}.").split())
    marks = annotated(message.schema, _MARK)
    flat = list(_flattened(struct, (), _meant(marks, unknown=True), _meant(annotated(message.schema, _UNIT))))
    plain, masked = (_columns(flat, change, masked=masked) for masked in (False, True))
    view = {
        "header": line,
        "notes": _notes(masked, followed=marks is not None),
        "name": name,
        "stored": spark.layout(spark.table(struct)),
        "views": [
            {"name": name, "comment": spark.string(about), "columns": plain},
            {"name": f"{name}__masked", "comment": spark.string(f"{about} No personal data."), "columns": masked},
        ],
    }
    return render("spark", "message.sql.jinja", view)


def package(folder: str, messages: Sequence[Message], left_out: Mapping[str, str]) -> File:
    """``views.py``, which runs those statements. ``left_out`` are the messages without views: the reason by URN."""
    named = sorted((module_name(message.parsed), message.urn) for message in messages if message.parsed)
    view = {
        "package": folder,
        "header": header("spark", "the registry", named, sorted(left_out.items())),
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
        notes.append("Digests are made with a secret of yours: SET babelreg.mask_key='a secret';")
    return notes


def _columns(flat: Sequence[_Flat], change: ColumnTransform, *, masked: bool) -> list[str]:
    """What a view selects. Comments come along by themselves: they are those of the rows."""
    instants = [one for one in flat if _instant(one)]
    paths = [one.path for one in flat] + [(*one.path[:-1], f"{one.path[-1]}_timestamp") for one in instants]
    envelope = [column.name for column in spark.ENVELOPE]
    named = names(paths, [*envelope, spark.DATA_JSON.name])
    after: dict[tuple[str, ...], str] = {}
    for one, name in zip(instants, named[len(flat) :], strict=True):
        hidden = masked and one.marks
        after[one.path] = _selected(name, "CAST(NULL AS TIMESTAMP)" if hidden else _instant(one) or "")
    found = list(map(spark.name, envelope))
    for one, name in zip(flat, named, strict=False):
        found.append(_selected(name, change.expression(one.type, _source(one.path), one.marks if masked else ())))
        if one.path in after:
            found.append(after[one.path])
    return found if masked else [*found, spark.name(spark.DATA_JSON.name)]


def _selected(name: str, shown: str) -> str:
    spelled = spark.name(name)
    return shown if shown == f"data.{spelled}" else f"{shown} AS {spelled}"


def _source(path: Sequence[str]) -> str:
    return ".".join(["data", *map(spark.name, path)])


def _meant(found: Sequence[Annotation] | None, *, unknown: bool = False) -> list[Annotation]:
    """What was said and not taken back by null or false; of a schema that cannot be followed, ``unknown`` of all."""
    if found is None:
        return [Annotation((), True)] if unknown else []
    return [one for one in found if one.value is not None and one.value is not False]


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


def _instant(one: _Flat) -> str | None:
    """The instant that the column holds; None where it holds none.

    One that Spark has no timestamp for is null: its function would end the query, and the integer stands beside it.
    """
    units = {unit.value for unit in one.units if not unit.path and isinstance(unit.value, str)}
    if one.type is not spark.Scalar.BIGINT or len(units) != 1 or (unit := units.pop()) not in _INSTANTS:
        return None
    function, scale = _INSTANTS[unit]
    column = _source(one.path)
    return f"if({column} BETWEEN {_YEAR_1 * scale} AND {_YEAR_10000 * scale - 1}, {function}({column}), NULL)"
