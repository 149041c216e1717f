"""VARIANT is encoded byte for byte as Spark encodes it."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.lake.arrow.variant import VariantError, encode

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.integers(-70_000, 70_000)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.decimals(-(10**9), 10**9, places=4).map(float)
    | st.text(st.characters(codec="utf-8"), max_size=80),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=30,
)


def _by_spark(text: str) -> tuple[bytes, bytes]:
    variant_utils = pytest.importorskip("pyspark.sql.variant_utils")
    value, metadata = variant_utils.VariantUtils.parse_json(text)
    return bytes(value), bytes(metadata)


@settings(max_examples=fewer(60))
@given(JSON)
def test_any_json_is_encoded_as_by_spark(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    try:
        encoded = encode(text)
    except VariantError:
        assert not _is_returned(text)
    else:
        assert encoded == _by_spark(text)


def _is_returned(text: str) -> bool:
    """Return False where Spark's own encoding changes a number: a double for an integer of more than 38 digits."""
    numbers: list[str] = []
    json.loads(text, parse_int=numbers.append)
    return all(len(number.lstrip("-")) <= 38 or Decimal(repr(float(number))) == int(number) for number in numbers)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("-0.0", id="minus zero"),
        pytest.param("[0.1, 123456789.1, 0.000000000000000001, 1e3, 1.00]", id="decimals of each size"),
        pytest.param("99999999999999999999999999999999999999", id="as many digits as a decimal has"),
        pytest.param("1" + "0" * 38, id="one more, which a double returns"),
        pytest.param(json.dumps(list(range(300))), id="more than 255 members"),
        pytest.param(json.dumps({f"key {n}": n for n in range(300)}), id="more than 255 keys"),
        pytest.param(json.dumps(["x" * 63, "x" * 64, "ä" * 32]), id="short and long strings"),
        pytest.param(json.dumps(["x" * 70_000, {"a": "y" * 300}]), id="offsets of three bytes"),
        pytest.param('{"b": {"a": 1, "b": 2}, "a": [{"b": 3}]}', id="keys that come again"),
    ],
)
def test_a_border_is_encoded_as_by_spark(text: str) -> None:
    assert encode(text) == _by_spark(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("999999999999999999999999999999999999999", id="an integer of more digits than a decimal has"),
        pytest.param("0.00000000000000000000012345678901234567890", id="a fraction of more places"),
        pytest.param("1e-400", id="a number below all doubles"),
    ],
)
def test_a_number_that_spark_would_change_is_refused(text: str) -> None:
    with pytest.raises(VariantError, match="more digits"):
        encode(f'{{"n":{text}}}')


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("x" * 16 * 1024 * 1024, id="a string"),
        pytest.param({"x" * 16 * 1024 * 1024: 1}, id="a key"),
        pytest.param(["x" * 6_000_000] * 3, id="members together"),
    ],
)
def test_more_than_16_mib_is_refused(value: object) -> None:
    with pytest.raises(VariantError, match="bytes of VARIANT are more than 1677721"):
        encode(json.dumps(value))
