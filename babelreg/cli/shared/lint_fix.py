"""``babelreg lint --fix`` and ``--diff``: what rules can mend is mended, or shown."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.shared.diff_output import counted_files, show, write
from babelreg.cli.shared.options import shown_folder

if TYPE_CHECKING:
    from babelreg.cli.shared.lint_rules import Choice
    from babelreg.lint.engine.fixes import Mended
    from babelreg.lint.engine.result import RunResult
    from babelreg.lint.engine.run import LintResult
    from babelreg.model import Registry

__all__ = ["mended"]


def mended(
    root: Path, within: tuple[str, ...] | None, today: date, choice: Choice, *, only_shown: bool
) -> tuple[RunResult, int]:
    """What lint says once everything is mended that can be, and in how many files that is something.

    With ``only_shown`` nothing is written and the diff goes to stdout.
    """
    import gc

    from babelreg import lint, load
    from babelreg.lint.engine.fixes import mend
    from babelreg.lint.engine.result import RunResult
    from babelreg.load.registry.membership import check_members

    def judge(registry: Registry) -> LintResult:
        return lint.examine(registry, paths=within, config=choice.config(registry.settings), today=today)

    gc.disable()  # see common.open_tree
    done = mend(load.folder(root), str(root), judge)
    check_members(done.registry, within)
    if only_shown:
        show(shown_folder(root), done.changes)
    else:
        write(root, done.changes)
    click.echo(_told(done, only_shown=only_shown), err=True)
    counts = {"messages": len(done.registry.messages), "waived": len(done.outcome.waived)}
    return RunResult(done.outcome.findings, counts), len(done.changes)


def _told(done: Mended, *, only_shown: bool) -> str:
    if not done.changes:
        return "nothing can be fixed" if done.outcome.findings else "nothing to fix"
    number = len(done.fixed)
    findings = f"{number} finding{'' if number == 1 else 's'}"
    return f"{'would fix' if only_shown else 'fixed'} {findings} in {counted_files(len(done.changes))}"
