"""Validators of messages, built before the first message is sent or handled."""

from __future__ import annotations

from collections.abc import Iterable

from babelreg.contract import Contract
from babelreg.errors import SchemaError

__all__ = ["require_validators"]


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
            failed.append(f"{urn}: the schema nests too deep")
    if failed:
        fix = "correct the schema in the registry (`babelreg lint` shows where), then generate the code again"
        raise SchemaError("; ".join(failed), fix=fix)
