"""``babelreg gen``: write the files of one target, or list outdated ones."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from babelreg.cli.shared.common_options import LocalPath, dry_run_option, examples
from babelreg.cli.shared.registry_options import (
    color_option,
    counted,
    emit,
    fail_on_option,
    format_option,
    note_once,
    output_option,
    registry_option,
    root_of,
)
from babelreg.errors import UsageError
from babelreg.gen.targets import TARGETS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from click.shell_completion import CompletionItem

    from babelreg.cli.shared.gen_run import GenRun
    from babelreg.cli.shared.gen_share import PinnedShare
    from babelreg.cli.shared.output import Output
    from babelreg.finding import Finding
    from babelreg.gen.option import Option

__all__ = ["command"]

F = TypeVar("F", bound="Callable[..., Any]")
T = TypeVar("T")


_OTHER_LANGUAGES = frozenset({
    "c#", "c++", "cpp", "csharp", "dart", "dotnet", "java", "kotlin", "ruby", "rust", "scala", "swift",
})  # fmt: skip
_OTHER_NAMES = {
    "golang": "go",
    "javascript": "typescript",
    "js": "typescript",
    "node": "typescript",
    "ts": "typescript",
}
"""Words for what a target is made for."""


class _Target(click.ParamType[str]):
    """The name of a target."""

    name = "target"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        name = str(value)
        if name not in TARGETS:
            from babelreg.errors import UsageError
            from babelreg.suggest import closest

            near = _OTHER_NAMES.get(name.lower()) or closest(name, TARGETS, 0.5)
            fix = f"did you mean `babelreg gen {near}`?" if near else f"name one of {', '.join(TARGETS)}"
            if name.lower() in _OTHER_LANGUAGES:
                fix = "`babelreg gen jsonschema` writes schemas that generators of other languages read"
            raise UsageError(f"there is no target '{name}'", fix=fix)
        return name

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(name, help=TARGETS[name].summary) for name in TARGETS if name.startswith(incomplete)]


def _target_options(command: F) -> F:
    """Add the options that targets declare for the command line, each once."""
    declared: dict[str, dict[str, Option]] = {}
    for name, target in TARGETS.items():
        for option in target.options:
            if option.command_line:
                declared.setdefault(option.key, {})[name] = option
    for by_target in reversed(declared.values()):
        flag, metavar = next((option.flag, option.metavar) for option in by_target.values())
        choices = list(dict.fromkeys(choice for option in by_target.values() for choice in option.choices))
        helps = dict.fromkeys(option.help for option in by_target.values())
        if all(isinstance(option.default, bool) for option in by_target.values()):
            help_text = f"{' '.join(helps)} Target{'s' if len(by_target) > 1 else ''}: {', '.join(by_target)}."
            command = click.option(flag, is_flag=True, default=None, help=help_text)(command)
            continue
        takers = [f"{name} (default: {option.default})" for name, option in by_target.items()]
        command = click.option(
            flag,
            type=click.Choice(choices) if choices and metavar is None else str,
            metavar=metavar,
            help=f"{' '.join(helps)} Target{'s' if len(takers) > 1 else ''}: {', '.join(takers)}.",
        )(command)
    return command


class _Command(click.Command):
    """Lists the targets below the options of ``--help``."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        with formatter.section("Targets"):
            formatter.write_dl([(name, target.summary) for name, target in TARGETS.items()])


@click.command(
    cls=_Command,
    epilog=examples(
        "babelreg gen python --out src --package messages",
        "babelreg gen docs --out docs --check",
        "babelreg gen catalog --serve",
    ),
)
@click.argument("target", type=_Target(), metavar="TARGET")
@click.option(
    "--out",
    metavar="DIR",
    type=LocalPath(file_okay=False),
    help="The folder to write into. Default: generated/TARGET; for codeowners and agents, where their file belongs.",
)
@click.option("--check", "check_only", is_flag=True, help="Write nothing; list outdated files and exit 1.")
@dry_run_option("the files that would be written or removed")
@click.option("--no-cache", is_flag=True, help="Generate and compare every file, even if nothing has changed.")
@click.option("--serve", is_flag=True, help="Write nothing; show the catalog on this machine, and follow changes.")
@click.option(
    "--port",
    metavar="PORT",
    type=click.IntRange(0, 65535),
    default=8646,
    show_default=True,
    help="The port of --serve; 0 for a free one.",
)
@_target_options
@registry_option
@format_option
@output_option
@color_option
@fail_on_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    target: str,
    out: Path | None,
    check_only: bool,
    dry_run: bool,
    no_cache: bool,
    serve: bool,
    port: int,
    registry: Path | None,
    style: str | None,
    output: tuple[Output, ...],
    fail_on: str,
    **target_options: str | bool | None,
) -> None:
    """Generate typed code, schemas or docs from the registry.

    A file is written only if its bytes change; obsolete files of earlier runs are removed. If the schema of a message
    cannot be used, nothing is written; target spark leaves out such messages, and those whose names Spark would
    expand, and writes the others. In both cases the exit code is 1. Below a babelreg.service.yaml the files are those
    of the messages that the service produces or consumes, as babelreg.lock pins them; --check also lists later changes
    in the registry, and which of them break the service.
    """
    from babelreg.cli.shared.gen_run import GenRun

    if serve and (check_only or dry_run):
        raise UsageError("--serve shows the catalog and checks nothing", fix="leave out --check and --dry-run")
    share = _pinned_share(target, registry)
    root = share.root if share else root_of(registry)
    chosen = {key: value for key, value in target_options.items() if value is not None}
    folder = out or (share and share.out) or _default_folder(target, root)
    if serve:
        from babelreg.cli.catalog.serve import serve as serve_catalog

        serve_catalog(target, lambda: GenRun(target, chosen, folder, root, share, anew=True), root, port)
    run = GenRun(target, {**_found_options(target, root), **chosen}, folder, root, share, anew=no_cache)
    if dry_run and not check_only:
        _preview(_shown(folder, lambda: run.check(fix="")))
        ctx.exit(emit(run.findings, style, output=output, fail_on=fail_on) if run.findings else 0)
    if not check_only:
        result = _shown(folder, run.write)
        counts = f"{len(result.written)} written, {len(result.unchanged)} unchanged, {len(result.removed)} removed"
        click.echo(f"{folder}: {counts if run.complete else 'nothing written'}{_left_out(run)}", err=True)
        if target == "codeowners" and result.written:
            _note_unread(folder, root)
        ctx.exit(emit(run.findings, style, output=output, fail_on=fail_on) if run.findings else 0)
    fix = _write_command(target, out, chosen, registry)
    findings = _shown(folder, lambda: run.check(fix=fix))
    state = f"{len(findings)} outdated file{'s' if len(findings) > 1 else ''}" if findings else "up to date"
    findings = _merged(folder, findings)
    click.echo(f"{folder}: {state if run.complete else 'not compared'}{_left_out(run)}", err=True)
    findings = [*run.findings, *findings, *(share.outdated() if share else ())]
    ctx.exit(emit(findings, style, output=output, fail_on=fail_on))


