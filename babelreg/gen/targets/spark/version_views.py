"""Views of all versions of a message as one table: ``orders_created_v2__versions``, and ``…__versions__masked``.

They have the columns of the newest version and two more. ``upcast_from`` is the URN that a row was sent under, null for
the newest; ``upcast_error`` says why a row could not be upcast, in which case its columns of data are null.
``data_json`` is the data as it was sent.

In the masked view the personal data of a version is null before it is upcast, so that a marked property stays hidden
under a name that is not marked. A ``default`` of the upcast fills it there, as it fills any null.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from babelreg.gen.targets.spark.target import unsupported
from babelreg.gen.targets.spark.view_expressions import ColumnTransform
from babelreg.gen.targets.spark.views import personal_data, select_lists
from babelreg.model import Message
from babelreg.typemap import spark
from babelreg.typemap.spark.upcast import UntranslatableUpcast, translated

ADDED = ("upcast_from", "upcast_error")
"""Columns of these views that tables lack."""


@dataclass(frozen=True, slots=True)
class VersionTable:
    """The table of one version: its address in SQL, the columns of its data, and all others as ``{name: SQL type}``.

    ``operations`` are those from this version to the newest, none for the newest itself.
    """

    message: Message
    address: str
    struct: spark.Struct
    around: Mapping[str, str]
    operations: Sequence[Mapping[str, Any]] = ()


def version_queries(newest: Message, struct: spark.Struct, tables: Sequence[VersionTable]) -> tuple[str, str]:
    """Return the query of all ``tables`` as rows of ``newest``, and the one without personal data.

    Raises UntranslatableUpcast with the version and the reason, UpcastError for invalid operations.
    """
    for message in (newest, *(table.message for table in tables)):
        if (why := unsupported(message)) is not None:
            raise UntranslatableUpcast(f"{message.urn}: {why}")
    around = {name: type_ for table in reversed(tables) for name, type_ in table.around.items()}
    if taken := [name for name in ADDED if name in around]:
        raise UntranslatableUpcast(f"tables have a column '{taken[0]}' of their own")
    order = list(dict.fromkeys(name for table in tables for name in table.around))
    shown = select_lists(newest, struct, ColumnTransform(), [*order, *ADDED])
    plain, masked = (
        f"SELECT {', '.join(columns)} FROM ("
        + " UNION ALL ".join(
            _rows(table, newest.urn, struct, {n: around[n] for n in order}, masked=index > 0) for table in tables
        )
        + ")"
        for index, columns in enumerate(shown)
    )
    return plain, masked


def _rows(table: VersionTable, newest: str, struct: spark.Struct, around: Mapping[str, str], *, masked: bool) -> str:
    """Return the query of one version's rows, with the newest ``data``."""
    try:
        upcast = translated(table.operations, table.struct, struct)
    except UntranslatableUpcast as err:
        raise UntranslatableUpcast(f"{table.message.urn}: {err}") from None
    names = ", ".join(map(spark.name, around))
    kept = ", ".join(
        spark.name(name) if name in table.around else f"CAST(NULL AS {type_}) AS {spark.name(name)}"
        for name, type_ in around.items()
    )
    json_name = spark.name(spark.DATA_JSON.name)
    source = table.address
    if masked and table.struct.fields:
        hidden = ColumnTransform().expression(table.struct, "data", personal_data(table.message))
        columns = ", ".join(map(spark.name, table.around))
        source = f"(SELECT {columns}, {hidden} AS data, {json_name} FROM {source})"
    sent_as = "CAST(NULL AS STRING)" if table.message.urn == newest else spark.string(table.message.urn)
    data = f", {upcast.data} AS data" if struct.fields else ""
    checked = ", if(upcast_error IS NULL, data, NULL) AS data" if struct.fields else ""
    return (
        f"SELECT {names}{checked}, {json_name}, upcast_from, upcast_error FROM ("
        f"SELECT {kept}{data}, {json_name}, {sent_as} AS upcast_from, {upcast.error} AS upcast_error FROM {source})"
    )
