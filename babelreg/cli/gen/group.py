"""``babelreg gen``: the targets, and the options of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from babelreg.cli.shared.common_options import LocalPath, dry_run_option, examples
from babelreg.cli.shared.registry_options import (
    color_option,
    fail_on_option,
    format_option,
    output_option,
    registry_option,
)
from babelreg.errors import UsageError
from babelreg.gen.targets import TARGETS, target_for_language, target_named

if TYPE_CHECKING:
    from babelreg.gen.option import Option
    from babelreg.gen.target import Target

F = TypeVar("F", bound=Callable[..., Any])

_OTHER_LANGUAGES = frozenset({
    "c#", "c++", "cpp", "csharp", "dart", "dotnet", "java", "kotlin", "ruby", "rust", "scala", "swift",
})  # fmt: skip
"""Languages that people ask for and that have no target."""
_GENERATED = """A file is written only if its bytes change; obsolete files of earlier runs are removed."""
_STOPPED = """If the schema of a message cannot be used, nothing is written, and the exit code is 1."""
_LEFT_OUT = """Messages for which no files can be generated are left out, and the exit code is 1."""
_SERVICE = """Below a babelreg.service.yaml the files are those of the messages that the service produces or consumes, \
as babelreg.lock pins them; --check also lists later changes in the registry, and which of them break the service."""


class _Targets(click.Group):
    """The targets, with a way out for other words and for options before the target."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in TARGETS and not ctx.resilient_parsing:
            from babelreg.suggest import closest

            near = target_named(name) or closest(name, TARGETS, 0.5)
            fix = f"did you mean `babelreg gen {near}`?" if near else f"name one of {', '.join(TARGETS)}"
            if name.lower() in _OTHER_LANGUAGES:
                fix = f"`babelreg gen {target_for_language(name)}` writes schemas for the generators of other languages"
            raise UsageError(f"there is no target '{name}'", fix=fix)
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        needs = UsageError("`babelreg gen` needs TARGET", fix=f"name one of {', '.join(TARGETS)}")
        if not args:
            raise needs
        try:
            return super().parse_args(ctx, list(args))
        except click.NoSuchOption:
            # As hooks write it, whose entry is `babelreg gen --check` and whose arguments begin with the target.
            at = self._target_index(ctx, args)
            if at is None:
                raise needs from None
        return super().parse_args(ctx, [args[at], *args[:at], *args[at + 1 :]])

    def _target_index(self, ctx: click.Context, args: list[str]) -> int | None:
        """Return the index of the first word that is no option and no value of one; None where there is none."""
        commands = (self.get_command(ctx, name) for name in self.list_commands(ctx))
        params = (param for command in commands if command is not None for param in command.params)
        options = {name: param for param in params if isinstance(param, click.Option) for name in param.opts}
        is_value = False
        for index, word in enumerate(args):
            if not word.startswith("-") and not is_value:
                return index
            option = None if is_value else options.get(word)
            is_value = option is not None and not option.is_flag and not option.count
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Targets"):
            formatter.write_dl([(name, target.summary) for name, target in TARGETS.items()])


class _TargetCommand(click.Command):
    """The command of one target; names the targets that have an option which this one lacks."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as err:
            takers = [
                name
                for name, below in command.commands.items()
                if any(err.option_name in param.opts for param in below.params)
            ]
            if not takers:
                raise
            message = f"target {self.name} has no option {err.option_name}"
            raise UsageError(message, fix=f"remove it; it is an option of {', '.join(takers)}") from None


def _out_option(name: str, target: Target) -> Callable[[F], F]:
    default = f"generated/{name}" if target.hooks.default_folder is None else "where the file belongs"
    return click.option(
        "--out",
        metavar="DIR",
        type=LocalPath(file_okay=False),
        help=f"The folder to write into. Default: {default}.",
    )


def _own_option(option: Option) -> Callable[[F], F]:
    if isinstance(option.default, bool):
        return click.option(option.flag, is_flag=True, default=None, help=option.help)
    default = f" Default: {option.default}." if option.default is not None else ""
    return click.option(
        option.flag,
        type=_Choice(option) if option.choices and option.metavar is None else str,
        metavar=option.metavar,
        help=f"{option.help}{default}",
    )


class _Choice(click.Choice[str]):
    """The values of an option; a value of earlier versions is refused with the reason."""

    def __init__(self, option: Option) -> None:
        super().__init__(option.choices)
        self.option = option

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        self.option.refuse_removed(value)
        return super().convert(value, param, ctx)


def _serve_options(target: Target) -> list[Callable[[Any], Any]]:
    if target.hooks.serve is None:
        return []
    return [
        click.option(
            "--serve", is_flag=True, help="Write nothing; show the files on this machine, and follow changes."
        ),
        click.option(
            "--port",
            metavar="PORT",
            type=click.IntRange(0, 65535),
            default=8646,
            show_default=True,
            help="The port of --serve; 0 for a free one.",
        ),
    ]


def _target_command(name: str, target: Target) -> click.Command:
    """Return the command of ``target``, with the options that it declares."""

    def run(ctx: click.Context, /, **options: Any) -> None:
        from babelreg.cli.gen.generate import generate

        generate(ctx, name, **options)

    decorators = [
        _out_option(name, target),
        click.option("--check", "check_only", is_flag=True, help="Write nothing; list outdated files and exit 1."),
        dry_run_option("the files that would be written or removed"),
        click.option("--no-cache", is_flag=True, help="Generate and compare every file, even if nothing has changed."),
        *_serve_options(target),
        *(_own_option(option) for option in target.options if option.command_line),
        registry_option,
        format_option,
        output_option,
        color_option,
        fail_on_option,
    ]
    callback: Any = click.pass_context(run)
    for decorator in reversed(decorators):
        callback = decorator(callback)
    left_out = _STOPPED if target.hooks.unsupported is None else _LEFT_OUT
    return click.command(
        name,
        cls=_TargetCommand,
        help=f"{target.summary}.\n\n{_GENERATED} {left_out} {_SERVICE}",
        short_help=target.summary,
        epilog=examples(f"babelreg gen {name}", f"babelreg gen {name} --check"),
    )(callback)


@click.group(
    cls=_Targets,
    subcommand_metavar="TARGET [OPTIONS]",
    epilog=examples(
        "babelreg gen python --out src --package messages",
        "babelreg gen docs --out docs --check",
        "babelreg gen catalog --serve",
    ),
)
def command() -> None:
    """Generate typed code, schemas or docs from the registry.

    `babelreg gen TARGET --help` lists the options of a target.
    """


for _name, _target in TARGETS.items():
    command.add_command(_target_command(_name, _target))