def _shown(folder: Path, run: Callable[[], T]) -> T:
    """Return the result of ``run``; where somebody edited a block in ``folder``, show the difference on the way out."""
    from babelreg.gen.block import EditedBlockError

    try:
        return run()
    except EditedBlockError as err:
        from babelreg.report import printable
        from babelreg.report.unified_diff import unified

        if err.place is not None:
            err.place = replace(err.place, path=(folder / err.place.path).as_posix())
        difference = unified(err.place.path if err.place else "", err.old, err.new)
        click.echo("".join(printable(line.rstrip()) + "\n" for line in difference.splitlines()), nl=False)
        raise


def _left_out(run: GenRun) -> str:
    number = len(run.unsupported)
    return f"; {counted(number)} left out" if number and run.complete else ""


def _merged(folder: Path, findings: list[Finding]) -> list[Finding]:
    """Return one finding for all files if ``folder`` has no list of generated files yet."""
    from babelreg.finding import Place

    missing = [finding for finding in findings if finding.rule == "generated-file-missing"]
    if len(missing) < max(len(findings), 2) or not any(_is_list(finding.place.path) for finding in missing):
        return findings
    message = f"nothing has been generated here yet: {len(missing)} files are missing"
    return [replace(missing[0], message=message, place=Place(folder.as_posix()))]


def _is_list(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.startswith(".babelreg-") and name.endswith(".files")


def _default_folder(target: str, root: Path) -> Path:
    """Return the folder to write into where none is named; ``root`` is the registry."""
    if target not in ("codeowners", "agents"):
        return Path("generated", target)
    from babelreg.cli.shared.repository_places import codeowners_folder, repository_folder

    return codeowners_folder(root) if target == "codeowners" else repository_folder(root)


def _note_unread(folder: Path, root: Path) -> None:
    """Print why no code host reads the CODEOWNERS in ``folder``, where that is so."""
    from babelreg.cli.shared.repository_places import unread_note

    if note := unread_note(folder, root):
        note_once(note)


def _found_options(target: str, root: Path) -> dict[str, str]:
    """Return the options that the place of the registry gives."""
    if target not in ("codeowners", "agents"):
        return {}
    from babelreg.cli.shared.repository_places import folder_in_repository

    return {"folder": folder_in_repository(root)}


def _preview(findings: Sequence[Finding]) -> None:
    from babelreg.report import printable

    for finding in findings:
        verb = "remove" if finding.rule == "generated-file-extra" else "write"
        click.echo(printable(f"would {verb} {finding.place.path}"))
    click.echo(f"{len(findings)} file{'' if len(findings) == 1 else 's'} would change", err=True)


def _pinned_share(target: str, registry: Path | None) -> PinnedShare | None:
    """Return the share of the service whose repository this is; None outside one, or if a registry was named."""
    from babelreg.cli.shared.pinned_registry import service_repo

    repo = service_repo(registry)
    if repo is None:
        return None
    from babelreg.cli.shared.gen_share import PinnedShare

    return PinnedShare(repo, target)


def _write_command(target: str, out: Path | None, chosen: Mapping[str, str | bool], registry: Path | None) -> str:
    flags = ((f"--{name.replace('_', '-')}", value) for name, value in chosen.items())
    options = [("--out", out), *flags, ("--registry", registry)]
    words = [
        word
        for option, value in options
        if value is not None
        for word in ([option] if value is True else [option, str(value)])
    ]
    return shlex.join(["babelreg", "gen", target, *words])
