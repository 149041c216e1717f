"""The pages of the defects that ``load`` reports: what keeps a file from being read at all.

They are no rules that run: ``load`` has found them by then, and no setting switches them off. Their pages are laid
out like those of the rules; after a path, ``(UTF-16)``, ``(2 MiB)`` and ``(200 levels)`` say what the text cannot show.
"""

from __future__ import annotations

from babelreg.lint.manual.defects import files, references, syntax

__all__ = ["PAGES"]

PAGES: dict[str, str] = {**files.PAGES, **syntax.PAGES, **references.PAGES}
