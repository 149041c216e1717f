"""Input files that are set aside: their bytes are no longer those that were read, so neither is it right to read on."""

from __future__ import annotations

from collections.abc import Mapping

from babelreg.spark.lake.log.batch_record import SetAside

__all__ = ["FIX", "GREW_PACKED", "LINE_WENT_ON", "REASONS", "REPLACED", "TRUNCATED", "explained"]

REPLACED, TRUNCATED, GREW_PACKED, LINE_WENT_ON = "replaced", "truncated", "grew_packed", "line_went_on"

REASONS: Mapping[str, str] = {
    REPLACED: "its first {end:,} bytes, which were read, are other ones now",
    TRUNCATED: "{end:,} bytes of it were read, and it is shorter now",
    GREW_PACKED: "it was read as a packed file of {end:,} bytes, and grew",
    LINE_WENT_ON: "it ended within a line, at byte {end:,}, when it was read, and that line went on",
}
"""Why a file is set aside, as text."""

FIX = "give the new content a name that was not used before, and the next run reads it"


def explained(file: SetAside) -> str:
    """Return why ``file`` is set aside."""
    return REASONS.get(file.why, file.why).format(end=file.end)
