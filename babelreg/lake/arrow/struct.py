"""``data`` as Arrow: the columns of a table, made of many documents at once, a column at a time.

A document is valid by its schema already; what is asked here is whether its columns can hold it. ``Columns.typed``
asks by trying: Arrow takes a whole column of values in a fraction of the time that looking at each would need, and
refuses what is not exactly one of its type. Only where it does, the documents are looked at one by one, by
``column_check``, which says which of them cannot be stored and why. A document that passes there and still does not
become Arrow ends the run: a value is never turned into a null in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import pyarrow as pa

from babelreg.lake.arrow import scalars
from babelreg.lake.arrow.json_reader import Read, reader
from babelreg.typemap import spark as typemap
from babelreg.typemap.spark import Array, Map, Scalar, SparkType, Struct, Unstorable

_Values = Sequence[Any]
_Maker = Callable[[_Values], pa.Array]

_FEW, _PARTS = 32, 8


def arrow_type(type_: SparkType) -> pa.DataType:
    """Return the Arrow type whose parquet Spark, and every other engine, reads as ``type_``."""
    if isinstance(type_, Struct):
        return pa.struct([pa.field(column.name, arrow_type(column.type)) for column in type_.fields])
    if isinstance(type_, Array):
        return pa.list_(pa.field("element", arrow_type(type_.element)))
    if isinstance(type_, Map):
        return pa.map_(pa.string(), arrow_type(type_.value))
    return scalars.arrow_type(type_)


class Columns:
    """The columns of one URN's ``data``. Make one per struct and keep it; ``type`` is the Arrow struct.

    What converts documents is made when it is first used: small tables are read together (see ``joint_reader``).
    """

    def __init__(self, struct: Struct) -> None:
        self.type = arrow_type(struct)
        self._struct = struct

    @cached_property
    def decided_by_rules(self) -> bool:
        """True where :meth:`misfit` finds all that :meth:`typed` refuses: VARIANT has its own bounds."""
        return all(type_ is not Scalar.VARIANT for _, type_ in typemap.leaves(self._struct))

    @cached_property
    def _maker(self) -> _Maker:
        return _struct(self._struct, certain=True)

    @cached_property
    def _fit(self) -> Callable[[Any], object]:
        return typemap.column_check(self._struct)

    @cached_property
    def _read(self) -> Read | None:
        return reader(self._struct)

    def read(self, documents: pa.Array) -> tuple[pa.Array, list[int]] | None:
        """Return :meth:`typed` of canonical JSON in a binary array, at half the cost; None if each needs a check.

        In place of the errors of documents that it omits are their numbers.
        """
        if self._read is None:
            return None
        try:
            return self._read(documents)
        except scalars.REFUSED:
            return None

    def typed(self, documents: Sequence[Mapping[str, Any]]) -> tuple[pa.Array, dict[int, Unstorable]]:
        """Return the documents as one struct array, and the errors of those that it omits, by their number.

        ``documents`` satisfy the schema, and are as they were parsed: no value is converted yet.
        """
        try:
            return self._maker(documents), {}
        except scalars.REFUSED:
            return self._typed_in_parts(documents) if len(documents) > _FEW else self._one_by_one(documents)

    def _typed_in_parts(self, documents: Sequence[Mapping[str, Any]]) -> tuple[pa.Array, dict[int, Unstorable]]:
        """Return the same for parts of the documents: most parts have no refused document."""
        arrays, problems = [], {}
        step = -(-len(documents) // _PARTS)
        for start in range(0, len(documents), step):
            array, part_problems = self.typed(documents[start : start + step])
            arrays.append(array)
            problems.update({start + number: problem for number, problem in part_problems.items()})
        return pa.concat_arrays(arrays), problems

    def _one_by_one(self, documents: Sequence[Mapping[str, Any]]) -> tuple[pa.Array, dict[int, Unstorable]]:
        problems = {number: problem for number, row in enumerate(documents) if (problem := self.misfit(row))}
        try:
            return self._maker([row for number, row in enumerate(documents) if number not in problems]), problems
        except scalars.REFUSED:  # beyond what fits as JSON, there is what Spark's own encoding of a VARIANT refuses
            refused = {number: problem for number, row in enumerate(documents) if (problem := self._refused(row))}
            problems = {**refused, **problems}
            return self._maker([row for number, row in enumerate(documents) if number not in problems]), problems

    def misfit(self, document: Mapping[str, Any]) -> Unstorable | None:
        """Return why ``document`` cannot be stored by the rules of ``typemap``; None if it can."""
        try:
            self._fit(document)
        except Unstorable as problem:
            return _bare(problem)
        return None

    def _refused(self, document: Mapping[str, Any]) -> Unstorable | None:
        """Return the reason why ``document`` cannot be stored, or None. Raise RuntimeError if it is unknown."""
        try:
            self._maker([document])
        except Unstorable as problem:
            return _bare(problem)
        except scalars.REFUSED as err:
            if self.misfit(document) is None:
                # not the error's text, nor its cause: it quotes the value, and logs are read by more than tables
                raise RuntimeError(
                    f"a document that passed all checks does not fit its columns ({type(err).__name__}); "
                    "nothing was written"
                ) from None
        return None


def _bare(problem: Unstorable) -> Unstorable:
    """Return ``problem`` without its traceback, whose frames reference the whole batch in a cycle."""
    problem.__traceback__ = problem.__context__ = None
    return problem


def _make(type_: SparkType, certain: bool) -> _Maker:
    """Return a function that makes an array of values of ``type_``; ``certain`` as in ``typemap.spark.Field``."""
    if isinstance(type_, Struct):
        return _struct(type_, certain)
    if isinstance(type_, Array):
        return _array(type_, certain)
    if isinstance(type_, Map):
        return _map(type_, certain)
    return scalars.maker(type_, certain)


def _struct(struct: Struct, certain: bool) -> _Maker:
    members = [(column.name, _make(column.type, certain and column.certain)) for column in struct.fields]
    type_ = arrow_type(struct)
    fields = list(type_)

    def make(values: _Values) -> pa.Array:
        values, mask = _present(values, dict, certain)
        if not members:
            return pa.array(values, type_)
        arrays = [maker([value.get(name) for value in values]) for name, maker in members]
        return pa.StructArray.from_arrays(arrays, fields=fields, mask=mask)

    return make


def _array(type_: Array, certain: bool) -> _Maker:
    element, list_type = _make(type_.element, certain), arrow_type(type_)

    def make(values: _Values) -> pa.Array:
        values, mask = _present(values, list, certain)
        items: list[Any] = []
        offsets = [0]
        for value in values:
            items += value
            offsets.append(len(items))
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), element(items), type=list_type, mask=mask)

    return make


def _map(type_: Map, certain: bool) -> _Maker:
    item, map_type = _make(type_.value, certain and type_.certain), arrow_type(type_)

    def make(values: _Values) -> pa.Array:
        values, mask = _present(values, dict, certain)
        keys: list[str] = []
        items: list[Any] = []
        offsets = [0]
        for value in values:
            keys += value.keys()
            items += value.values()
            offsets.append(len(keys))
        at = pa.array(offsets, pa.int32())
        return pa.MapArray.from_arrays(at, pa.array(keys, pa.string()), item(items), map_type, mask=mask)

    return make


def _present(values: _Values, kind: type, certain: bool) -> tuple[_Values, pa.Array | None]:
    """Return ``values`` with an empty value for None, and its mask. Raise Unstorable for another type."""
    if not certain and any(value is not None and type(value) is not kind for value in values):
        raise Unstorable("unstorable_type")
    if None not in values:
        return values, None
    return [kind() if value is None else value for value in values], pa.array([v is None for v in values], pa.bool_())
