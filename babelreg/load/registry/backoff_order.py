"""The order of a message's retry delays: the longest one is not shorter than the first one.

A JSON Schema cannot compare two values of a file, so this is checked beside the schema of the format. A value that is
left out counts with its default.
"""

from __future__ import annotations

from typing import Any

from babelreg.finding import Finding
from babelreg.load.files.defect import finding
from babelreg.model import Source
from babelreg.model.message import Backoff
from babelreg.schema import pointer

_AT = ("delivery", "backoff")


def check(source: Source, value: dict[str, Any]) -> list[Finding]:
    """Return the finding about ``delivery.backoff`` of a message file whose values have the right types."""
    backoff = value.get("delivery", {}).get("backoff")
    if not backoff:
        return []
    default = Backoff()
    first = backoff.get("first_seconds", default.first_seconds)
    longest = backoff.get("longest_seconds", default.longest_seconds)
    if longest >= first:
        return []
    key = "longest_seconds" if "longest_seconds" in backoff else "first_seconds"
    implied = {"longest_seconds": "first_seconds", "first_seconds": "longest_seconds"}[key]
    note = "" if implied in backoff else ", its default"
    at = (*_AT, key)
    if key == "longest_seconds":
        message = f"'delivery.backoff.longest_seconds' is {longest}, less than first_seconds ({first}{note})"
        fix = f"write longest_seconds: {first} or more" if not note else f"add first_seconds: {longest} or less"
    else:
        message = f"'delivery.backoff.first_seconds' is {first}, more than longest_seconds ({longest}{note})"
        fix = f"add longest_seconds: {first} or more"
    return [finding("value-invalid", message, source.place(at), fix=fix, pointer=pointer.text(at))]
