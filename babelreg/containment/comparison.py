"""Result of a comparison of two schemas: one verdict per direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from babelreg.finding import NOTHING

VerdictKind = Literal["compatible", "breaking", "unknown"]


@dataclass(frozen=True, slots=True)
class DirectionVerdict:
    """Verdict on one direction: whether the reading side accepts every document of the writing side.

    ``witness`` is a document that the writing side allows and the reading side refuses; :data:`NOTHING` unless the kind
    is breaking (``None`` is the document ``null``). ``pointer`` is an RFC 6901 pointer to the refusing keyword in the
    refusing schema; for unknown, to the undecidable keyword of the new schema, if known, and ``against`` is the pointer
    to that of the old one. ``reason`` is a sentence. ``certified`` is True if an independent checker has replayed a
    proof of a compatible verdict; None if compatibility is evident from the schemas. ``fix`` is an instruction for a
    schema that cannot be used.
    """

    kind: VerdictKind
    witness: Any = NOTHING
    pointer: str | None = None
    reason: str | None = None
    against: str | None = None
    certified: bool | None = None
    fix: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return ``{"kind", "witness", "pointer", "reason", "fix", "certified"}`` without the absent parts."""
        result: dict[str, Any] = {"kind": self.kind}
        if self.witness is not NOTHING:
            result["witness"] = self.witness
        rest = {"pointer": self.pointer, "reason": self.reason, "fix": self.fix, "certified": self.certified}
        return result | {name: value for name, value in rest.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Verdicts on two schemas. ``backward``: new readers accept old data. ``forward``: old readers accept new data."""

    backward: DirectionVerdict
    forward: DirectionVerdict

    def as_json(self) -> dict[str, Any]:
        """Return ``{"backward": {...}, "forward": {...}}``."""
        return {"backward": self.backward.as_json(), "forward": self.forward.as_json()}
