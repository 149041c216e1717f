"""Counts, shares and names as people read them."""

from __future__ import annotations


def cut(text: str) -> str:
    """Return the end of a long text, because the end of a path distinguishes it."""
    return text if len(text) <= 120 else f"…{text[-119:]}"


def number(count: int) -> str:
    """Return ``1,234,567``."""
    return f"{count:,}"


def share(part: float, total: float) -> str:
    """Return ``12.5 %``; a small share is never shown as 0 %, a large one never as 100 %."""
    if not total or not part:
        return "0 %"
    percent = 100 * part / total
    if percent < 0.1:
        return "< 0.1 %"
    if 99.9 < percent < 100:
        return "> 99.9 %"
    return f"{percent:.0f} %" if percent == round(percent) else f"{percent:.1f} %"
