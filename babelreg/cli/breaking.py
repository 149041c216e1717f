"""``babelreg breaking``: what changed since the published registry, whom it breaks, and the way out."""

from __future__ import annotations

import gc
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
    output_option,
    paths_below,
    registry_option,
    root_of,
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
    metavar="REV|DIR|FILE",
    help="What was published: a branch (its merge-base with HEAD), a commit, a tag, HEAD~1, "
    ".git#branch=main,subdir=registry, a folder, or a tar or zip. Default: the remote's default branch, else main or "
    "master.",
)
@click.option("--no-cache", is_flag=True, help="Read everything anew, and keep nothing for the next run.")
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
    no_cache: bool,
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
    from babelreg import load
    from babelreg.breaking import baseline
    from babelreg.breaking.check import check
    from babelreg.breaking.kept import Kept, kept_for
    from babelreg.breaking.narrow import narrowed
    from babelreg.report import summary

    root = root_of(registry, paths)
    tree = load.folder(root)
    wanted = paths_below(root, paths)
    published = baseline.of(root, against)
    gc.disable()  # as when a whole registry is read: all that is read stays until the end
    parts = narrowed(published.tree, published.hashed(tree), str(root), Kept() if no_cache else kept_for(root))
    current = sound(parts.new)
    click.echo(f"compared with {published.name}", err=True)
    every = check(parts.old, current, past=published.past)
    for note in (*filter(None, [published.note]), *(published.past.told if published.past else ())):
        click.echo(note, err=True)
    findings = [found for found in every if _within(found, wanted)]
    checked = counted(parts.messages)
    code = emit(findings, style, output=output, fail_on=fail_on, prefix=shown_root(current), checked=checked)
    click.echo(summary(findings, checked=checked) if findings else f"nothing breaks in {checked}", err=True)
    ctx.exit(code)


def _within(finding: Finding, paths: Sequence[str]) -> bool:
    where = finding.place.path
    return not paths or any(path in ("", where) or where.startswith(path + "/") for path in paths)
