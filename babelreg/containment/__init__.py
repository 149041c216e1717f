"""Containment of one JSON Schema in another: proof, search for a witness, verdict.

``compare`` decides it for two schemas in both directions, ``certify`` also returns the proofs of the compatible
directions, and ``verify`` replays them without a search. Built on ``schema`` and ``contract`` alone. Source: design,
decision 3.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babelreg.containment.certificates.checker import CertificateRefused
    from babelreg.containment.comparison import Comparison, DirectionVerdict
    from babelreg.containment.schema_pair import certify, compare, verify

__all__ = ["CertificateRefused", "Comparison", "DirectionVerdict", "certify", "compare", "verify"]

_MODULES = {
    "CertificateRefused": "certificates.checker",
    "Comparison": "comparison",
    "DirectionVerdict": "comparison",
    "certify": "schema_pair",
    "compare": "schema_pair",
    "verify": "schema_pair",
}


def __getattr__(name: str) -> Any:
    """Import the search on first use: `infer` needs only the validator."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
