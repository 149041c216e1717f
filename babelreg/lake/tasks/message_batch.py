"""Validation and typing of many messages at once, shared by the tasks of an ingest and by ``validated_batches``.

Messages are validated one by one and typed in bulk, all those of one URN together. To type them, their canonical JSON
is parsed once more, a few hundred at a time: values created together are in the processor's cache, which outweighs the
second parse several times (measured).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import orjson
import pyarrow as pa
from numpy.typing import NDArray

from babelreg.lake.arrow.joint_reader import JointReader
from babelreg.lake.arrow.number_scan import certainly_exact
from babelreg.lake.arrow.struct import Columns
from babelreg.lake.message_source import Origin
from babelreg.lake.tasks.message_bridge import MessageBridge, masked
from babelreg.lake.tasks.row_validator import RowValidator, ValidRow
from babelreg.typemap.spark import Unstorable


class TableTexts(NamedTuple):
    """Canonical JSON of the data of one table's messages, as a binary array, and ``numbers``: keys in ``unusual``."""

    table_id: int
    columns: Columns
    texts: pa.Array
    numbers: Sequence[int]


PARSED_TOGETHER = 500
"""Documents that are parsed before they are typed."""

MANY_TOGETHER = 20_000
"""Messages of many URNs that are validated together (see ``read_all``): the more of one URN follow each other, the less
often its validator is brought into the processor's cache."""

_FEW = 150
"""Documents for which a call of Arrow's JSON reader costs more than it saves (measured)."""

_READ_TOGETHER = 1_000
"""Documents of small tables that are typed together: more would be read again where one does not fit."""

_BODY = ValidRow._fields.index("body")


def read_all(
    validator: RowValidator,
    bodies: Sequence[bytes],
    offsets: Sequence[int],
    file: str = "",
    exact: Sequence[bool] | None = None,
) -> list[Any]:
    """Return ``validator.read`` of each message, in the order of ``bodies``. ``exact`` as in ``MessageChunk``."""
    if exact is None:
        exact = certainly_exact(bodies)
    order = list(_grouped_by_urn(bodies)) if validator.many else range(len(bodies))
    return validator.read_all(bodies, offsets, file, exact, order)


def read_bridged(
    validator: RowValidator,
    bridge: MessageBridge,
    bodies: Sequence[bytes],
    offsets: Sequence[int],
    origins: Sequence[Origin],
    file: str = "",
    exact: Sequence[bool] | None = None,
) -> list[Any]:
    """Return the rows of foreign messages, good or refused; the body of a row is the message as it was read.

    ``exact`` as in ``MessageChunk``.
    """
    results: list[Any] = [None] * len(bodies)
    validator.admission.converted(bodies, offsets, bridge.converted(bodies, offsets, origins, file, exact), results)
    for number, result in enumerate(results):
        if result is None:
            results[number] = bridge.envelope(bodies[number], offsets[number], file, origins[number])
    numbers = [number for number, result in enumerate(results) if type(result) is bytes]
    envelopes, positions = [results[number] for number in numbers], [offsets[number] for number in numbers]
    for number, row in zip(numbers, read_all(validator, envelopes, positions, file), strict=True):
        raw = bodies[number]
        if type(row) is tuple:
            results[number] = (*row[:_BODY], raw, *row[_BODY + 1 :])
        else:
            results[number] = row._replace(body=masked(raw, origins[number]))
    return results


def typed(
    columns: Columns, texts: Sequence[bytes] | pa.Array, numbers: Sequence[int], unusual: Mapping[int, Any]
) -> tuple[pa.Array, Mapping[int, Unstorable]]:
    """Return the typed ``data`` of one URN's messages, and by index the problems of those that it omits.

    ``texts`` are their canonical JSON, also as a binary array, ``numbers`` their keys in ``unusual``: parsed data of
    messages that orjson would parse differently, which have numbers that no double returns or nest beyond its limit.
    """
    if len(texts) >= _FEW:
        read = columns.read(texts if isinstance(texts, pa.Array) else joined(texts, pa.binary()))
        if read is not None:
            array, left_out = read
            refused = _reasons(columns, texts, numbers, unusual, left_out)
            if len(refused) == len(left_out):
                return array, refused
    if isinstance(texts, pa.Array):
        texts = cast("list[bytes]", texts.to_pylist())
    arrays: list[pa.Array] = []
    problems: dict[int, Unstorable] = {}
    for start, documents in _documents(texts, numbers, unusual):
        part, part_problems = columns.typed(documents)
        arrays.append(part)
        problems.update({start + n: problem.within("data") for n, problem in part_problems.items()})
    return pa.concat_arrays(arrays), problems


