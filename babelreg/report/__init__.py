"""Findings as text, JSON and JSON lines: one module a style, chosen by name.

A style is a module with ``render(findings, colour=...) -> str``; the text ends with a newline unless it is empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from babelreg.errors import UsageError
from babelreg.finding import Finding
from babelreg.report import json, jsonl, text
from babelreg.report.colour import colour_wanted
from babelreg.report.summary import summary
from babelreg.report.text import printable

__all__ = ["STYLES", "Style", "colour_wanted", "printable", "render", "summary"]


class Style(Protocol):
    """A way of writing findings down. ``colour`` asks for ANSI colours; a style for machines ignores it."""

    def render(self, findings: Sequence[Finding], *, colour: bool = False) -> str:
        """All findings, in the order given."""
        ...


STYLES: dict[str, Style] = {
    "text": text,
    "json": json,
    "jsonl": jsonl,
}


def render(findings: Sequence[Finding], style: str = "text", *, colour: bool = False) -> str:
    """The report in ``style``.

    Raises UsageError when there is no such style.
    """
    if style not in STYLES:
        raise UsageError(f"there is no report style '{style}'", fix=f"--format {'|'.join(STYLES)}")
    return STYLES[style].render(findings, colour=colour)
