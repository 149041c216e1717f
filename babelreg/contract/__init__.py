"""What a message must satisfy: one parser, one set of envelope rules, one pair of views, one verdict.

``validate``, generated consumers and Spark use this, and so cannot disagree. It takes ``{urn: bundled schema}``; it
knows no registry and no YAML, for it is copied into generated packages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babelreg.contract.envelope import Envelope
    from babelreg.contract.verdict import Contract, Verdict

__all__ = ["Contract", "Envelope", "Verdict"]


def __getattr__(name: str) -> Any:
    """The verdict, when it is asked for: lint needs the views alone, and is over in less than it takes to import."""
    if name == "Envelope":
        from babelreg.contract.envelope import Envelope

        return Envelope
    if name in ("Contract", "Verdict"):
        from babelreg.contract import verdict

        return getattr(verdict, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
