"""``babelreg lint --fix`` and ``--diff``: write the fixes, or print them as a diff."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.shared.file_edits import show, write
from babelreg.cli.shared.registry_options import shown_folder
from babelreg.plural import counted

if TYPE_CHECKING:
    from babelreg.lint.engine.cached_run import RunResult
    from babelreg.lint.engine.fixes import FixedRegistry
    from babelreg.lint.engine.selection import RuleSelection


def fix(
    root: Path, paths: tuple[str, ...] | None, today: date, selection: RuleSelection, *, diff: bool
) -> tuple[RunResult, int]:
    """Fix the registry; return the findings that remain, and the number of changed files.

    With ``diff`` nothing is written and the diff goes to stdout.
    """
    from babelreg.lint.engine.cached_run import RunResult
    from babelreg.lint.engine.fixes import fix_folder

    fixed = fix_folder(root, paths=paths, selection=selection, today=today)
    if diff:
        show(shown_folder(root), fixed.changes)
    else:
        write(root, fixed.changes)
    click.echo(_summary(fixed, diff=diff), err=True)
    return RunResult.of(fixed.result), len(fixed.changes)


def _summary(fixed: FixedRegistry, *, diff: bool) -> str:
    if not fixed.changes:
        return "nothing can be fixed automatically" if fixed.result.findings else "nothing to fix"
    number = len(fixed.fixed)
    findings = counted(number, "finding")
    return f"{'would fix' if diff else 'fixed'} {findings} in {counted(len(fixed.changes), 'file')}"
