"""The same verdict inside Spark Declarative Pipelines: columns for the project that ``gen spark`` writes.

A pipeline keeps its tables by itself, so that there is neither an output folder nor a manifest here: a line of bytes
goes in and one wide row comes out, good or refused; the JSON of one URN's data goes in and its columns come out.
Duplicates are not looked for. Nothing here asks Spark anything: whoever defines a table of a pipeline may not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg import load
from babelreg.contract.parse import bare, deep
from babelreg.errors import UsageError
from babelreg.model import Registry
from babelreg.spark.deploy.packed_runtime import REGISTRY, registry_of
from babelreg.spark.ingest.schema_check import spec_of
from babelreg.typemap import spark as typemap

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column
    from pyspark.sql.types import StructType

    from babelreg.spark.tasks.row_validator import RowValidator

__all__ = ["judged", "registry_in", "typed"]

_JUDGED = {
    **dict.fromkeys(("urn", "message_id", "trace_id"), "string"),
    "created_at": "timestamp",
    **dict.fromkeys(("lang", "queue"), "string"),
    "attempts": "long",
    **dict.fromkeys(("data_json", "reason", "pointer", "detail"), "string"),
    "body": "binary",
}


def registry_in(folder: str | Path) -> Registry:
    """Return the registry in a folder, also one of `babelreg spark pack`. Raises UsageError, InputError."""
    return registry_of(folder) if (Path(folder) / REGISTRY).is_file() else load.registry(folder)


def judged(registry: Registry) -> Callable[[Column], Column]:
    """From a column of bytes, a message each, to one of structs: the envelope, and ``data_json`` or a ``reason``.

    Raises RegistryError, UsageError for a registry that cannot be used.
    """
    spec = spec_of(registry, digests=False)

    def run(bodies: pa.Array) -> pa.Array:
        import pyarrow as pa

        validator = spec.row_validator()
        rows = [_row(validator, body) for body in bodies.to_pylist()]
        schema = _schema()
        columns = [pa.array([row.get(field.name) for row in rows], field.type) for field in schema]
        return pa.StructArray.from_arrays(columns, fields=list(schema))

    return _column(run, _struct(_JUDGED))


def typed(registry: Registry, urn: str) -> Callable[[Column], Column]:
    """From a column of ``data_json`` of ``urn`` to one of structs, the columns of its data.

    Raises UsageError for a URN without columns, and for one with VARIANT.
    """
    from pyspark.sql.types import StructType

    struct = typemap.columns(registry.schemas[urn]) if urn in registry.schemas else typemap.Struct(())
    if not struct.fields:
        raise UsageError(f"{urn} has no columns in the registry {registry.root}", fix="name a message with properties")
    if variant := [path for path, type_ in typemap.leaves(struct) if typemap.ddl_type(type_) == "VARIANT"]:
        raise UsageError(f"{urn} has VARIANT in '{variant[0]}', which no pipeline types", fix="read its data_json")

    def run(texts: pa.Array) -> pa.Array:
        from babelreg.spark.arrow.struct import Columns

        with deep():
            data, problems = Columns(struct).typed([bare(text.encode()) for text in texts.to_pylist()])
        if problems:
            why = f"the registry changed: {len(problems)} rows of {urn} do not fit its columns any more"
            raise UsageError(why, fix="spark-pipelines run --full-refresh-all")
        return data

    return _column(run, StructType.fromJson(_bare(typemap.as_json(struct))))


def _column(run: Callable[[pa.Array], pa.Array], type_: StructType) -> Callable[[Column], Column]:
    from pyspark.sql.pandas import functions

    run.__annotations__ = {}  # Spark would look up what they name
    arrow_udf: Any = functions.arrow_udf  # whose stub knows no structs
    column: Callable[[Column], Column] = arrow_udf(run, type_)
    return column


def _row(validator: RowValidator, body: bytes) -> dict[str, Any]:
    from babelreg.spark.tasks.row_validator import ValidRow

    row = validator.validate(body)
    values = row._asdict()
    if isinstance(row, ValidRow):
        at = None if row.created_at is None else row.created_at * 1000
        values |= {"urn": validator.urn(row.table_id), "created_at": at, "body": None}
        values["data_json"] = row.written.decode()
    return values


def _schema() -> pa.Schema:
    import pyarrow as pa

    types = {"string": pa.string(), "long": pa.int64(), "binary": pa.binary(), "timestamp": pa.timestamp("us", "UTC")}
    return pa.schema([(name, types[type_]) for name, type_ in _JUDGED.items()])


def _bare(type_: Any) -> Any:
    """Return a type without comments, because Spark compares types with their comments."""
    if isinstance(type_, dict):
        return {key: {} if key == "metadata" else _bare(value) for key, value in type_.items()}
    return [_bare(item) for item in type_] if isinstance(type_, list) else type_


def _struct(types: Mapping[str, Any]) -> StructType:
    from pyspark.sql.types import StructType

    fields = [{"name": name, "type": type_, "nullable": True, "metadata": {}} for name, type_ in types.items()]
    return StructType.fromJson({"type": "struct", "fields": fields})
