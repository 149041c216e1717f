"""``babelreg validate --spark``: what the quarantine of ``lake ingest`` would say of valid messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babelreg.contract import Verdict
    from babelreg.model import Registry

_FIXES = {
    "integer": "keep it within 64 bits, or declare its `maximum`: a column for more digits is made of that",
    "number": "send a number that a double holds, or ask for `x-spark-type: json`",
    "decimal": "send as many digits as its x-spark-type says, or widen that: `x-spark-type: decimal(38,6)`",
    "timestamp": "send an instant of the years 1 to 9999 without a leap second, or ask for `x-spark-type: string`",
    "date": "send a day of the years 1 to 9999, or ask for `x-spark-type: string`",
    "binary": "send base64 (RFC 4648, with its padding), or ask for `x-spark-type: string`",
    "type": "declare it alike in all variants of its object, or ask for `x-spark-type: json`",
    "string": "let the producer send whole characters: half of a surrogate pair has no UTF-8",
    "depth": "let the producer nest less deep",
    "variant": "ask for `x-spark-type: json`: text holds what a VARIANT does not",
}


def fix(reason: str) -> str:
    """Return the fix for one ``unstorable_…`` reason."""
    return _FIXES.get(reason.removeprefix("unstorable_"), "let the producer send what the column can hold")


def stored(
    validate: Callable[[bytes], Verdict], registry: Registry, data_urn: str | None
) -> Callable[[bytes], Verdict]:
    """``validate``, followed for valid messages by what the columns of their table say.

    ``data_urn`` as for ``validate``: the message whose bare data is validated.
    """
    from babelreg.contract import Verdict
    from babelreg.contract.parse import bare
    from babelreg.typemap.spark.storable import Storable, detail

    storable = Storable(registry.schemas)

    def judge_stored(body: bytes) -> Verdict:
        verdict = validate(body)
        if verdict.reason is not None:
            return verdict
        if data_urn is not None:
            problem = storable.data(data_urn, bare(body))
        else:
            assert verdict.envelope is not None
            problem = storable.message(verdict.envelope)
        if problem is None:
            return verdict
        return Verdict(problem.code, problem.pointer, detail(problem.code), verdict.envelope)

    return judge_stored
