"""Every report style by its name. A new style is one module, one line here, and one test of the same name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from babelreg.finding import Finding
from babelreg.report import github, gitlab, json, jsonl, junit, markdown, sarif, text, waivers, waivers_toml
from babelreg.report.about import About

__all__ = ["STYLES", "Style"]


class Style(Protocol):
    """A way of writing findings down. ``colour`` asks for ANSI colours; a style for machines ignores it."""

    def render(self, findings: Sequence[Finding], *, colour: bool = False, about: About = ...) -> str:
        """All findings, in the order given. The text ends with a newline unless it is empty."""
        ...


STYLES: dict[str, Style] = {
    "text": text,
    "json": json,
    "jsonl": jsonl,
    "github": github,
    "sarif": sarif,
    "junit": junit,
    "gitlab": gitlab,
    "markdown": markdown,
    "waivers": waivers,
    "waivers-toml": waivers_toml,
}
