"""Table of the report styles: a new one is a module in ``styles/``, a line here, and a test of the same name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from babelreg.finding import Finding
from babelreg.report.run_info import RunInfo
from babelreg.report.styles import github, gitlab, json, jsonl, junit, markdown, sarif, text, waivers, waivers_toml


class Style(Protocol):
    """Interface of a report style. ``colour`` requests ANSI colours; styles for programs ignore it."""

    def render(self, findings: Sequence[Finding], *, colour: bool = False, run_info: RunInfo = ...) -> str:
        """Return the report of all findings, in the order given. It ends with a newline unless it is empty."""
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
