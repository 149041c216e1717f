"""One column of plain values as Arrow: numbers, texts, instants, JSON text.

Each maker takes what ``typemap`` says fits and nothing else, and gives the value that Spark would read from it; where
Arrow's own reading is more lenient (it cuts fractions off, takes a day for an instant), it is asked only for what
both read alike.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Context
from decimal import Decimal as Number
from typing import Any

import pyarrow as pa
from pyarrow import compute

from babelreg.lake.arrow import variant
from babelreg.lake.arrow.canonical_json import canonical
from babelreg.typemap.spark import Decimal, Json, Scalar, SparkType, Unstorable, value_check_for

REFUSED = (pa.ArrowException, Unstorable, TypeError, ValueError, AttributeError, ArithmeticError)
"""Exceptions raised for a value that does not fit the type of its column."""


class RefusedInstants(Unstorable):
    """Texts that are not instants of a column, by their ``numbers``."""

    def __init__(self, numbers: Sequence[int]) -> None:
        super().__init__("unstorable_timestamp")
        self.numbers = numbers


_Values = Sequence[Any]
_Maker = Callable[[_Values], pa.Array]

_INSTANT = pa.timestamp("us", "UTC")
_VARIANT_MARK = {"variant": "true"}
"""Metadata of the field ``metadata`` by which Spark knows a VARIANT in Arrow data."""

_VARIANT = pa.struct(
    [pa.field("value", pa.binary(), False), pa.field("metadata", pa.binary(), False, metadata=_VARIANT_MARK)]
)

_TYPES: dict[SparkType, pa.DataType] = {
    Scalar.BIGINT: pa.int64(),
    Scalar.DOUBLE: pa.float64(),
    Scalar.BOOLEAN: pa.bool_(),
    Scalar.STRING: pa.string(),
    Scalar.DATE: pa.date32(),
    Scalar.TIMESTAMP: _INSTANT,
    Scalar.BINARY: pa.binary(),
    Scalar.VARIANT: _VARIANT,
}

_PLAIN_INSTANT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9](\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})$"
_YEAR_1, _YEAR_9999 = -62_135_596_800_000_000, 253_402_300_799_999_999
"""The first and the last microsecond that every engine can hold."""

_FEW = 50
"""Texts that are converted one by one at less than the cost of calling Arrow (measured)."""

_DAY_1 = -719_162
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_EXACT = Context(prec=80)


def arrow_type(type_: SparkType) -> pa.DataType:
    """Return the Arrow type of a scalar column."""
    if isinstance(type_, Decimal):
        return pa.decimal128(type_.precision, type_.scale)
    return pa.string() if isinstance(type_, Json) else _TYPES[type_]


def maker(type_: SparkType, certain: bool) -> _Maker:
    """Return a function that makes an array of values of ``type_``; a value None becomes null.

    Values have the JSON type of the column if that is ``certain``; otherwise they are checked first. The function
    raises Unstorable, an exception of Arrow, a TypeError, ValueError or ArithmeticError for a value that does not fit.
    """
    make = _unchecked_maker(type_)
    check = None if certain else value_check_for(type_)
    if check is None or isinstance(type_, Json):
        return make
    return lambda values: make([value if value is None else check(value) for value in values])


def _unchecked_maker(type_: SparkType) -> _Maker:
    if isinstance(type_, Decimal):
        return _decimals(type_)
    if isinstance(type_, Json):
        return _elementwise(_json, pa.string())
    special: dict[SparkType, _Maker] = {
        Scalar.BIGINT: _integers,
        Scalar.DOUBLE: _doubles,
        Scalar.DATE: _dates,
        Scalar.TIMESTAMP: instants,
        Scalar.BINARY: _elementwise(lambda text: base64.b64decode(text, validate=True), pa.binary()),
        Scalar.VARIANT: _elementwise(_variant, _VARIANT),
    }
    return special[type_] if type_ in special else lambda values: pa.array(values, _TYPES[type_])


def _elementwise(convert: Callable[[Any], Any] | None, type_: pa.DataType) -> _Maker:
    assert convert is not None
    return lambda values: pa.array([value if value is None else convert(value) for value in values], type_)


def _integers(values: _Values) -> pa.Array:
    try:
        array = pa.array(values)  # with the type named, Arrow would cut off fractions
        if array.type == pa.int64():
            return array
    except OverflowError:
        raise Unstorable("unstorable_integer") from None
    except pa.ArrowInvalid:  # 1.0 and 2**53 + 1 side by side, which are no doubles
        pass
    fit = value_check_for(Scalar.BIGINT)
    assert fit is not None
    return pa.array([value if value is None else fit(value) for value in values], pa.int64())


def _doubles(values: _Values) -> pa.Array:
    try:
        return pa.array(values, pa.float64())
    except pa.ArrowInvalid:  # an integer or a Decimal that is rounded on the way: as JSON's readers do
        # -1e-400 is -0.0, which is stored as 0.0
        return pa.array([value if value is None else float(value) + 0.0 for value in values], pa.float64())


def _dates(values: _Values) -> pa.Array:
    dates = pa.array(values, pa.string()).cast(pa.date32())
    first = compute.min(dates.cast(pa.int32())).as_py()
    if first is not None and first < _DAY_1:
        raise Unstorable("unstorable_date")
    return dates


def instants(values: _Values | pa.Array) -> pa.Array:
    """Return texts as instants. Raises RefusedInstants."""
    if len(values) < _FEW:
        return _one_by_one(values)
    texts = values if isinstance(values, pa.Array) else pa.array(values, pa.string())
    plain = compute.match_substring_regex(texts, _PLAIN_INSTANT)
    others = compute.indices_nonzero(compute.invert(plain)).to_pylist()
    try:
        converted = _one_by_one(texts.take(pa.array(others, pa.int64())))
    except RefusedInstants as refused:
        raise RefusedInstants([others[number] for number in refused.numbers]) from None
    try:
        result = (compute.if_else(plain, texts, None) if others else texts).cast(_INSTANT)
    except pa.ArrowInvalid:
        return _one_by_one(values)
    ends = compute.min_max(result.cast(pa.int64())).as_py()
    if ends["min"] is not None and (ends["min"] < _YEAR_1 or ends["max"] > _YEAR_9999):
        return _one_by_one(values)
    return compute.replace_with_mask(result, compute.invert(plain).fill_null(False), converted) if others else result


def _one_by_one(values: _Values | pa.Array) -> pa.Array:
    fit = value_check_for(Scalar.TIMESTAMP)
    assert fit is not None
    microseconds: list[int | None] = []
    refused: list[int] = []
    for number, text in enumerate(values.to_pylist() if isinstance(values, pa.Array) else values):
        try:
            microseconds.append(None if text is None else _microseconds(fit(text)))
        except Unstorable:
            refused.append(number)
    if refused:
        raise RefusedInstants(refused)
    return pa.array(microseconds, pa.int64()).cast(_INSTANT)


def _microseconds(text: str) -> int:
    """Return microseconds since 1970; finer digits are cut off."""
    return (datetime.fromisoformat(text) - _EPOCH) // _MICROSECOND


def _decimals(type_: Decimal) -> _Maker:
    step, fit = Number(1).scaleb(-type_.scale), value_check_for(type_)
    assert fit is not None

    def number(value: Any) -> Number:
        fit(value)
        return Number(repr(value) if type(value) is float else value).quantize(step, context=_EXACT)

    return _elementwise(number, pa.decimal128(type_.precision, type_.scale))


def _json(value: Any) -> str:
    return canonical(value).decode()


def _variant(value: Any) -> dict[str, bytes]:
    """Return the binary encoding of VARIANT. Raise Unstorable for values that it cannot hold."""
    try:
        encoded, metadata = variant.encode(_json(value))
    except (RecursionError, ValueError, OverflowError):
        raise Unstorable("unstorable_variant") from None
    return {"value": encoded, "metadata": metadata}
