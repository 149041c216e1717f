"""``babelreg breaking``: what changed since the published registry, whom it breaks, and the way out."""

from __future__ import annotations

import gc
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.common import (
    color_option,
    counted,
    emit,
    fail_on_option,
    format_option,
    open_tree,
    output_option,
    paths_below,
    registry_option,
    root_of,
    shown_root,
    sound,
)
from babelreg.finding import Finding

if TYPE_CHECKING:
    from babelreg.breaking.baseline import Baseline
    from babelreg.cli.reports import Output
    from babelreg.model import Registry


@click.command()
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--against",
    metavar="REV|DIR|FILE",
    help="What was published: a branch (its merge-base with HEAD), a commit, a tag, HEAD~1, "
    ".git#branch=main,subdir=registry, a folder, or a tar or zip. Default: the remote's default branch, else main or "
    "master.",
)
@click.option("--fix", "mend", is_flag=True, help="Put back what was published, and mint the edits as new versions.")
@click.option(
    "--traffic",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="How often each URN was seen: a JSON object {URN: COUNT}, or JSON lines or CSV with urn and count. What was "
    "seen is not retired.",
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
    mend: bool,
    traffic: Path | None,
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
    babelreg breaking --fix               mint what breaks, and report what is left
    """
    from babelreg.breaking import baseline
    from babelreg.breaking.traffic import read
    from babelreg.report import summary

    root = root_of(registry, paths)
    wanted = paths_below(root, paths)
    seen = read(traffic) if traffic else {}
    published = baseline.of(root, against)
    gc.disable()  # as when a whole registry is read: all that is read stays until the end
    current, every, messages = _judged(root, published, seen, cached=not no_cache)
    click.echo(f"compared with {published.name}", err=True)
    if mend and any(_within(found, wanted) for found in every):
        _mend(root, published, wanted, listed=style not in (None, "text"))
        current, every, messages = _judged(root, published, seen, cached=not no_cache)
    for note in (*filter(None, [published.note]), *(published.past.told if published.past else ())):
        click.echo(note, err=True)
    findings = [found for found in every if _within(found, wanted)]
    checked = counted(messages)
    code = emit(findings, style, output=output, fail_on=fail_on, prefix=shown_root(current), checked=checked)
    click.echo(summary(findings, checked=checked) if findings else f"nothing breaks in {checked}", err=True)
    ctx.exit(code)


def _judged(
    root: Path, published: Baseline, seen: Mapping[str, int], *, cached: bool
) -> tuple[Registry, list[Finding], int]:
    """The registry as far as it differs, what breaks in it, and how many messages the whole of it has."""
    from babelreg import load
    from babelreg.breaking.check import check
    from babelreg.breaking.kept import Kept, kept_for
    from babelreg.breaking.narrow import narrowed
    from babelreg.breaking.traffic import refused

    kept = kept_for(root) if cached else Kept()
    parts = narrowed(published.tree, published.hashed(load.folder(root)), str(root), kept)
    current = sound(parts.new)
    found = check(parts.old, current, past=published.past)
    return current, refused(found, parts.old, current, seen) if seen else found, parts.messages


def _mend(root: Path, published: Baseline, wanted: Sequence[str], *, listed: bool) -> None:
    """Mint what breaks below ``wanted``. ``listed``: stdout is a report for programs, so files are named on stderr."""
    from babelreg.breaking.check import check
    from babelreg.breaking.fix import fix
    from babelreg.cli.minted import write
    from babelreg.load.tree import Folder

    def judge(now: Registry) -> list[Finding]:
        every = check(published.registry, now, past=published.past)
        return [found for found in every if _within(found, wanted)]

    current = sound(open_tree(root))
    done = fix(current, Folder(root), published, judge)
    write(root, shown_root(current), done.files, done.notes, quiet=listed)


def _within(finding: Finding, paths: Sequence[str]) -> bool:
    where = finding.place.path
    return not paths or any(path in ("", where) or where.startswith(path + "/") for path in paths)
