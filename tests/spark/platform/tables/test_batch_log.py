"""The schemas of a batch are the same after they were in the log."""

from __future__ import annotations

import json
from typing import Any

import pytest

from babelreg.errors import InputError
from babelreg.lake.tasks.validation_spec import ValidationSpec
from babelreg.spark.platform.formats.batch_key import BatchKey
from babelreg.spark.platform.tables.batch_log import BegunBatch, check_same, packed, unpacked

A, B = "urn:babel:shop:a", "urn:babel:shop:b"


def test_schemas_come_back_as_they_were_packed() -> None:
    schemas = {A: {"type": "object", "properties": {"n": {"enum": ["\ud800", 10**30]}}}, B: {}}
    spec = ValidationSpec.of(schemas, [B], digests=False, mappings={"strata": {("Orders", "create", "request"): A}})
    again = unpacked(packed(spec))
    assert (again.key, again.schemas, again.strict, again.mappings) == (
        spec.key,
        spec.schemas,
        spec.strict,
        spec.mappings,
    )


@pytest.mark.parametrize(
    "changed, named",
    [
        pytest.param({"schemas": ["x"]}, "'schemas' is not an object", id="a list for the schemas"),
        pytest.param({"strict": "ab"}, "'strict' is not an array", id="a text for the strict readers"),
        pytest.param({"strict": [1]}, "'strict[0]' is not a string", id="a number for a strict reader"),
        pytest.param({"mappings": {"phpmq": [["Odd"]]}}, "'mappings.phpmq[0]' is not an array of 2", id="half a pair"),
        pytest.param({"mappings": {"phpmq": [[{}, A]]}}, "'mappings.phpmq[0][0]' is not", id="an object for a name"),
        pytest.param({"mappings": None}, "'mappings' is not an object", id="nothing"),
        pytest.param({"more": 1}, "'more'", id="a member that nobody knows"),
    ],
)
def test_schemas_that_were_changed_in_the_table_are_refused(changed: dict[str, Any], named: str) -> None:
    written = json.loads(packed(ValidationSpec.of({A: {}})))
    assert unpacked(json.dumps(written)).urns == (A,)
    with pytest.raises(InputError, match="a row of babelreg__batches was changed") as refused:
        unpacked(json.dumps({**written, **changed}))
    assert named in str(refused.value)


@pytest.mark.parametrize("text", ["", "{", "null", "[" * 100_000], ids=["nothing", "half", "null", "deep"])
def test_text_that_is_no_schemas_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="its 'schemas' cannot be read"):
        unpacked(text)


@pytest.mark.parametrize("messages, digest", [(3, 6), (2, 7)], ids=["other messages", "fewer messages"])
def test_a_number_does_not_mean_two_batches(messages: int, digest: int) -> None:
    begun = BegunBatch(BatchKey("nightly", 4), 3, 7, "", {})
    check_same(begun, 3, 7)
    with pytest.raises(InputError, match="batch 4 of application 'nightly' began with 3 messages"):
        check_same(begun, messages, digest)
