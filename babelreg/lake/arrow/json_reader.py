"""``data`` as Arrow, straight from its canonical JSON: many documents at once, by Arrow's own reader.

It takes a third of the time of ``struct`` for documents that are already parsed, and keeps nothing parsed in memory:
the text is a tenth of the size and no work for the garbage collector. It is as strict: a value that is not exactly of
its column's type ends the reading, and ``struct`` then finds the document and the reason. Days, instants and bytes
are read as text and converted by ``scalars``, so both ways give the same values. Arrow's reader makes no columns of
JSON text, maps, decimals and variants.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from pyarrow import compute, json

from babelreg.lake.arrow import scalars
from babelreg.typemap.spark import Array, Scalar, SparkType, Struct

__all__ = ["reader"]

_Remade = Callable[[pa.Array], pa.Array]

_READ_AS_IS = {
    Scalar.BIGINT: pa.int64(),
    Scalar.BOOLEAN: pa.bool_(),
    Scalar.STRING: pa.string(),
}
_AS_TEXT = frozenset([Scalar.DATE, Scalar.TIMESTAMP, Scalar.BINARY])
_MARGIN_BYTES = 1024


def reader(struct: Struct) -> Callable[[pa.Array], pa.Array] | None:
    """Return a function from canonical JSON in a binary array to one struct array; None where Arrow cannot read it.

    For a document that does not fit, that function raises an exception of Arrow or a ValueError, which ``columns``
    treats as a refusal.
    """
    if (conversion := _type(struct)) is None:
        return None
    read_type, remade = conversion
    options = json.ParseOptions(
        explicit_schema=pa.schema(list(read_type)), newlines_in_values=True, unexpected_field_behavior="ignore"
    )

    def read(documents: pa.Array) -> pa.Array:
        text = _joined(documents)
        one_block = json.ReadOptions(use_threads=False, block_size=text.size + _MARGIN_BYTES)
        table = json.read_json(pa.BufferReader(text), one_block, options)
        if table.num_rows != len(documents):
            raise ValueError(f"{len(documents)} documents were read as {table.num_rows}")
        columns = [column.combine_chunks() for column in table.columns]
        return remade(pa.StructArray.from_arrays(columns, fields=list(read_type)))

    return read


def _joined(documents: pa.Array) -> pa.Buffer:
    """Return the documents concatenated, as they are in memory: objects need no separator."""
    _, ends, text = documents.buffers()
    first, last = np.frombuffer(ends, np.int32)[[documents.offset, documents.offset + len(documents)]].tolist()
    return text.slice(first, last - first)


def _type(type_: SparkType) -> tuple[pa.DataType, _Remade] | None:
    """Return the type to read values of ``type_`` as, and the conversion to ``type_``; None if they cannot be read."""
    if isinstance(type_, Struct):
        return _struct(type_)
    if isinstance(type_, Array):
        return _array(type_)
    if type_ in _AS_TEXT:
        make = scalars.maker(type_, True)
        return pa.string(), lambda texts: make(texts.to_pylist())
    if type_ is Scalar.DOUBLE:
        return pa.float64(), _finite
    return (_READ_AS_IS[type_], _same) if type_ in _READ_AS_IS else None


def _struct(type_: Struct) -> tuple[pa.DataType, _Remade] | None:
    members = [_type(column.type) for column in type_.fields]
    readable = [member for member in members if member is not None]
    if not readable or len(readable) < len(members):
        return None
    names = [column.name for column in type_.fields]
    read_type = pa.struct([pa.field(name, member[0]) for name, member in zip(names, readable, strict=True)])
    if all(remade is _same for _, remade in readable):
        return read_type, _same

    def remake(values: pa.Array) -> pa.Array:
        arrays = [remade(values.field(number)) for number, (_, remade) in enumerate(readable)]
        fields = [pa.field(name, array.type) for name, array in zip(names, arrays, strict=True)]
        return pa.StructArray.from_arrays(arrays, fields=fields, mask=_mask(values))

    return read_type, remake


def _array(type_: Array) -> tuple[pa.DataType, _Remade] | None:
    if (element := _type(type_.element)) is None:
        return None
    read_type, remade = element
    list_type = pa.list_(pa.field("element", read_type))
    if remade is _same:
        return list_type, _same

    def remake(values: pa.Array) -> pa.Array:
        items = remade(values.values)
        result_type = pa.list_(pa.field("element", items.type))
        return pa.ListArray.from_arrays(values.offsets, items, type=result_type, mask=_mask(values))

    return list_type, remake


def _finite(numbers: pa.Array) -> pa.Array:
    if compute.all(compute.is_finite(numbers)).as_py() is False:
        raise ValueError("a number is beyond a double")  # JSON has no infinity, Arrow's reader has
    return compute.add(numbers, 0.0)  # -1e-400 is -0.0, which is stored as 0.0


def _same(values: pa.Array) -> pa.Array:
    return values


def _mask(values: pa.Array) -> pa.Array | None:
    return values.is_null() if values.null_count else None
