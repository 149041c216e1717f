"""Every number text is stored as its value in each type of column, or refused with a reason, however it is typed."""

from __future__ import annotations

import json
import random
import struct
import sys
from collections import Counter
from collections.abc import Collection, Iterable
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from babelreg.contract.parse import deep
from babelreg.lake.tasks.row_validator import RefusedRow
from babelreg.lake.tasks.validated_batches import ValidatedBatches
from babelreg.lake.tasks.validation_spec import ValidationSpec
from babelreg.typemap.spark import UNSTORABLE

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
from number_texts import BORDERS, number_text

COLUMNS = {
    "bigint": {"type": "integer"},
    "double": {"type": "number"},
    "decimal": {"type": "number", "x-spark-type": "decimal(38,10)"},
    "cents": {"type": "number", "x-spark-type": "decimal(10,2)"},
    "any": {},
    "json": {"type": "number", "x-spark-type": "json"},
    "variant": {"type": "number", "x-spark-type": "variant"},
    "mixed": {"type": ["number", "string"]},
}
SCHEMAS = {
    **{f"urn:babel:one:{name}": {"type": "object", "properties": {"n": schema}} for name, schema in COLUMNS.items()},
    **{f"urn:babel:many:{name}": {"type": "object", "properties": {"n": {"type": "array", "items": schema}}} for name, schema in COLUMNS.items()},
}  # fmt: skip
KIND = {**dict.fromkeys(("decimal", "cents"), "unstorable_decimal"), "bigint": "unstorable_integer"}


def message(text: str, urn: str) -> bytes:
    meta = '{"id":"m","queue":"q","lang":"php","schema_version":1,"created_at":1749132727000}'
    n = text if ":one:" in urn else f"[{text},{text}]"
    return f'{{"job":"{urn}","trace_id":"t","data":{{"n":{n}}},"meta":{meta},"attempts":0}}'.encode()


def stored(row: dict[str, Any], urn: str) -> Any:
    """Return the value of the column, without an array around it."""
    value = row[urn][0]["n"]
    return value if ":one:" in urn else value[0]


def check(row: dict[str, Any], text: str, urn: str) -> str | None:
    """Check one row; return its reason."""
    number, column = Decimal(text), urn.rpartition(":")[2]
    if row["reason"] is not None:
        whole = number == number.to_integral_value()
        allowed = {KIND.get(column), "not_an_integer" if column == "bigint" and not whole else None}
        if column == "variant":
            allowed = {"unstorable_variant"}
        if abs(number) > Decimal("1.7976931348623157e308"):
            allowed = {"number_out_of_range"}
        assert row["reason"] in allowed - {None}, (text, urn, row["reason"])
        return str(row["reason"])
    data_json = json.loads(row["data_json"], parse_float=Decimal, parse_int=Decimal)["n"]
    assert (data_json if ":one:" in urn else data_json[0]) == number, (text, urn, row["data_json"])
    value = stored(row, urn)
    if column == "double":
        assert struct.pack("d", value) == struct.pack("d", float(text) + 0.0), (text, urn, value)
    elif column == "variant":
        pass  # its bytes are those of its text, which data_json shows
    else:
        assert Decimal(value) == number, (text, urn, value)
    return None


def rows(validated: ValidatedBatches, bodies: list[bytes]) -> list[dict[str, Any]]:
    return [row for row in validated.validated(pa.array(bodies, pa.binary())).to_pylist() if row is not None]


def check_all(texts: Iterable[str], urns: Collection[str] = tuple(SCHEMAS)) -> dict[str, int]:
    """Check every text in the column of every URN, many rows at once; return the number of rows by reason."""
    spec = ValidationSpec.of(SCHEMAS, digests=False)
    validated, reasons = ValidatedBatches(spec, urns), Counter[str]()
    remaining = iter(texts)
    while part := list(islice(remaining, 2_000)):
        for urn in urns:
            for text, row in zip(part, rows(validated, [message(text, urn) for text in part]), strict=True):
                reasons[check(row, text, urn) or "stored"] += 1
    return reasons


def test_a_number_is_stored_as_its_value_or_refused_with_a_reason() -> None:
    source = random.Random(11)
    reasons = check_all([*BORDERS, *(number_text(source) for _ in range(150))])
    assert reasons["stored"] > 1_000
    assert {"not_an_integer", "unstorable_integer", "unstorable_decimal", "unstorable_variant"} <= reasons.keys()


@pytest.mark.long
@pytest.mark.parametrize("column", COLUMNS)
def test_a_million_numbers_are_stored_as_their_values_or_refused_with_a_reason(column: str) -> None:
    source = random.Random(column)
    reasons = check_all((number_text(source) for _ in range(1_000_000)), [f"urn:babel:one:{column}"])
    print(column, dict(reasons))  # -s shows it
    assert sum(reasons.values()) == 1_000_000
    assert reasons["stored"] > 50_000


def test_a_row_does_not_depend_on_the_rows_beside_it() -> None:
    """Alone a row is typed by the slow path, among many by the fast one, beside a refused one by the slow one again."""
    spec = ValidationSpec.of(SCHEMAS, digests=False)
    validator = spec.row_validator()
    for urn in spec.urns:
        validated, bodies = ValidatedBatches(spec, [urn]), [message(text, urn) for text in BORDERS]
        few = rows(validated, bodies)
        accepted = [number for number, row in enumerate(few) if row["reason"] is None]
        fast = rows(validated, [bodies[number] for number in accepted] * 10)
        assert repr(fast) == repr([few[number] for number in accepted] * 10)
        if urn == "urn:babel:one:double":
            assert repr([rows(validated, [body])[0] for body in bodies]) == repr(few)
        with deep():
            results = [validator.validate(body) for body in bodies]
        reasons = [result.reason if isinstance(result, RefusedRow) else None for result in results]
        assert reasons == [row["reason"] for row in few]


def test_minus_zero_is_stored_as_zero() -> None:
    """They are one number, and other languages write one for the other."""
    spec = ValidationSpec.of(SCHEMAS, digests=False)
    validated, urn = ValidatedBatches(spec, spec.urns), "urn:babel:one:double"
    beside = ["0.5", "12345678901234567.89", "1180591620717411303424", "-0"]
    for texts in (["-0.0"], ["-0.0", *beside], ["-0.0", *beside * 100]):
        row = rows(validated, [message(text, urn) for text in texts])[0]
        assert (repr(stored(row, urn)), row["data_json"]) == ("0.0", '{"n":0}')


def test_the_reasons_have_a_meaning() -> None:
    assert {*KIND.values(), "unstorable_variant"} <= UNSTORABLE.keys()
