"""``babelreg gen``: write the files of one target, or tell which are behind."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from babelreg.cli.shared.grammar import LocalPath, dry_run_option, examples
from babelreg.cli.shared.options import (
    color_option,
    emit,
    fail_on_option,
    format_option,
    output_option,
    registry_option,
    root_of,
)
from babelreg.gen.targets import TARGETS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from click.shell_completion import CompletionItem

    from babelreg.cli.shared.gen_service import Part
    from babelreg.cli.shared.output import Output
    from babelreg.finding import Finding
    from babelreg.gen.option import Option

__all__ = ["command"]

F = TypeVar("F", bound="Callable[..., Any]")


class _Target(click.ParamType[str]):
    """The name of a target."""

    name = "target"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        name = str(value)
        if name not in TARGETS:
            from babelreg.suggest import closest

            near = closest(name, TARGETS, 0.5)
            hint = f"did you mean `babelreg gen {near}`?" if near else f"there are: {', '.join(TARGETS)}"
            self.fail(f"there is no target '{name}'; {hint}", param, ctx)
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
    for key, by_target in reversed(declared.items()):
        metavar = next(iter(by_target.values())).metavar
        choices = list(dict.fromkeys(choice for option in by_target.values() for choice in option.choices))
        helps = dict.fromkeys(option.help for option in by_target.values())
        takers = [f"{name} (default: {option.default})" for name, option in by_target.items()]
        command = click.option(
            f"--{key}",
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
    epilog=examples("babelreg gen python --out src --package messages", "babelreg gen docs --out docs --check"),
)
@click.argument("target", type=_Target(), metavar="TARGET")
@click.option(
    "--out",
    metavar="DIR",
    type=LocalPath(file_okay=False),
    help="The folder to write into. Default: generated/TARGET.",
)
@click.option("--check", "check_only", is_flag=True, help="Write nothing; exit 1 and list the files that are behind.")
@dry_run_option("the files that would be written or removed")
@click.option("--no-cache", is_flag=True, help="Make and compare every file, also what has not changed.")
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
    registry: Path | None,
    style: str | None,
    output: tuple[Output, ...],
    fail_on: str,
    **target_options: str | None,
) -> None:
    """Write typed code, schemas or docs made from the registry.

    Files are written only when their bytes change; what an earlier run wrote and this one does not is removed. Where
    the schema of a message cannot be used, nothing is written; target spark leaves such a message out, and one whose
    names Spark would expand, and writes the others. Either way the exit code is 1. Below a babelreg.service.yaml only
    what that service has a part in is written, as babelreg.lock pins it; --check also says what has changed in the
    registry since, and what of it breaks.
    """
    from babelreg.cli.shared.gen_run import GenRun

    part = _part(target, registry)
    folder = out or (part and part.out) or Path("generated", target)
    given = {key: value for key, value in target_options.items() if value is not None}
    run = GenRun(target, given, folder, part.root if part else root_of(registry), part, anew=no_cache)
    if dry_run and not check_only:
        _preview(run.check(fix=""))
        ctx.exit(emit(run.unsupported, style, output=output, fail_on=fail_on) if run.unsupported else 0)
    if not check_only:
        done = run.write()
        counts = f"{len(done.written)} written, {len(done.unchanged)} unchanged, {len(done.removed)} removed"
        click.echo(f"{folder}: {counts if run.complete else 'nothing written'}", err=True)
        ctx.exit(emit(run.unsupported, style, output=output, fail_on=fail_on) if run.unsupported else 0)
    findings = run.check(fix=_again(target, out, given, registry))
    behind = f"{len(findings)} file{'s are' if len(findings) > 1 else ' is'} behind" if findings else "up to date"
    findings = _merged(folder, findings)
    click.echo(f"{folder}: {behind if run.complete else 'not compared'}", err=True)
    every = [*run.unsupported, *findings, *(part.behind() if part else ())]
    ctx.exit(emit(every, style, output=output, fail_on=fail_on))


def _merged(folder: Path, findings: list[Finding]) -> list[Finding]:
    """Return one finding for all files where nothing was generated into ``folder`` yet: the list of them is missing."""
    from babelreg.finding import Place

    missing = [finding for finding in findings if finding.rule == "generated-file-missing"]
    if len(missing) < max(len(findings), 2) or not any(_is_list(finding.place.path) for finding in missing):
        return findings
    message = f"nothing was generated here yet: {len(missing)} files are missing"
    return [replace(missing[0], message=message, place=Place(folder.as_posix()))]


def _is_list(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.startswith(".babelreg-") and name.endswith(".files")


def _preview(findings: Sequence[Finding]) -> None:
    from babelreg.report import printable

    for finding in findings:
        verb = "remove" if finding.rule == "generated-file-extra" else "write"
        click.echo(printable(f"would {verb} {finding.place.path}"))
    click.echo(f"{len(findings)} file{'' if len(findings) == 1 else 's'} would change", err=True)


def _part(target: str, registry: Path | None) -> Part | None:
    """The service whose repository this is; None where a registry was named, or there is no such service."""
    from babelreg.cli.shared.service_repo import service_repo

    repo = service_repo(registry)
    if repo is None:
        return None
    from babelreg.cli.shared.gen_service import Part

    return Part(repo, target)


def _again(target: str, out: Path | None, asked: Mapping[str, str], registry: Path | None) -> str:
    given = [("--out", out), *((f"--{name}", value) for name, value in asked.items()), ("--registry", registry)]
    words = [word for option, value in given if value is not None for word in (option, str(value))]
    return shlex.join(["babelreg", "gen", target, *words])
