"""``babelreg validate --spark``: what the quarantine of ``lake ingest`` would say of valid messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babelreg.contract import Verdict
    from babelreg.model import Registry

_FIXES = {
    "integer": "keep it within 64 bits, or declare a `maximum`, from which a column with more digits is made",
    "number": "send a number in the range of a double, or set `x-spark-type: json`",
    "decimal": "send at most the digits of its x-spark-type, or widen that: `x-spark-type: decimal(38,6)`",
    "timestamp": "send an instant of the years 1 to 9999 without a leap second, or set `x-spark-type: string`",
    "date": "send a day of the years 1 to 9999, or set `x-spark-type: string`",
    "binary": "send base64 (RFC 4648, with its padding), or set `x-spark-type: string`",
    "type": "declare it in the same way in all variants of its object, or set `x-spark-type: json`",
    "string": "make the producer send whole characters: an unpaired surrogate cannot be encoded as UTF-8",
    "depth": "make the producer nest less deeply",
    "variant": "set `x-spark-type: json`: JSON text can store what a VARIANT cannot",
}


def fix(reason: str) -> str:
    """Return the fix for one ``unstorable_…`` reason."""
    return _FIXES.get(reason.removeprefix("unstorable_"), "make the producer send what the column can store")


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
