"""Rows of older versions as rows of a newer one: the same ``upcast`` that consumers run, on the stored JSON.

What flows in are rows with the envelope's columns and ``data_json``; what flows out are the columns of the newer
version's table and two more. ``upcast_from`` is the URN whose data the row held, null for rows of the newer version
itself. A row that cannot be carried over, or that does not satisfy the newer schema afterwards, is there all the same:
its ``data`` is null, ``data_json`` is what was stored, ``upcast_error`` says why. This runs on workers, without a
session, and without Spark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from babelreg.contract import Contract
from babelreg.contract.parse import ParseError, bare, deep
from babelreg.contract.upcast import Upcast, UpcastError, compiled
from babelreg.spark.arrow.canonical_json import canonical
from babelreg.spark.arrow.struct import Columns
from babelreg.spark.arrow.table_schema import table_schema
from babelreg.typemap import spark as typemap

__all__ = ["ADDED", "STORED", "Plan", "Upcaster"]

ADDED = (pa.field("upcast_from", pa.string()), pa.field("upcast_error", pa.string()))

STORED = tuple(column.name for column in (*typemap.ENVELOPE, typemap.DATA_JSON))
"""What is read of an older version's rows."""

_NO_BOUND = 2**40

_UPCASTERS: dict[str, Upcaster] = {}


@dataclass(frozen=True)
class Plan:
    """What rows of older versions become. Plain data, so that it travels to the workers.

    ``steps`` are the operations from each older URN to ``urn``, all the way; ``schema`` is that of ``urn``.
    """

    urn: str
    schema: Mapping[str, Any]
    strict: bool
    steps: Mapping[str, Sequence[Mapping[str, Any]]]

    def upcaster(self) -> Upcaster:
        """What carries rows over by this plan, built once in each process. Raises as it does."""
        key = repr(self)
        if key not in _UPCASTERS:
            _UPCASTERS.clear()  # a worker serves many queries
            _UPCASTERS[key] = Upcaster(self)
        return _UPCASTERS[key]


class Upcaster:
    """Carries rows over. Validators and columns are built once.

    Raises UpcastError for operations that make no sense, SchemaError for a schema that cannot be used.
    """

    def __init__(self, plan: Plan) -> None:
        struct = typemap.columns(plan.schema)
        contract = Contract({plan.urn: plan.schema}, strict=[plan.urn] if plan.strict else ())
        contract.validator(plan.urn)
        self.schema = pa.schema([*table_schema(struct).remove_metadata(), *ADDED])
        self._urn, self._judge = plan.urn, contract.judge
        self._upcasts = {urn: compiled(steps) for urn, steps in plan.steps.items()}
        self._columns = Columns(struct) if struct.fields else None

    def carried(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """``rows`` of older versions, with the columns :data:`STORED`, as rows of the newer one."""
        urns, texts = rows.column("urn").to_pylist(), rows.column("data_json").cast(pa.binary()).to_pylist()
        with deep():
            found = [self._one(self._upcasts[urn], text) for urn, text in zip(urns, texts, strict=True)]
            return self._batch(rows, urns, texts, found)

    def _one(self, upcast: Upcast, text: bytes) -> tuple[dict[str, Any], bytes] | str:
        """The new data and its JSON, or why there is none."""
        try:
            data = upcast.apply(bare(text, _NO_BOUND))
        except UpcastError as err:
            return f"upcast_failed: {err.message}"
        except ParseError as err:
            return f"{err.reason}: {err.detail}"
        verdict = self._judge(self._urn, data)
        if verdict.reason is not None:
            return f"{verdict.reason}: {verdict.detail}"
        try:
            return data, canonical(data)
        except typemap.Unstorable as problem:
            return _told(problem)

    def _batch(
        self, rows: pa.RecordBatch, urns: list[str], texts: list[bytes], found: list[tuple[dict[str, Any], bytes] | str]
    ) -> pa.RecordBatch:
        errors = {number: one for number, one in enumerate(found) if isinstance(one, str)}
        good = [number for number in range(len(found)) if number not in errors]
        data: pa.Array | None = None
        if self._columns is not None:
            data, problems = self._columns.typed([found[number][0] for number in good])  # type: ignore[misc]
            errors |= {good[at]: _told(problem) for at, problem in problems.items()}
            rank = {number: at for at, number in enumerate(number for number in good if number not in errors)}
            data = data.take(pa.array([rank.get(number) for number in range(len(found))], pa.int64()))
        written = [text if number in errors else found[number][1] for number, text in enumerate(texts)]
        made = {
            "data": data,
            "data_json": pa.array(written, pa.binary()).cast(pa.string()),
            "upcast_from": pa.array(urns, pa.string()),
            "upcast_error": pa.array([errors.get(number) for number in range(len(found))], pa.string()),
        }
        # A session may have a time zone of its own, and other widths of text.
        kept = {field.name: rows.column(field.name).cast(field.type) for field in self.schema if field.name not in made}
        columns = {**kept, **made}
        return pa.RecordBatch.from_arrays([columns[name] for name in self.schema.names], schema=self.schema)


def _told(problem: typemap.Unstorable) -> str:
    kind = problem.code.removeprefix("unstorable_")
    return f"{problem.code}: no column holds this {kind}: {problem.pointer or 'data'}"
