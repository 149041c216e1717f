"""Functions of columns in Spark's workers: arrays of Arrow in, an array of structs out.

A function is data here, :class:`ColumnFunction`, which travels pickled and is unpacked once in each worker process.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import pyarrow as pa

from babelreg.contract.parse import bare, deep
from babelreg.errors import UsageError
from babelreg.lake.arrow.struct import Columns
from babelreg.lake.message_source import Origin
from babelreg.lake.tasks.validated_batches import ValidatedBatches
from babelreg.lake.tasks.validation_spec import ValidationSpec
from babelreg.typemap.spark import Struct
from babelreg.wire.format import NATIVE
from babelreg.wire.formats import find

_FUNCTIONS: dict[str, ColumnFunction] = {}
_MOST_FUNCTIONS = 16
_NO_BOUND = 2**40


class ColumnFunction(Protocol):
    """A function of arrays of equal length. Plain data, so that it can be sent to the workers."""

    def __call__(self, *columns: pa.Array) -> pa.Array: ...


def run(key: str, packed: bytes, columns: Sequence[pa.Array]) -> pa.Array:
    """Apply the pickled function ``packed``, which is unpacked once a process; ``key`` is its digest."""
    if key not in _FUNCTIONS:
        if len(_FUNCTIONS) >= _MOST_FUNCTIONS:
            _FUNCTIONS.clear()  # a worker of a long-lived server runs the functions of many registries
        _FUNCTIONS[key] = pickle.loads(packed)
    return _FUNCTIONS[key](*columns)


def origins_of(wire: str, received: pa.Array, occurrences: pa.Array) -> list[Origin]:
    """Return the origins of foreign messages: their instants of receipt, and texts that tell equal ones apart."""
    instants = received.cast(pa.timestamp("ms", "UTC"), safe=False).cast(pa.int64()).to_pylist()
    return [_origin(wire, instant, text) for instant, text in zip(instants, occurrences.to_pylist(), strict=True)]


def _origin(wire: str, instant: int | None, occurrence: str | None) -> Origin:
    if instant is None:
        raise UsageError(
            f"a message of {wire} has no time of receipt: received_at is null",
            fix="use a column without nulls, such as Kafka's `timestamp`",
        )
    return Origin(wire, occurrence or "", instant, "argument")


@dataclass(frozen=True)
class ValidatedMessages:
    """From message bodies to :class:`ValidatedBatches`, with typed data of ``urns``.

    Messages of a foreign ``wire`` take two more columns: the instant at which each was received, which stands in for a
    time that the message lacks, and a text that tells equal messages apart, from which ids are made.
    """

    spec: ValidationSpec
    urns: tuple[str, ...] = ()
    wire: str = NATIVE

    @cached_property
    def batches(self) -> ValidatedBatches:
        """The validator of arrays, built on first use."""
        return ValidatedBatches(self.spec, self.urns)

    def __call__(self, *columns: pa.Array) -> pa.Array:
        if self.wire == NATIVE:
            return self.batches.validated(columns[0])
        bodies, received, occurrences = columns
        return self.batches.validated(bodies, origins_of(self.wire, received, occurrences))

    def __getstate__(self) -> dict[str, Any]:
        return {"spec": self.spec, "urns": self.urns, "wire": self.wire}


@dataclass(frozen=True)
class MaskedBodies:
    """From messages of a foreign ``wire`` to what may be stored of them: without secrets."""

    wire: str

    def __call__(self, *columns: pa.Array) -> pa.Array:
        mask = find(self.wire).mask
        raw = columns[0].cast(pa.binary()).to_pylist()
        return pa.array([None if body is None else mask(body) for body in raw], pa.binary())


@dataclass(frozen=True)
class TypedData:
    """From canonical JSON of the data of ``urn`` to the columns ``struct``; null stays null."""

    urn: str
    struct: Struct

    @cached_property
    def columns(self) -> Columns:
        """The columns, built on first use."""
        return Columns(self.struct)

    def __call__(self, *columns: pa.Array) -> pa.Array:
        texts = columns[0].cast(pa.binary())
        present = texts.drop_null() if texts.null_count else texts
        with deep():
            read = self.columns.read(present)
            data = self._parsed(present) if read is None or read[1] else read[0]
        if not texts.null_count:
            return data
        valid, position = texts.is_valid().to_pylist(), iter(range(len(data)))
        return data.take(pa.array([next(position) if there else None for there in valid], pa.int64()))

    def _parsed(self, texts: pa.Array) -> pa.Array:
        try:
            data, problems = self.columns.typed([bare(text, _NO_BOUND) for text in texts.to_pylist()])
        except RuntimeError as err:  # values of other types than the schema asserts
            raise self._changed() from err
        if problems:
            raise self._changed()
        return data

    def _changed(self) -> UsageError:
        return UsageError(
            f"data of {self.urn} does not fit its columns: the registry changed since the messages were validated",
            fix="validate the messages again",
        )

    def __getstate__(self) -> dict[str, Any]:
        return {"urn": self.urn, "struct": self.struct}
