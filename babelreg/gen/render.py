"""Jinja templates: their folder and their rendering.

A target builds a view in which every name is final and every string escaped; the template only lays it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg.errors import BabelregError

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def folder() -> Path:
    """Return the folder with one template folder per target.

    It is inside the package in a wheel, next to it in the repository (and so in an editable install).
    Raises BabelregError if neither exists: the installation is broken.
    """
    package = Path(__file__).resolve().parent.parent
    for candidate in (package / "templates", package.parent / "templates"):
        if (candidate / "python").is_dir():
            return candidate
    raise BabelregError(
        f"the templates are missing: neither {package / 'templates'} nor {package.parent / 'templates'} exists",
        fix="pip install --force-reinstall babelreg",
    )


@cache
def _environment(target: str) -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folder() / target),
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,  # or each call looks for a newer file
    )


def render(target: str, template: str, view: Mapping[str, Any]) -> str:
    """Render ``templates/<target>/<template>`` with ``view``. A name missing from the view is an error, not a blank."""
    return _environment(target).get_template(template).render(view)
