"""Upcast of stored rows: older versions as rows of a newer one, by the ``upcast`` that consumers run.

Input rows have the envelope's columns and ``data_json``; output rows have the columns of the newer version's table and
two more. ``upcast_from`` is the URN that the row was stored under, null for rows of the newer version itself. A row
that cannot be upcast, or does not satisfy the newer schema afterwards, is kept: its ``data`` is null, ``data_json`` is
unchanged, ``upcast_error`` gives the reason. Runs in workers, without a session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from babelreg.contract import Contract
from babelreg.contract.parse import ParseError, bare, deep
from babelreg.contract.upcast import Upcast, UpcastError, compiled
from babelreg.lake.arrow.canonical_json import canonical
from babelreg.lake.arrow.struct import Columns
from babelreg.lake.arrow.table_schema import SENT_URN, table_schema
from babelreg.typemap import spark as typemap

ADDED = (pa.field("upcast_from", pa.string()), pa.field("upcast_error", pa.string()))

_STORED = tuple(column.name for column in (*typemap.ENVELOPE, typemap.DATA_JSON))

_NO_BOUND = 2**40

_UPCASTERS: dict[str, RowUpcaster] = {}


@dataclass(frozen=True)
class UpcastPlan:
    """Operations that upcast rows of older versions. Plain data, so that it can be sent to the workers.

    ``steps`` are the operations from each older URN to ``urn``; ``schema`` is that of ``urn``. ``aliased`` says that a
    version has aliases, so that the rows have ``sent_urn``.
    """

    urn: str
    schema: Mapping[str, Any]
    strict: bool
    steps: Mapping[str, Sequence[Mapping[str, Any]]]
    aliased: bool = False

    @property
    def stored(self) -> tuple[str, ...]:
        """Columns that are read of an older version's rows."""
        return (*_STORED, *((SENT_URN,) if self.aliased else ()))

    def upcaster(self) -> RowUpcaster:
        """Return the upcaster of this plan, built once in each process. Raises as it does."""
        key = repr(self)
        if key not in _UPCASTERS:
            _UPCASTERS.clear()  # a worker runs many queries
            _UPCASTERS[key] = RowUpcaster(self)
        return _UPCASTERS[key]


class RowUpcaster:
    """Upcasts rows. Validators and columns are built once.

    Raises UpcastError for invalid operations, SchemaError for an unusable schema.
    """

    def __init__(self, plan: UpcastPlan) -> None:
        struct = typemap.columns(plan.schema)
        contract = Contract({plan.urn: plan.schema}, strict=[plan.urn] if plan.strict else ())
        contract.validator(plan.urn)
        self.schema = pa.schema([*table_schema(struct, aliased=plan.aliased).remove_metadata(), *ADDED])
        self._urn, self._validate = plan.urn, contract.data_verdict
        self._upcasts = {urn: compiled(steps) for urn, steps in plan.steps.items()}
        self._columns = Columns(struct) if struct.fields else None

    def upcast(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """Return ``rows`` of older versions, with the columns ``UpcastPlan.stored``, as rows of the newer one."""
        urns, texts = rows.column("urn").to_pylist(), rows.column("data_json").cast(pa.binary()).to_pylist()
        with deep():
            results = [self._upcast_row(self._upcasts[urn], text) for urn, text in zip(urns, texts, strict=True)]
            return self._batch(rows, urns, texts, results)

    def _upcast_row(self, upcast: Upcast, text: bytes) -> tuple[dict[str, Any], bytes] | str:
        """Return the new data and its JSON, or the reason why there is none."""
        try:
            data = upcast.apply(bare(text, _NO_BOUND))
        except UpcastError as err:
            return f"upcast_failed: {err.message}"
        except ParseError as err:
            return f"{err.reason}: {err.detail}"
        verdict = self._validate(self._urn, data)
        if verdict.reason is not None:
            return f"{verdict.reason}: {verdict.detail}"
        try:
            return data, canonical(data)
        except typemap.Unstorable as problem:
            return _reason(problem)

    def _batch(
        self,
        rows: pa.RecordBatch,
        urns: list[str],
        texts: list[bytes],
        results: list[tuple[dict[str, Any], bytes] | str],
    ) -> pa.RecordBatch:
        errors = {number: result for number, result in enumerate(results) if isinstance(result, str)}
        upcast_rows = [number for number in range(len(results)) if number not in errors]
        data: pa.Array | None = None
        if self._columns is not None:
            data, problems = self._columns.typed([results[number][0] for number in upcast_rows])  # type: ignore[misc]
            errors |= {upcast_rows[index]: _reason(problem) for index, problem in problems.items()}
            storable = (number for number in upcast_rows if number not in errors)
            rank = {number: index for index, number in enumerate(storable)}
            data = data.take(pa.array([rank.get(number) for number in range(len(results))], pa.int64()))
        written = [text if number in errors else results[number][1] for number, text in enumerate(texts)]
        new_columns = {
            "data": data,
            "data_json": pa.array(written, pa.binary()).cast(pa.string()),
            "upcast_from": pa.array(urns, pa.string()),
            "upcast_error": pa.array([errors.get(number) for number in range(len(results))], pa.string()),
        }
        # The session may have another time zone, and other string widths.
        stored_columns = {
            field.name: rows.column(field.name).cast(field.type)
            for field in self.schema
            if field.name not in new_columns
        }
        columns = {**stored_columns, **new_columns}
        return pa.RecordBatch.from_arrays([columns[name] for name in self.schema.names], schema=self.schema)


def _reason(problem: typemap.Unstorable) -> str:
    kind = problem.code.removeprefix("unstorable_")
    return f"{problem.code}: no column holds this {kind}: {problem.pointer or 'data'}"
