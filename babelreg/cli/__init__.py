"""The ``babelreg`` command. One module a command, imported when it is used; here is only the table and the way out.

Exit 0: clean. 1: findings. 2: wrong use or unreadable input. 3: our own bug. 130: stopped by Ctrl-C.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import os
import shlex
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import click

from babelreg import __version__
from babelreg.cli.shared import debugging, interruption
from babelreg.cli.shared.common_options import add_shared_options, examples, restored_stderr
from babelreg.errors import BabelregError, InputError, UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["COMMANDS", "GROUPS", "main"]

GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Registry": {
        "init": ("babelreg.cli.init", "Start a registry that lints clean."),
        "infer": ("babelreg.cli.infer", "Infer messages from recordings."),
        "new": ("babelreg.cli.new", "Start a message, optionally from samples of its data."),
        "list": ("babelreg.cli.inspect.list", "List the messages."),
        "show": ("babelreg.cli.inspect.show", "Show one message."),
        "search": ("babelreg.cli.inspect.search", "Find messages by field, service or description."),
        "lint": ("babelreg.cli.lint", "Check the registry against the rules."),
        "format": ("babelreg.cli.format", "Format the registry's files."),
        "import": ("babelreg.cli.importing.group", "Import JSON Schemas and messages of other tools."),
    },
    "Changes": {
        "breaking": ("babelreg.cli.breaking", "Find changes that break producers or consumers."),
        "compare": ("babelreg.cli.compare", "Compare two schema files: does each accept the other's data?"),
        "impact": ("babelreg.cli.impact.command", "Show what a change would have done to recorded messages."),
        "diff": ("babelreg.cli.inspect.diff", "Show what changed since a revision."),
        "mint": ("babelreg.cli.mint", "Write the next version of a message."),
        "drift": ("babelreg.cli.drift", "Compare the registry with recorded traffic."),
    },
    "Services": {
        "gen": ("babelreg.cli.gen.group", "Generate Python, Spark schemas, docs or a catalog."),
        "runtime": ("babelreg.cli.runtime", "Write the wheel that generated Python runs on."),
        "scan": ("babelreg.cli.scan", "Find URNs in source code."),
        "update": ("babelreg.cli.update", "Fetch a service's registry and pin it."),
    },
    "Messages": {
        "validate": ("babelreg.cli.validate", "Check recorded messages against the registry."),
        "topology": ("babelreg.cli.topology.command", "Show queues and subscriptions, or compare a broker."),
        "redrive": ("babelreg.cli.redrive.command", "Send dead letters to their queue again."),
        "fanout": ("babelreg.cli.topology.fanout", "Copy messages of other SDKs to all inboxes."),
        "drain": ("babelreg.cli.recording.drain", "Move the messages of a queue into files."),
        "tap": ("babelreg.cli.recording.tap", "Copy published messages into files."),
        "wire": ("babelreg.cli.wire.group", "Read, write, convert and check wire formats."),
        "lake": ("babelreg.cli.lake.group", "Turn recorded messages into typed tables."),
        "spark": ("babelreg.cli.spark.group", "Turn recorded messages into typed tables with Spark."),
    },
    "Manual": {
        "rules": ("babelreg.cli.rules", "List all rules or reasons."),
        "explain": ("babelreg.cli.explain", "Print the page of a rule or a reason."),
        "completion": ("babelreg.cli.completion", "Print the completion script for a shell."),
        "demo": ("babelreg.cli.demo", "Run all steps on the example registry."),
    },
}
"""The commands by the section of ``--help`` that lists them: the module of each, and its line."""

COMMANDS: dict[str, tuple[str, str]] = {name: entry for group in GROUPS.values() for name, entry in group.items()}


_MOVED = {"changelog": ("diff", "--format", "markdown")}
"""Commands of earlier versions, and what does their work."""


class _Commands(click.Group):
    """The commands by name; a command's module is imported only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name][0]).command
        command.name = cmd_name
        add_shared_options(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if name in _MOVED:
            words = ["babelreg", *_MOVED[name]]
            message = f"`babelreg {name}` is `{shlex.join(words)}` now"
            raise UsageError(message, fix=shlex.join([*words, *args[1:]]))
        if name and not name.startswith("-") and name not in COMMANDS:
            ctx.fail(f"No such command '{name}'.")  # also while a shell completes: there is nothing to propose
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[Any]]:
        from click.shell_completion import CompletionItem

        # What click would do for a group imports every command.
        named = [CompletionItem(name, help=COMMANDS[name][1]) for name in COMMANDS if name.startswith(incomplete)]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{width}}", line) for name, (_, line) in commands.items()])


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=examples("babelreg init registry && babelreg lint", "babelreg breaking --against main"),
)
@click.version_option(__version__, prog_name="babelreg", message="%(prog)s %(version)s")
@click.pass_context
def _babelreg(ctx: click.Context) -> None:
    """URN registry and code generation for BabelQueue messages."""
    from babelreg.report.colour import colour_wanted

    ctx.color = colour_wanted(sys.stdout)


