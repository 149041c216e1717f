"""Views over the tables that ``babelreg spark ingest`` writes: flat, well named, and once more without personal data.

views/
  __init__.py                   register(spark, files): all of them, over the files that the tables have now
  orders_created__rows.sql      the rows as they lie in parquet, for who does without Python
  orders_created.sql            a column for each property: data.total.minor is total_minor
  orders_created__masked.sql    the same columns; what is marked x-gdpr-sensitive is null, and data_json is not there

What flows in is the struct of the columns and what the schema says of personal data and of units; what flows out is
one statement a file. No message can be called ``…__masked``: names of modules have no two underscores in a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from babelreg.errors import UsageError
from babelreg.gen.render import render
from babelreg.gen.target import File, header
from babelreg.gen.targets.spark_expression import KEY, Change, Members
from babelreg.gen.targets.spark_view_names import names
from babelreg.model import Message
from babelreg.schema.said import Said, said
from babelreg.typemap import spark
from babelreg.typemap.python_names import literal, module_name, visible

__all__ = ["change_of", "files", "package"]

_MARK, _UNIT = "x-gdpr-sensitive", "x-unit"
_INSTANTS = {"epoch-ms": "timestamp_millis", "epoch-s": "timestamp_seconds", "epoch-us": "timestamp_micros"}
"""By ``x-unit`` of an integer: the function that makes the instant of it."""


@dataclass(frozen=True, slots=True)
class _Flat:
    """A column of ``data`` that is no struct, with what is said of it."""

    path: tuple[str, ...]
    type: spark.SparkType
    comment: str | None
    marks: list[Said]
    units: list[Said]


def change_of(options: Mapping[str, Any]) -> Change:
    """What the settings ask of the views. Raises UsageError."""
    variant, masks = options.get("variant", False), options.get("mask", {})
    if not isinstance(variant, bool):
        raise UsageError("gen.spark.variant must be true or false", fix="variant: true")
    if not isinstance(masks, Mapping) or not set(masks.values()) <= {"hash", "null"}:
        raise UsageError(
            "gen.spark.mask says by category what becomes of text that is marked: hash or null",
            fix='mask: {email: hash, address: "null"}',
        )
    return Change(variant, {str(category): action for category, action in masks.items()})


def files(folder: str, message: Message, mapping: Callable[[], spark.Mapped], change: Change) -> Iterator[File]:
    """The views of one message, below the package ``folder``."""
    assert message.parsed is not None  # of a living message
    name = module_name(message.parsed)
    line = header(
        "spark",
        message.source.path,
        message.schema,
        message.urn,
        message.description,
        change.variant,
        dict(change.masks),
    )
    about = " ".join(visible(message.description or f"The data of {message.urn}.").split())
    head = {"header": line, "name": name, "rows": f"{name}__rows", "urn": message.urn}

    def rows() -> str:
        return render("spark", "rows.sql.jinja", {**head, "columns": spark.layout(spark.table(mapping().struct))})

    def plain() -> str:
        columns = _columns(message, mapping().struct, change, masked=False)
        view = {**head, "comment": spark.string(about), "notes": [], "columns": columns}
        return render("spark", "view.sql.jinja", view)

    def masked() -> str:
        columns = _columns(message, mapping().struct, change, masked=True)
        comment = spark.string(f"{about} Without personal data.")
        view = {**head, "name": f"{name}__masked", "comment": comment, "notes": _notes(message, columns)}
        return render("spark", "view.sql.jinja", {**view, "columns": columns})

    yield File(f"{folder}/views/{name}__rows.sql", rows, line)
    yield File(f"{folder}/views/{name}.sql", plain, line)
    yield File(f"{folder}/views/{name}__masked.sql", masked, line)


def package(folder: str, messages: Sequence[Message]) -> File:
    """``views/__init__.py``."""
    named = sorted((module_name(message.parsed), message.urn) for message in messages if message.parsed)
    view = {
        "package": folder,
        "header": header("spark", "the registry", named),
        "example": named[0][0] if named else "orders_created",
        "urn": literal(named[0][1] if named else "urn:babel:orders:created"),
        "entries": [{"module": literal(name), "urn": literal(urn)} for name, urn in named],
    }
    return File(f"{folder}/views/__init__.py", render("spark", "views.py.jinja", view))


def _notes(message: Message, columns: Sequence[Mapping[str, str]]) -> list[str]:
    notes = []
    if said(message.schema, _MARK) is None:
        notes.append("The schema cannot be followed to its end, so any column of data may hold personal data.")
    if any(KEY in column["selected"] for column in columns):
        notes.append("Say first what digests are made with: SET babelreg.mask_key='a secret'")
    return notes


def _columns(message: Message, struct: spark.Struct, change: Change, *, masked: bool) -> list[dict[str, str]]:
    """The columns of a view: their names, comments and expressions, spelled as SQL takes them."""
    flat = list(_flattened(struct, (), _said_of(message, _MARK), _said_of(message, _UNIT)))
    taken = [column.name for column in (*spark.ENVELOPE, spark.DATA_JSON)]
    instants = [one for one in flat if _instant(one)]
    paths = [one.path for one in flat] + [(*one.path[:-1], f"{one.path[-1]}_timestamp") for one in instants]
    named = names(paths, taken)
    found = [_column(column.name, column.comment, spark.name(column.name)) for column in spark.ENVELOPE]
    after: dict[tuple[str, ...], dict[str, str]] = {}
    for one, name in zip(instants, named[len(flat) :], strict=True):
        shown = "CAST(NULL AS TIMESTAMP)" if masked and one.marks else f"{_instant(one)}({_source(one.path)})"
        after[one.path] = _column(name, one.comment, shown)
    for one, name in zip(flat, named, strict=False):
        shown = change.expression(one.type, _source(one.path), one.marks if masked else ())
        hidden = masked and shown != change.expression(one.type, _source(one.path), ())
        found.append(_column(name, _about(one.comment, hidden, digest=KEY in shown), shown))
        if one.path in after:
            found.append(after[one.path])
    return found if masked else [*found, _column(spark.DATA_JSON.name, spark.DATA_JSON.comment, spark.DATA_JSON.name)]


def _column(name: str, comment: str | None, shown: str) -> dict[str, str]:
    spelled = spark.name(name)
    return {
        "declared": f"{spelled} COMMENT {spark.string(comment)}" if comment else spelled,
        "selected": shown if shown in (spelled, f"data.{spelled}") else f"{shown} AS {spelled}",
    }


def _about(comment: str | None, hidden: bool, *, digest: bool) -> str | None:
    what = "(personal data, as a digest)" if digest else "(personal data is left out)"
    return " ".join(filter(None, [comment, what])) if hidden else comment


def _source(path: Sequence[str]) -> str:
    return ".".join(["data", *map(spark.name, path)])


def _said_of(message: Message, keyword: str) -> list[Said]:
    """What the schema says; of a schema that cannot be followed, that all of it is marked."""
    found = said(message.schema, keyword)
    if found is None:
        return [Said((), True)] if keyword == _MARK else []
    return [one for one in found if one.value is not None and one.value is not False]


def _flattened(
    struct: spark.Struct, above: tuple[str, ...], marks: Sequence[Said], units: Sequence[Said]
) -> Iterator[_Flat]:
    marked, measured = Members(marks), Members(units)
    for column in struct.fields:
        path, inner, inner_units = (*above, column.name), marked.of(column.name), measured.of(column.name)
        if isinstance(column.type, spark.Struct):
            yield from _flattened(column.type, path, inner, inner_units)
        else:
            yield _Flat(path, column.type, column.comment, inner, inner_units)


def _instant(one: _Flat) -> str | None:
    """The function that makes an instant of the column; None where it holds none."""
    units = {unit.value for unit in one.units if not unit.path and isinstance(unit.value, str)}
    return _INSTANTS.get(units.pop()) if one.type is spark.Scalar.BIGINT and len(units) == 1 else None
