"""Validation of messages: one parser, one set of envelope rules, one pair of schema views, one verdict.

``validate``, generated consumers and Spark share it, so they cannot disagree. Its input is ``{urn: bundled schema}``.
It knows neither registries nor YAML, because it is copied into generated packages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babelreg.contract.envelope import Envelope
    from babelreg.contract.verdict import Contract, Verdict

__all__ = ["Contract", "Envelope", "Verdict"]


def __getattr__(name: str) -> Any:
    """Import the verdict on first use: lint needs the views only, and takes less time than this import."""
    if name == "Envelope":
        from babelreg.contract.envelope import Envelope

        return Envelope
    if name in ("Contract", "Verdict"):
        from babelreg.contract import verdict

        return getattr(verdict, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
