"""The schemas of a batch are the same after they were in the log."""

from __future__ import annotations

import pytest

from babelreg.errors import InputError
from babelreg.spark.platform.tables.batch.batch_key import BatchKey
from babelreg.spark.platform.tables.batch.batch_log import BegunBatch, check_same, packed, unpacked
from babelreg.spark.tasks.validation_spec import ValidationSpec

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


@pytest.mark.parametrize("messages, digest", [(3, 6), (2, 7)], ids=["other messages", "fewer messages"])
def test_a_number_does_not_mean_two_batches(messages: int, digest: int) -> None:
    begun = BegunBatch(BatchKey("nightly", 4), 3, 7, "", {})
    check_same(begun, 3, 7)
    with pytest.raises(InputError, match="batch 4 of application 'nightly' began with 3 messages"):
        check_same(begun, messages, digest)