add_shared_options(_babelreg)


def main(args: list[str] | None = None) -> None:
    """Run one command and exit. Nothing but our own bug ever shows a traceback.

    Without ``args`` this is the program itself, which handles Ctrl-C until its process ends.
    """
    # Python would look through everything that was read once more before it ends.
    atexit.register(gc.freeze)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")  # a console that has no letter for what a registry says
    if args is not None:
        sys.exit(_checked_code(args))
    with interruption.caught():
        _leave(_checked_code(None))


def _checked_code(args: list[str] | None) -> int:
    """Run the command; return its exit code, also where its output could not be written."""
    debugging.begin()
    try:
        code = _exit_code(args)
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except BrokenPipeError:
        # Whoever reads our output has read enough (`babelreg rules | head`).
        _give_up_output()
        code = 0
    except OSError as err:
        # A full disk, a name too long, a folder that went away while we read it: nothing that we did wrong.
        with contextlib.suppress(OSError):
            file = f"{err.filename}: " if err.filename else ""
            _complain(
                InputError(f"{file}{err.strerror or err}", fix="free disk space, or choose another file or folder")
            )
        _give_up_output()
        code = 2
    return code


def _leave(code: int) -> NoReturn:
    """End the process. Without the interpreter's own end, in which Ctrl-C would print a traceback or have no effect."""
    if interruption.stop_requested():
        interruption.leave()
    atexit._run_exitfuncs()
    os._exit(code)


def _exit_code(args: list[str] | None) -> int:
    try:
        with restored_stderr():
            code = _run(sys.argv[1:] if args is None else args)
    except interruption.Stopped as err:
        return int(str(err.code))
    except click.exceptions.Exit as err:
        return err.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt, EOFError):
        click.echo("babelreg: stopped", err=True)
        return 130
    except click.exceptions.NoArgsIsHelpError as err:
        err.show()
        return 2
    except click.ClickException as err:
        from babelreg.cli.shared.wrong_use import usage_error

        _complain(usage_error(err))
        return 2
    except BabelregError as err:
        _complain(err)
        return err.exit_code
    except OSError:
        raise
    except Exception as err:
        _own_bug(err)
        return 3
    return code if isinstance(code, int) else 0


def _run(args: list[str]) -> Any:
    """Run one command; what ``click.Command.main`` does without it, which ends in 1 when a reader has read enough."""
    if os.name == "nt":
        from click.utils import _expand_args

        args = _expand_args(args)  # a shell of Windows leaves *.jsonl to the program
    with _babelreg.make_context("babelreg", list(args)) as context:
        return _babelreg.invoke(context)


def _give_up_output() -> None:
    """Let what cannot be written any more go nowhere, else Python tries once more as it ends, and complains."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # closed already, or not there at all
            try:
                stream.flush()
            except OSError:
                os.dup2(nowhere, stream.fileno())


def _complain(err: BabelregError) -> None:
    from babelreg.report import printable, render

    prefix = f"{err.place}: " if err.place else "babelreg: "
    findings = getattr(err, "findings", ())
    if findings:
        click.echo(render(findings, "text", colour=False), err=True, nl=False)
        prefix = "babelreg: "
    click.echo(printable(f"{prefix}error: {err.message}"), err=True)
    if err.fix:
        click.echo(f"  fix: {printable(err.fix)}", err=True)
    if debugging.enabled():
        import traceback

        click.echo("".join(traceback.format_exception(err)), err=True, nl=False)


def _own_bug(err: Exception) -> None:
    import platform
    import traceback

    click.echo("".join(traceback.format_exception(err)[-12:]), err=True, nl=False)
    click.echo(
        f"\nbabelreg: this is a bug in babelreg {__version__} (Python {platform.python_version()}, "
        f"{platform.system()}), not in your input.\n"
        "  fix: report it with the lines above and the command you ran: "
        "https://github.com/babelreg/babelreg/issues",
        err=True,
    )
