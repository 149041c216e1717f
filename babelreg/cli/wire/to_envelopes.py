"""Messages of another wire format as envelopes, for ``babelreg validate --wire``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from babelreg.cli.wire.messages import ErrorReporter
from babelreg.finding import Finding, Severity

if TYPE_CHECKING:
    from babelreg.wire.format import Format, Frame, WireError
    from babelreg.wire.mapping import UrnMapping


class Bridged(NamedTuple):
    """A message as an envelope. ``body`` is None for a refused message, which has a ``reason``, and a control message.

    ``findings`` are those about the message in its own format.
    """

    body: bytes | None
    findings: list[Finding]
    reason: str | None = None
    frame: Frame | None = None


def bridged_messages(
    wire: Format, events: Iterable[Frame | WireError], path: str, *, mapping: UrnMapping, whole: bool = False
) -> Iterator[Bridged]:
    """Yield the messages that were read from ``path`` as envelopes.

    The envelopes are for validation alone: their ids and times are those of no other run.
    """
    from babelreg.cli.wire.hints import mapping_hint
    from babelreg.wire.findings import message_finding
    from babelreg.wire.format import Receipt, WireError

    reporter = ErrorReporter(wire, whole=whole)
    receipt = Receipt("0", 0, source=path)
    for event in events:
        if isinstance(event, WireError):
            yield Bridged(None, [reporter.finding(event, path)], event.code)
            continue
        warnings = [
            message_finding(defect, event, path)
            for defect in wire.validate(event.value)
            if defect.severity is not Severity.ERROR
        ]
        try:
            body, _ = wire.to_canonical(event, receipt, mapping=mapping)
        except WireError as err:
            finding = message_finding(err.diagnostic(), event, path)
            fix = mapping_hint(wire, event.value) if err.code == "unmapped_name" else None
            finding = replace(finding, fix=fix) if fix else reporter.with_fix(finding, event.raw, err)
            yield Bridged(None, [*warnings, finding], err.code, event)
            continue
        yield Bridged(body, warnings, None, event)


def at_frame(finding: Finding, wire: Format, frame: Frame, mapping: UrnMapping) -> Finding:
    """Return a finding about the envelope of a message as one about the message itself."""
    pointer = _foreign_pointer(wire, frame, finding.pointer or "", mapping)
    message = finding.message if frame.line is not None else f"byte {frame.offset}: {finding.message}"
    return replace(finding, pointer=pointer or None, message=message, offset=frame.offset)


def _foreign_pointer(wire: Format, frame: Frame, pointer: str, mapping: UrnMapping) -> str:
    """Return where the message has what its envelope has at ``pointer`` in ``data``; any other pointer unchanged."""
    if not pointer.startswith("/data"):
        return pointer
    return wire.data_pointer(frame.value, mapping) + pointer.removeprefix("/data")
