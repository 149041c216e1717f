"""``babelreg format``: one layout for the files of the registry."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.shared.common_options import (
    LocalPath,
    diagnostics,
    diff_option,
    examples,
)
from babelreg.cli.shared.file_edits import show, write
from babelreg.cli.shared.registry_options import (
    color_option,
    emit,
    exit_code,
    fail_on_option,
    format_option,
    open_tree,
    output_option,
    paths_below,
    registry_option,
    root_of,
    shown_folder,
)
from babelreg.finding import Finding, Place, Severity
from babelreg.plural import counted

if TYPE_CHECKING:
    from babelreg.cli.shared.output import Output


@click.command(
    short_help="Format the files of the registry.",
    epilog=examples("babelreg format", "babelreg format registry/orders --diff"),
)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=LocalPath())
@click.option("--check", "check_only", is_flag=True, help="Write nothing; exit 1 and list the files that would change.")
@diff_option()
@registry_option
@format_option
@output_option
@color_option
@fail_on_option
def command(
    paths: tuple[Path, ...],
    check_only: bool,
    diff: bool,
    registry: Path | None,
    style: str | None,
    output: tuple[Output, ...],
    fail_on: str,
) -> int:
    """Format the files of the registry, or those at PATH: order of keys, indentation, quotes, blank lines.

    Comments stay with the lines they belong to, and no value changes. A file for which that is not certain, or that has
    defects, is left unchanged and reported. Properties, examples and lists keep the author's order. Exit code 1 means
    findings; with --check or --diff, also that a file would change.
    """
    from babelreg import load
    from babelreg.load.registry.format import tidy
    from babelreg.load.registry.overlay import Overlay
    from babelreg.load.registry.path_arguments import check_members
    from babelreg.report import printable, render

    root = root_of(registry, paths, writes=not (check_only or diff))
    overlay = Overlay(load.folder(root))
    within = paths_below(root, paths) if paths else ("",)
    opened = open_tree(root, overlay)
    check_members(opened, within)
    looked, findings = tidy(opened, overlay, lambda path: _below(path, within))
    changes, folder = overlay.changes(), shown_folder(root)
    if diff:
        show(folder, changes)
    elif check_only:
        findings = sorted([*findings, *_unformatted(changes, folder)], key=lambda finding: finding.sort_key)
    else:
        write(root, changes)
        for path in changes:
            click.echo(printable(_shown_path(path, folder)))
    done = "would change" if diff or check_only else "formatted"
    defective = len({finding.place.path for finding in findings if finding.place.path not in changes})
    suffix = f", {defective} with defects left unchanged" if defective else ""
    click.echo(f"{counted(len(changes), 'file')} {done}, {looked - len(changes)} unchanged{suffix}", err=True)
    if diff:
        text = render([finding.below(folder) for finding in findings], "text")
        click.echo(text, nl=False, file=diagnostics())  # stdout is for `git apply`
        return 1 if changes else exit_code(findings, fail_on)
    return (
        emit(findings, style, output=output, fail_on=fail_on, prefix=folder) if findings or check_only or output else 0
    )


def _below(path: str, within: Sequence[str]) -> bool:
    return any(at in ("", path) or path.startswith(f"{at}/") for at in within)


def _unformatted(paths: Iterable[str], folder: str) -> list[Finding]:
    message = "the file is not formatted as by `babelreg format`"
    return [
        Finding("file-unformatted", Severity.ERROR, message, Place(path), fix=f"run `{_again(path, folder)}`")
        for path in paths
    ]


def _again(path: str, folder: str) -> str:
    return shlex.join(["babelreg", "format", _shown_path(path, folder)])


def _shown_path(path: str, folder: str) -> str:
    return f"{folder}/{path}" if folder else path
