"""Columns of a caller's frame: which are kept, and the mark by which a validated frame is known.

The mark is in the metadata of ``reason``, so that it outlives filters, streams, and files of Spark::

    {"babelreg.position": "[\\"topic\\", \\"offset\\"]"}
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from babelreg.errors import UsageError
from babelreg.lake.tasks.segment_format import INTERNAL
from babelreg.spark.platform.columns import MEMBERS, bare_type
from babelreg.suggest import closest
from babelreg.typemap import spark as typemap

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_POSITION = "babelreg.position"
_MARKED = "reason"
SOURCE = ("source_file", "source_offset")
"""The position of a message in a lake: columns of its tables that a frame has only if its caller names them so."""

_RESERVED = frozenset({column.name for column in typemap.ENVELOPE if column.name not in SOURCE} | {"data"})
"""Names that a column of the position cannot have: those of the tables, besides the members."""


def kept(df: DataFrame, body: str, position: Sequence[str], added: Iterable[str]) -> list[str]:
    """Return the columns of ``df`` to keep beside those that are ``added``.

    A column of messages that has the name of an added one, as ``body``, is replaced. Raises UsageError for columns that
    are not there, of the wrong type, or named like an added one or like another one of ``df``.
    """
    _check_body(df, body)
    check_position(position)
    for name in position:
        _check_known(df, name)
    taken = {name.lower() for name in added}
    names = [name for name in df.columns if name != body or name.lower() not in taken]
    for name in names:
        if name.lower() in taken:
            raise _clash(name, "the validated frame has a column of that name")
        if taken and name.lower().startswith(INTERNAL):
            raise _clash(name, f"names that begin with {INTERNAL} are reserved for babelreg")
    for name in position:
        if name not in names:
            raise _clash(name, "the tables have a column of that name")
    return names


def check_position(position: Sequence[str], reserved: Collection[str] = _RESERVED) -> None:
    """Raise UsageError for columns of the position that cannot stand in tables beside the ``reserved`` ones."""
    if isinstance(position, str):
        raise UsageError(f"position is a list of columns, not '{position}'", fix=f'position=["{position}"]')
    seen: set[str] = set()
    for name in position:
        if not isinstance(name, str):
            raise _no_name(name)
        if name.lower() in reserved:
            raise _clash(name, "the tables have a column of that name")
        if name.lower().startswith(INTERNAL):
            raise _clash(name, f"names that begin with {INTERNAL} are reserved for babelreg")
        if name.lower() in seen:
            raise UsageError(f"position contains '{name}' twice", fix="list it once")
        seen.add(name.lower())


def mark(name: str, position: Sequence[str]) -> dict[str, Any]:
    """Return the metadata of the added column ``name``."""
    return {_POSITION: json.dumps(list(position))} if name == _MARKED else {}


def position_of(validated: DataFrame) -> tuple[str, ...]:
    """Return the columns of the position. Raises UsageError for a frame that is not of ``validate_frame``."""
    schema = validated.schema
    types = {field.name: field for field in schema.fields}
    wanted = {field.name: field.dataType for field in bare_type(MEMBERS).fields}
    for name, type_ in wanted.items():
        if name not in types:
            raise _not_validated(f"it has no column '{name}'")
        if types[name].dataType.simpleString() != type_.simpleString():
            raise _not_validated(f"its column '{name}' is {types[name].dataType.simpleString()}")
    try:
        position = tuple(json.loads(types[_MARKED].metadata[_POSITION]))
    except (KeyError, ValueError, TypeError):
        raise _not_validated(f"its column '{_MARKED}' does not say which columns are the position") from None
    if lacking := [name for name in position if name not in types]:
        raise UsageError(
            f"the column '{lacking[0]}', which identifies the source of a message, is no longer in the frame",
            fix="keep it with its name",
        )
    return position


def check_timestamp(df: DataFrame, name: str) -> None:
    """Raise UsageError unless ``name`` is a column of timestamps."""
    from pyspark.sql.types import TimestampType

    type_ = _check_known(df, name)
    if not isinstance(type_, TimestampType):
        raise UsageError(f"the column '{name}' is {type_.simpleString()}, not a timestamp", fix="cast it")


def quoted(name: str) -> str:
    """Return the name of a column as ``col`` takes it, also one with dots."""
    return "`{}`".format(name.replace("`", "``"))


def _check_body(df: DataFrame, body: str) -> None:
    from pyspark.sql.types import BinaryType, StringType

    type_ = _check_known(df, body, ", or name the column of messages with body")
    if not isinstance(type_, StringType | BinaryType):
        raise UsageError(
            f"the column '{body}' is {type_.simpleString()}; a message is a string or binary",
            fix=f'cast it, or select the field that holds the messages: df.withColumn("{body}", ...)',
        )


def _check_known(df: DataFrame, name: str, otherwise: str = "") -> Any:
    """Return the type of a column. Raise UsageError for one that is not there."""
    if not isinstance(name, str):
        raise _no_name(name)
    types = {field.name: field.dataType for field in df.schema.fields}
    if name not in types:
        near = closest(name, types)
        columns = f"its columns are: {', '.join(types) or 'none'}"
        fix = f"did you mean '{near}'?" if near else f"{columns}{otherwise}"
        raise UsageError(f"the frame has no column '{name}'", fix=fix)
    if others := [other for other in df.columns if other.lower() == name.lower()][1:]:
        raise UsageError(
            f"the frame has the columns '{name}' and '{others[-1]}', which Spark does not distinguish", fix="rename one"
        )
    return types[name]


def _no_name(given: object) -> UsageError:
    return UsageError(f"a column name is a string, not {type(given).__name__}", fix='as "value"')


def _clash(name: str, why: str) -> UsageError:
    return UsageError(
        f"the column '{name}' cannot be kept: {why}", fix=f'rename it: df.withColumnRenamed("{name}", "source_{name}")'
    )


def _not_validated(why: str) -> UsageError:
    return UsageError(
        f"the frame does not come from validate_frame: {why}",
        fix="pass what babelreg.spark.validate_frame(df, registry) returned",
    )
