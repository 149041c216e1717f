"""Reasons why an input file is set aside: it no longer holds the bytes that were read."""

from __future__ import annotations

from collections.abc import Mapping

from babelreg.lake.storage.log.batch_record import SetAside
from babelreg.wire.formats.table import FORMATS

REPLACED, TRUNCATED, GREW_PACKED, LINE_WENT_ON = "replaced", "truncated", "grew_packed", "line_went_on"

REASONS: Mapping[str, str] = {
    REPLACED: "its first {end:,} bytes have changed since they were read",
    TRUNCATED: "{end:,} bytes of it were read, and it is shorter now",
    GREW_PACKED: "it was read as a compressed file of {end:,} bytes, and has grown since",
    LINE_WENT_ON: "it ended in the middle of a line, at byte {end:,}, and that line was completed after it was read",
}
"""Explanation of each reason code."""

FIX = "give the new content a new name, and the next run reads it; keep rotated logs in the input folder"


_HELD = "held:"


def held(code: str) -> str:
    """Return the reason of a stream of packets whose next message has the error ``code``."""
    return f"{_HELD}{code}"


def explained(file: SetAside) -> str:
    """Return the sentence that explains why ``file`` is set aside."""
    if file.why.startswith(_HELD):
        code = file.why.removeprefix(_HELD)
        known = next((wire.CODES[code] for wire in FORMATS.values() if wire.spans and code in wire.CODES), None)
        text = f"{known.meaning} [{code}]" if known else code
        return f"reading stopped at byte {file.end:,}: {text}; once it is repaired there, the next run continues"
    return REASONS.get(file.why, file.why).format(end=file.end)
