"""Reports of findings: text, JSON, SARIF and more. One module per style in ``styles/``, listed in ``style_table.py``.

A style is imported only when a run prints findings in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from babelreg.errors import UsageError
from babelreg.finding import Finding
from babelreg.report.colour import colour_wanted
from babelreg.report.printable import printable
from babelreg.report.run_info import DEFAULT_RUN_INFO, RuleText, RunInfo
from babelreg.report.summary import summary

if TYPE_CHECKING:
    from babelreg.report.style_table import STYLES

__all__ = ["STYLES", "RuleText", "RunInfo", "colour_wanted", "printable", "render", "summary"]


def __getattr__(name: str) -> Any:
    if name == "STYLES":
        from babelreg.report import style_table

        return style_table.STYLES
    raise AttributeError(name)


def render(
    findings: Sequence[Finding], style: str = "text", *, colour: bool = False, run_info: RunInfo = DEFAULT_RUN_INFO
) -> str:
    """Return the report of ``findings`` in ``style``.

    Raises UsageError when there is no such style.
    """
    if style == "text":
        from babelreg.report.styles import text

        return text.render(findings, colour=colour, run_info=run_info)
    from babelreg.report.style_table import STYLES

    if style not in STYLES:
        raise UsageError(f"there is no report style '{style}'", fix=f"--format {'|'.join(STYLES)}")
    return STYLES[style].render(findings, colour=colour, run_info=run_info)
