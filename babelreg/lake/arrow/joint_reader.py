"""``data`` of several tables as Arrow by one call of Arrow's JSON reader, which costs as much as a small table's rows.

Tables that follow each other are read together if one struct holds the columns of all: a column of the same name has
the same type in each. Its values are read and converted at once, and each table takes the columns that it declares. A
row costs a null for every column that its own table lacks, so a struct has at most ``_LEAVES`` columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa

from babelreg.lake.arrow import scalars
from babelreg.lake.arrow.json_reader import Read, is_readable, reader
from babelreg.typemap import spark as typemap
from babelreg.typemap.spark import Array, SparkType, Struct

_LEAVES = 48


@dataclass(frozen=True, eq=False)
class JointReader:
    """Reader of the tables whose columns are among those of ``struct``. Make one and keep it."""

    struct: Struct

    @cached_property
    def _read(self) -> Read:
        read = reader(self.struct)
        assert read is not None
        return read

    def read(
        self, documents: Sequence[pa.Array], types: Sequence[pa.StructType]
    ) -> list[tuple[pa.Array, list[int]]] | None:
        """Return for each table what ``Columns.read`` returns; None where one of them refuses a document.

        ``documents`` are the canonical JSON of each table, ``types`` those of their columns.
        """
        try:
            array, left_out = self._read(pa.concat_arrays(documents))
        except scalars.REFUSED:
            return None
        ends = np.cumsum([0, *map(len, documents)])
        cuts = np.searchsorted(left_out, ends).tolist()
        results = []
        for type_, (start, end), (first, last) in zip(types, pairwise(ends.tolist()), pairwise(cuts), strict=True):
            rows = array.slice(start - first, (end - last) - (start - first))
            results.append((_projected(rows, type_), [number - start for number in left_out[first:last]]))
        return results


def joint_readers(structs: Sequence[Struct]) -> list[JointReader | None]:
    """Return the reader of each of ``structs``; None for one that Arrow's JSON reader does not read."""
    unions: list[Struct] = []
    numbers: list[int | None] = []
    for struct in structs:
        if not is_readable(struct):
            numbers.append(None)
            continue
        union = _union(unions[-1], struct) if unions else None
        if isinstance(union, Struct) and (union is unions[-1] or sum(1 for _ in typemap.leaves(union)) <= _LEAVES):
            unions[-1] = union
        else:
            unions.append(struct)
        numbers.append(len(unions) - 1)
    readers = [JointReader(union) for union in unions]
    return [None if number is None else readers[number] for number in numbers]


def _union(first: SparkType, second: SparkType) -> SparkType | None:
    """Return the type with the columns of both, ``first`` itself where it has all; None where one of a name differs."""
    if isinstance(first, Array) and isinstance(second, Array):
        element = _union(first.element, second.element)
        return first if element is first.element else None if element is None else Array(element)
    if not isinstance(first, Struct) or not isinstance(second, Struct):
        return first if first == second else None
    fields = dict(first.by_name)
    added = False
    for name, field in second.by_name.items():
        known = fields.get(name)
        union = field.type if known is None else _union(known.type, field.type)
        if union is None:
            return None
        if known is None or union is not known.type:
            fields[name] = field if known is None else replace(known, type=union)
            added = True
    return Struct(tuple(fields.values())) if added else first


def _projected(array: pa.Array, type_: pa.DataType) -> pa.Array:
    """Return the values of a wider type as ``type_``, whose columns are among those of it."""
    if array.type == type_:
        return array
    mask = array.is_null() if array.null_count else None
    if isinstance(type_, pa.StructType):
        members = [_projected(array.field(field.name), field.type) for field in type_]
        return pa.StructArray.from_arrays(members, fields=list(type_), mask=mask)
    offsets = array.offsets.to_numpy()
    first, last = offsets[[0, -1]].tolist()
    values = _projected(array.values.slice(first, last - first), type_.value_type)
    return pa.ListArray.from_arrays(pa.array(offsets - first), values, type=type_, mask=mask)
