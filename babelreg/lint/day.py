"""The day that a text of the registry names."""

from __future__ import annotations

from datetime import date

__all__ = ["day"]


def day(text: str | None) -> date | None:
    """The day of ``YYYY-MM-DD``; None when there is no text, or no such day."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None
