"""Dates in the texts of a registry."""

from __future__ import annotations

from datetime import date


def day(text: str | None) -> date | None:
    """Return the day of ``YYYY-MM-DD``; None when there is no text, or no such day."""
    try:
        parsed = date.fromisoformat(text) if text else None
    except ValueError:
        return None
    return parsed if parsed is not None and parsed.isoformat() == text else None  # 20270331 and 2027-W13-3 are read too
