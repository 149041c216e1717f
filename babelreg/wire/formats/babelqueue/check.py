"""Validation of BabelQueue envelopes by the rules of ``contract``: as a reader, or as a producer (profile strict)."""

from __future__ import annotations

from babelreg.contract import Envelope, emit
from babelreg.contract.envelope import ASCII_BLANKS, fault
from babelreg.finding import Severity
from babelreg.wire.compact_json import unwritable
from babelreg.wire.format import Diagnostic, Profile


def validate(value: Envelope, *, profile: Profile | None = None) -> list[Diagnostic]:
    """Return the first fault in upstream's order, and a warning for every key that decoding dropped.

    The profile strict holds the rules for a producer (E4 to E17) beside those for a reader, and last that the message
    has a form in JSON.
    """
    if profile != "strict" and not value.warnings and _handled(value):
        return []
    wrong = fault(value)
    if wrong is None and profile == "strict":
        wrong = emit.fault(value.document)
    last = unwritable(value.document) if wrong is None and profile == "strict" else []
    if wrong is None and not value.warnings:
        return last
    diagnostics = [
        Diagnostic(
            "wrong_member_type" if warning.pointer == "/job" else "forbidden_key",
            warning.pointer,
            warning.message,
            Severity.WARNING,
        )
        for warning in value.warnings
    ]
    if wrong is not None:
        diagnostics.append(Diagnostic(wrong.reason, wrong.pointer, wrong.detail))
    return diagnostics + last


def _handled(value: Envelope) -> bool:
    """Return True for an envelope without a fault; False leaves it to ``fault``."""
    try:
        document = value.document
        return (
            document["meta"]["schema_version"] == 1
            and document["attempts"] >= 0
            and document["trace_id"].strip(ASCII_BLANKS) != ""
            and document["data"] is not None
            and value.urn != ""
        )
    except (KeyError, TypeError, AttributeError):
        return False
