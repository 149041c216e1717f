"""Findings as text, JSON, SARIF and more: one module a style, chosen by name; the table is in ``styles.py``.

Text is what nearly every run prints, so the other styles are imported only when one of them is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from babelreg.errors import UsageError
from babelreg.finding import Finding
from babelreg.report import text
from babelreg.report.about import PLAIN, About, RuleText
from babelreg.report.colour import colour_wanted
from babelreg.report.printable import printable
from babelreg.report.summary import summary

if TYPE_CHECKING:
    from babelreg.report.styles import STYLES

__all__ = ["STYLES", "About", "RuleText", "colour_wanted", "printable", "render", "summary"]


def __getattr__(name: str) -> Any:
    if name == "STYLES":
        from babelreg.report import styles

        return styles.STYLES
    raise AttributeError(name)


def render(findings: Sequence[Finding], style: str = "text", *, colour: bool = False, about: About = PLAIN) -> str:
    """The report in ``style``.

    Raises UsageError when there is no such style.
    """
    if style == "text":
        return text.render(findings, colour=colour, about=about)
    from babelreg.report.styles import STYLES

    if style not in STYLES:
        raise UsageError(f"there is no report style '{style}'", fix=f"--format {'|'.join(STYLES)}")
    return STYLES[style].render(findings, colour=colour, about=about)
