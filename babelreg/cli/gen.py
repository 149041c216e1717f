"""``babelreg gen``: write the files of one target, or tell which are behind."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelreg.cli.common import color_option, emit, format_option, open_registry, output_option, registry_option, sound

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from babelreg.cli.reports import Output
    from babelreg.gen import Target

__all__ = ["command"]


class _Targets(click.ParamType[str]):
    """The name of a target. The table is read when a name is checked, not when the command is defined."""

    name = "target"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from difflib import get_close_matches

        from babelreg.gen.targets import TARGETS

        name = str(value)
        if name not in TARGETS:
            near = get_close_matches(name, TARGETS, 1, 0.5)
            hint = f"did you mean `babelreg gen {near[0]}`?" if near else f"there are: {', '.join(TARGETS)}"
            self.fail(f"there is no target '{name}'; {hint}", param, ctx)
        return name

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[Any]]:
        from click.shell_completion import CompletionItem

        from babelreg.gen.targets import TARGETS

        return [CompletionItem(name, help=TARGETS[name].summary) for name in TARGETS if name.startswith(incomplete)]


class _Command(click.Command):
    """Lists the targets below the options of ``--help``."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from babelreg.gen.targets import TARGETS

        with formatter.section("Targets"):
            formatter.write_dl([(name, target.summary) for name, target in TARGETS.items()])


@click.command(cls=_Command)
@click.argument("target", type=_Targets(), metavar="TARGET")
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder to write into. Default: generated/TARGET.",
)
@click.option("--check", "check_only", is_flag=True, help="Write nothing; exit 1 and list the files that are behind.")
@click.option("--package", metavar="NAME", help="Target python: the name of the package. Default: messages.")
@registry_option
@format_option
@output_option
@color_option
@click.pass_context
def command(
    ctx: click.Context,
    target: str,
    out: Path | None,
    check_only: bool,
    package: str | None,
    registry: Path | None,
    style: str | None,
    output: tuple[Output, ...],
) -> None:
    """Write typed code, schemas or docs made from the registry.

    Files are written only when their bytes change; what an earlier run wrote and this one does not is removed.
    """
    from babelreg.gen import check, write
    from babelreg.gen.target import settle
    from babelreg.gen.targets import TARGETS

    chosen: Target = TARGETS[target]
    folder = out if out is not None else Path("generated", target)
    model = sound(open_registry(registry))
    options = settle(target, chosen, model, {} if package is None else {"package": package})
    files = list(chosen.files(model, options))
    if not check_only:
        done = write(folder, target, files)
        counts = f"{len(done.written)} written, {len(done.unchanged)} unchanged, {len(done.removed)} removed"
        click.echo(f"{folder}: {counts}", err=True)
        return
    findings = check(folder, target, files, fix=_again(target, out, package, registry))
    behind = f"{len(findings)} file{'s are' if len(findings) > 1 else ' is'} behind" if findings else "up to date"
    click.echo(f"{folder}: {behind}", err=True)
    ctx.exit(emit(findings, style, output=output))


def _again(target: str, out: Path | None, package: str | None, registry: Path | None) -> str:
    given = [("--out", out), ("--package", package), ("--registry", registry)]
    words = [word for option, value in given if value is not None for word in (option, str(value))]
    return shlex.join(["babelreg", "gen", target, *words])
