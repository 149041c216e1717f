"""``babelreg breaking``: what changed since the published registry, whom it breaks, and the way out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.common import (
    color_option,
    counted,
    emit,
    fail_on_option,
    format_option,
    open_registry,
    output_option,
    registry_option,
    relative_paths,
    shown_root,
    sound,
)
from babelreg.finding import Finding

if TYPE_CHECKING:
    from babelreg.cli.reports import Output


@click.command()
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--against",
    metavar="REV|DIR",
    help="What was published: a branch (its merge-base with HEAD), a commit, a tag, HEAD~1, "
    ".git#branch=main,subdir=registry, or a folder. Default: the remote's default branch, else main or master.",
)
@registry_option
@format_option
@output_option
@color_option
@fail_on_option
@click.pass_context
def command(
    ctx: click.Context,
    paths: Sequence[Path],
    against: str | None,
    registry: Path | None,
    style: str | None,
    output: tuple[Output, ...],
    fail_on: str,
) -> None:
    """Compare the registry with what was published, and say what breaks producers or consumers.

    Exit 0: nothing breaks. 1: something does, or it could not be decided.

    \b
    babelreg breaking                     against the default branch
    babelreg breaking --against v1.4      against a tag
    babelreg breaking orders              report on one context only
    """
    from babelreg.breaking import baseline
    from babelreg.breaking.check import check
    from babelreg.report import summary

    current = sound(open_registry(registry, paths))
    wanted = relative_paths(current, paths)
    published = baseline.of(Path(current.root), against)
    click.echo(f"compared with {published.name}", err=True)
    if published.note:
        click.echo(published.note, err=True)
    findings = [found for found in check(published.registry, current) if _within(found, wanted)]
    checked = counted(len(current.messages))
    code = emit(findings, style, output=output, fail_on=fail_on, prefix=shown_root(current), checked=checked)
    click.echo(summary(findings, checked=checked) if findings else f"nothing breaks in {checked}", err=True)
    ctx.exit(code)


def _within(finding: Finding, paths: Sequence[str]) -> bool:
    where = finding.place.path
    return not paths or any(path in ("", where) or where.startswith(path + "/") for path in paths)
