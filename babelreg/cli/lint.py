"""``babelreg lint``: is the registry in order?"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.shared.grammar import LocalPath, diff_option, examples
from babelreg.cli.shared.options import (
    color_option,
    completed_by,
    counted,
    emit,
    exit_code,
    fail_on_option,
    format_option_with,
    open_tree,
    output_option,
    paths_below,
    registry_option,
    root_of,
    shown_folder,
    today_option,
)
from babelreg.errors import UsageError
from babelreg.finding import Finding, Place

if TYPE_CHECKING:
    from babelreg.cli.shared.lint_rules import Choice
    from babelreg.cli.shared.output import Output
    from babelreg.lint.engine.result import RunResult
    from babelreg.lint.parallel.example_worker import SecondProcess
    from babelreg.load.files.tree import Tree

__all__ = ["PROFILE_NAMES", "command"]

# Those of lint.rule.PROFILES, which would cost their import here.
PROFILE_NAMES = ("minimal", "standard", "strict")
_FEW_FILES = 300


@click.command(
    short_help="Check the registry against the rules.",
    epilog=examples(
        "babelreg lint",
        "babelreg lint registry/orders --fix --diff",
        "babelreg lint --select privacy --output sarif:lint.sarif",
    ),
)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=LocalPath())
@registry_option
@format_option_with("waivers")
@output_option
@color_option
@fail_on_option
@today_option
@click.option(
    "--profile",
    type=click.Choice(PROFILE_NAMES),
    help="Which rules to run. Default: the profile in the settings, else standard.",
)
@click.option(
    "--select",
    metavar="RULE",
    multiple=True,
    shell_complete=completed_by("rules"),
    help="Run these rules or families alone, in whatever profile. Repeatable; or with commas between.",
)
@click.option(
    "--ignore",
    metavar="RULE",
    multiple=True,
    shell_complete=completed_by("rules"),
    help="Leave these rules or families out. Repeatable; or with commas between.",
)
@click.option("--statistics", is_flag=True, help="Print how many findings each rule has, instead of the findings.")
@click.option("--fix", is_flag=True, help="Mend what can be mended without changing a meaning, and report the rest.")
@diff_option("--fix")
@click.option("--no-cache", is_flag=True, help="Judge everything anew, and keep nothing for the next run.")
def command(
    paths: tuple[Path, ...],
    registry: Path | None,
    style: str | None,
    output: tuple[Output, ...],
    fail_on: str,
    today: date | None,
    profile: str | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    statistics: bool,
    fix: bool,
    diff: bool,
    no_cache: bool,
) -> int:
    """Check the registry against every rule and print what is wrong.

    PATH is a file or folder of the registry; with it, only what concerns it is reported, though the whole registry is
    read. `babelreg rules` lists the rules, `babelreg explain RULE` says why one matters. Exit code 1 means findings;
    with --diff, also that --fix would change something.
    """
    from babelreg import load
    from babelreg.cli.shared.lint_rules import choose, print_statistics
    from babelreg.report import summary

    choice = choose(profile, select, ignore)
    if statistics and output:
        raise UsageError("--statistics has no report to write", fix="leave --output out")
    root = root_of(registry, paths, writes=fix and not diff)
    tree = load.folder(root)
    within = paths_below(root, paths) if paths else None
    day = today or datetime.now(UTC).date()
    if fix or diff:
        from babelreg.cli.shared.lint_fix import mended

        verdict, changed = mended(root, within, day, choice, only_shown=diff)
        if diff:
            return 1 if changed else exit_code(verdict.findings, fail_on)
    else:
        verdict = _verdict(root, tree, within, day, choice, cached=not no_cache)
    folder = shown_folder(root)
    found = verdict.findings
    checked = counted(verdict.counts["messages"])
    shown = [_openable(finding, folder) for finding in found]
    if style == "waivers":
        style = _waivers_style(root)
    if statistics:
        print_statistics(found, style)
        code = exit_code(found, fail_on)
    else:
        code = emit(shown, style, output=output, fail_on=fail_on, prefix=folder, checked=checked)
    click.echo(summary(found, checked=checked, waived=verdict.counts["waived"]), err=True)
    return code


def _verdict(
    root: Path, tree: Tree, within: tuple[str, ...] | None, today: date, choice: Choice, *, cached: bool
) -> RunResult:
    """What lint says, or said of the same files before. Every argument that it depends on is part of the question."""

    def judge(files: Tree) -> RunResult:
        return _judged(root, files, within, today, choice)

    # Whoever asks about a file has just changed it: in a small registry, looking up what was said costs more than it
    # can save.
    if not cached or (within is not None and len(tree.paths()) < _FEW_FILES):
        return judge(tree)
    from babelreg.cache.folder import cache_folder
    from babelreg.lint.engine.cache import Cache

    kept = cache_folder("lint")
    if kept is None:
        return judge(tree)
    return Cache(kept).verdict(tree, [str(root), repr(within), today.isoformat(), choice.key()], judge)


def _judged(root: Path, files: Tree, within: tuple[str, ...] | None, today: date, choice: Choice) -> RunResult:
    from babelreg import lint
    from babelreg.lint.engine.result import RunResult
    from babelreg.load.registry.membership import check_members

    with _beside(files) if within is None else nullcontext() as second:
        opened = open_tree(root, files, second)
        check_members(opened, within)
        config = choice.config(opened.settings)
        known = second.ruling if second else None
        outcome = lint.examine(opened, paths=within, config=config, today=today, ruling=known)
    return RunResult(outcome.findings, {"messages": len(opened.messages), "waived": len(outcome.waived)})


def _beside(files: Tree) -> AbstractContextManager[SecondProcess | None]:
    from babelreg.lint.parallel.example_worker import second_process

    return second_process(files)


def _waivers_style(root: Path) -> str:
    """Waivers are printed as they can be pasted where the lint settings stand."""
    from babelreg.load.registry.settings import settings_of

    source = settings_of(root).lint_source
    return "waivers-toml" if source is not None and source.path.endswith(".toml") else "waivers"


def _openable(finding: Finding, folder: str) -> Finding:
    """The finding with ``folder`` before its other place too, which in lint is a file of the same registry."""
    other = finding.against
    if other is None or not folder:
        return finding
    return replace(finding, against=Place(f"{folder}/{other.path}", other.line, other.column))
