"""Enforcement of contracts: validators, built before the first message, and the modes, to refuse or only to report.

A service that adopts contracts begins with reports. It enforces once there are none.
"""

from __future__ import annotations

from collections.abc import Iterable

from babelreg.contract import Contract
from babelreg.errors import SchemaError, UsageError

ENFORCE = "enforce"
MODES = (ENFORCE, "report")


def reports(mode: str) -> bool:
    """Return True for ``report``, False for ``enforce``. Raises UsageError for anything else."""
    if mode not in MODES:
        raise UsageError(f"enforce is {mode!r}", fix=f"choose one of {', '.join(MODES)}")
    return mode != ENFORCE


def require_validators(contract: Contract, urns: Iterable[str]) -> None:
    """Build the validators of ``urns``.

    Raises one SchemaError that names every message whose validator cannot be built, with the reason.
    """
    failed: list[str] = []
    for urn in urns:
        try:
            contract.validator(urn)
        except SchemaError as err:
            failed.append(err.message)
        except RecursionError:
            failed.append(f"{urn}: the schema is nested too deeply")
    if failed:
        fix = "correct the schema in the registry (`babelreg lint` shows where), then generate the code again"
        raise SchemaError("; ".join(failed), fix=fix)
