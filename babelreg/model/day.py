"""The day that a text of the registry names."""

from __future__ import annotations

from datetime import date

__all__ = ["day"]


def day(text: str | None) -> date | None:
    """The day of ``YYYY-MM-DD``; None when there is no text, or no such day."""
    try:
        found = date.fromisoformat(text) if text else None
    except ValueError:
        return None
    return found if found is not None and found.isoformat() == text else None  # 20270331 and 2027-W13-3 are read too
