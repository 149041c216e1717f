"""Manual pages of the defects that ``load`` reports, which keep a file from being read.

They are not rules: ``load`` has found them before any rule runs, and no setting switches them off. Their pages have the
layout of rule pages; after a path, ``(UTF-16)``, ``(2 MiB)`` and ``(200 levels)`` describe what the text cannot show.
"""

from __future__ import annotations

from babelreg.lint.defects import files, references, syntax

__all__ = ["PAGES"]

PAGES: dict[str, str] = {**files.PAGES, **syntax.PAGES, **references.PAGES}
