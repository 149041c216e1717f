"""The page of a report: one HTML file that loads nothing and runs nothing, whatever messages hold.

Its policy (a meta element) lets browsers take the page's own style by its hash, and no script, picture, font, frame or
form whatever. Every text is escaped where it is put, and characters that hide or reorder others are written out.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from typing import TYPE_CHECKING, Any

from babelreg.gen.render import folder
from babelreg.lake.report.advice import ReportPaths
from babelreg.lake.report.content import Content
from babelreg.lake.report.view import view
from babelreg.report import printable

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = "lake_report"


def page(content: Content, paths: ReportPaths) -> str:
    """Return the HTML of a report."""
    from markupsafe import Markup

    style = (folder() / _TEMPLATES / "style.css").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    template = _environment().get_template("page.html.jinja")
    return template.render(view(content, paths), style=Markup(style), style_hash=f"sha256-{digest}")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folder() / _TEMPLATES),
        undefined=StrictUndefined,
        autoescape=True,
        finalize=_final,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _final(value: Any) -> Any:
    """Return texts without characters that have no glyph; markup of the template is unchanged."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