def typed_tables(
    tables: Iterable[TableTexts], readers: Sequence[JointReader | None], unusual: Mapping[int, Any]
) -> Iterator[tuple[pa.Array, Mapping[int, Unstorable]]]:
    """Yield :func:`typed` of each of ``tables``; small ones are typed together. ``readers`` are by table id."""
    together: list[TableTexts] = []
    shared, rows = None, 0
    for table in tables:
        reader = readers[table.table_id] if len(table.texts) < _FEW else None
        if together and (reader is not shared or rows + len(table.texts) > _READ_TOGETHER):
            yield from _typed_together(together, shared, unusual)
            together, rows = [], 0
        if reader is None:
            yield typed(table.columns, table.texts, table.numbers, unusual)
        else:
            together.append(table)
            shared, rows = reader, rows + len(table.texts)
    yield from _typed_together(together, shared, unusual)


def _typed_together(
    tables: Sequence[TableTexts], reader: JointReader | None, unusual: Mapping[int, Any]
) -> Iterator[tuple[pa.Array, Mapping[int, Unstorable]]]:
    """Yield :func:`typed` of tables that ``reader`` reads. A document that it refuses is searched for in halves."""
    if len(tables) > 1 and reader is not None:
        found = reader.read([table.texts for table in tables], [table.columns.type for table in tables])
        if found is None:
            middle = len(tables) // 2
            yield from _typed_together(tables[:middle], reader, unusual)
            yield from _typed_together(tables[middle:], reader, unusual)
            return
    else:
        found = [(None, [])] * len(tables)
    for table, (array, left_out) in zip(tables, found, strict=True):
        problems = _reasons(table.columns, table.texts, table.numbers, unusual, left_out)
        if array is not None and len(problems) == len(left_out):
            yield array, problems
        else:
            yield typed(table.columns, table.texts, table.numbers, unusual)


def _reasons(
    columns: Columns,
    texts: Sequence[bytes] | pa.Array,
    numbers: Sequence[int],
    unusual: Mapping[int, Any],
    left_out: Sequence[int],
) -> dict[int, Unstorable]:
    """Return the problems of those messages that Arrow's reader left out."""
    problems: dict[int, Unstorable] = {}
    for index in left_out:
        text = texts[index].as_py() if isinstance(texts, pa.Array) else texts[index]
        ((_, documents),) = _documents([text], [numbers[index]], unusual)
        _, found = columns.typed(documents)
        if found:
            problems[index] = found[0].within("data")
    return problems


def typing_problems(
    columns: Columns, texts: Sequence[bytes], numbers: Sequence[int], unusual: Mapping[int, Any]
) -> Mapping[int, Unstorable]:
    """Return the problems that :func:`typed` finds, for callers that need no typed data."""
    if len(texts) >= _FEW or not columns.decided_by_rules:
        return typed(columns, texts, numbers, unusual)[1]
    problems: dict[int, Unstorable] = {}
    for start, documents in _documents(texts, numbers, unusual):
        for number, document in enumerate(documents, start):
            if problem := columns.misfit(document):
                problems[number] = problem.within("data")
    return problems


def joined(texts: Sequence[bytes], type_: pa.DataType, valid: NDArray[np.bool_] | None = None) -> pa.Array:
    """Return ``texts`` as an array of binary or string, copied once and not decoded: they were written as UTF-8.

    Those that are not ``valid`` are null.
    """
    ends = np.zeros(len(texts) + 1, np.int32)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)), out=ends[1:])
    bitmap = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
    return pa.Array.from_buffers(type_, len(texts), [bitmap, pa.py_buffer(ends), pa.py_buffer(b"".join(texts))])


def ordered(written: Sequence[bytes], lengths: Sequence[int], order: NDArray[np.int64]) -> pa.Array:
    """Return texts in another ``order`` as one binary array. ``written`` are the texts, some of them concatenated.

    They have less than 2 GiB together.
    """
    ends = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(np.asarray(lengths, np.int64), out=ends[1:])
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(written))]
    return pa.Array.from_buffers(pa.binary(), len(lengths), buffers).take(pa.array(order))


def _documents(
    texts: Sequence[bytes], numbers: Sequence[int], unusual: Mapping[int, Any]
) -> Iterator[tuple[int, list[Any]]]:
    for start in range(0, len(texts), PARSED_TOGETHER):
        end = start + PARSED_TOGETHER
        pairs = zip(numbers[start:end], texts[start:end], strict=True)
        yield start, [unusual[number] if number in unusual else orjson.loads(text) for number, text in pairs]


def _grouped_by_urn(bodies: Sequence[bytes]) -> Iterator[int]:
    """Yield the indexes of ``bodies``, grouped by their apparent URN.

    The validators of a thousand URNs do not fit into the processor's cache together. The guess affects speed only.
    """
    groups: dict[bytes, list[int]] = {}
    for number, body in enumerate(bodies):
        start = body.find(b'"job"')
        groups.setdefault(body[start : body.find(b'"', start + 10)], []).append(number)
    for numbers in groups.values():
        yield from numbers
