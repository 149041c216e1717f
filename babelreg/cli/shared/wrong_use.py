"""Wrong use of the command line, as click reports it, in the style of every other error: what is wrong, and a fix."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

import click

from babelreg.errors import UsageError
from babelreg.suggest import closest

# Names that other commands of ours or of the field have for it. The first of the names that a command has is proposed.
_OTHER_NAMES: dict[str, tuple[str, ...]] = {
    "--output": ("--lake", "--out"),
    "--out": ("--lake", "--output"),
    "--output-file": ("--output", "--out"),
    "-o": ("--output", "--out", "--lake"),
    "--report": ("--output",),
    "--html": ("--output",),
    "--format": ("--as", "--wire"),
    "--from": ("--wire",),
    "--output-format": ("--format",),
    "--error-format": ("--format",),
    "--formats": ("--assert-formats",),
    "--dir": ("--out", "--lake", "-C"),
    "--directory": ("-C",),
    "--silent": ("--quiet",),
    "--diff": ("--dry-run", "--check"),
    "--dry-run": ("--diff", "--check"),
    "--check": ("--dry-run", "--diff"),
    "--extend-ignore": ("--ignore",),
    "--rule": ("--select",),
    "--severity": ("--fail-on",),
    "--base": ("--against", "--since"),
    "--baseline": ("--against", "--since"),
    "--config": ("--registry",),
}
_OTHER_COMMANDS: dict[str, tuple[str, ...]] = {
    "check": ("lint",),
    "fix": ("lint", "--fix"),
    "fmt": ("format",),
    "generate": ("gen",),
    "codegen": ("gen",),
    "ls": ("list",),
    "add": ("new",),
    "ingest": ("lake", "ingest"),
    "publish": ("lake", "publish"),
    "compact": ("lake", "compact"),
    "quarantine": ("lake", "quarantine"),
    "stream": ("spark", "stream"),
    "convert": ("wire", "convert"),
    "decode": ("wire", "decode"),
}
_OTHER_VALUES = {
    "md": "markdown",
    "ndjson": "jsonl",
    "xml": "junit",
    "github-actions": "github",
    "gha": "github",
    "gitlab-code-quality": "gitlab",
    "code-quality": "gitlab",
    "warn": "warning",
    "none": "never",
}
_COMMAND = re.compile(r"No such command '(.*?)'\.", re.DOTALL)
_CHOICE = re.compile(r"'(.*)' is not one of (.*?)\.?\Z", re.DOTALL)


def usage_error(err: click.ClickException) -> UsageError:
    """Return ``err`` as an error of ours, with what the user may have meant."""
    context = getattr(err, "ctx", None)
    if isinstance(err, click.NoSuchOption):
        return _no_such_option(err)
    if isinstance(err, click.MissingParameter):
        return _missing(err)
    if context is not None and (match := _COMMAND.match(err.message)):
        return _no_such_command(context, match[1])
    named = _named(err) if isinstance(err, click.BadParameter) else ""
    if isinstance(err, click.BadParameter) and (match := _CHOICE.match(err.message)):
        return _no_such_choice(named, match[1], [choice.strip(" '") for choice in match[2].split(",")])
    message = err.format_message() if not isinstance(err, click.BadParameter) else err.message
    message = f"{message[:1].lower()}{message[1:]}".rstrip(".")
    # The message names the value, which is enough for an argument.
    if named.startswith("-"):
        message = f"{named}: {message}"
    return UsageError(message, fix=None if ";" in message else _see_help(context))


def _no_such_option(err: click.NoSuchOption) -> UsageError:
    context, name = err.ctx, err.option_name
    options = _options(context)
    alias = next((option for option in _OTHER_NAMES.get(name, ()) if option in options), None)
    names = {option.lstrip("-"): option for option in options}
    near = alias or names.get(closest(name.lstrip("-"), names, 0.7) or "")
    command = context.command_path if context else "babelreg"
    fix = f"did you mean {near}?" if near else _see_help(context)
    return UsageError(f"`{command}` has no option {name}", fix=fix)


def _no_such_command(context: click.Context, name: str) -> UsageError:
    group = context.command
    if context.parent is None and name in _OTHER_COMMANDS:
        words = " ".join((context.command_path, *_OTHER_COMMANDS[name]))
        return UsageError(f"there is no command '{name}'", fix=f"did you mean `{words}`?")
    near = closest(name, group.list_commands(context) if isinstance(group, click.Group) else ())
    program = context.command_path
    fix = f"did you mean `{program} {near}`?" if near else f"`{program} --help` lists the commands"
    return UsageError(f"there is no command '{name}'", fix=fix)


def _missing(err: click.MissingParameter) -> UsageError:
    context, param = err.ctx, err.param
    command = context.command_path if context else "babelreg"
    if param is None or context is None:
        return UsageError(f"`{command}` needs more arguments", fix=_see_help(context))
    if isinstance(param, click.Option):
        option = max(param.opts, key=len)
        meant = _value_of_alias(context, option)
        usage = f"{option} {param.make_metavar(context)}"
        fix = f"did you mean {option} {shlex.quote(meant)}?" if meant else _example(context)
        return UsageError(f"`{command}` needs {usage}", fix=fix)
    return UsageError(f"`{command}` needs {param.make_metavar(context).strip('.[]')}", fix=_example(context))


def _value_of_alias(context: click.Context, option: str) -> str | None:
    """The value of an option that elsewhere, or in other tools, is a name for ``option``."""
    for param in context.command.params:
        names = [name for name in param.opts if option in _OTHER_NAMES.get(name, ())]
        value = context.params.get(param.name or "") if names else None
        if isinstance(value, tuple) and value:
            value = getattr(value[0], "path", value[0])  # the file of a report, without its style
        if value:
            return str(value)
    return None


def _no_such_choice(named: str, value: str, choices: Sequence[str]) -> UsageError:
    alias = _OTHER_VALUES.get(value.lower())
    near = alias if alias in choices else closest(value.lower(), choices)
    fix = f"did you mean {near}?" if near else f"one of {', '.join(choices)}"
    return UsageError(f"{named}: there is no '{value}'", fix=fix)


def _named(err: click.BadParameter) -> str:
    param = err.param
    if param is None:
        return (err.param_hint or "") if isinstance(err.param_hint, str) else ""
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return param.human_readable_name.strip(".[]")


def _options(context: click.Context | None) -> list[str]:
    params = context.command.get_params(context) if context else []
    return [
        name for param in params if isinstance(param, click.Option) for name in (*param.opts, *param.secondary_opts)
    ]


def _example(context: click.Context) -> str:
    """Return the first example of the command; the way to its help where it has none."""
    lines = (context.command.epilog or "").splitlines()
    example = next((line.strip() for line in lines if line.strip().startswith(context.command_path)), None)
    return f"such as `{example}`" if example else _see_help(context)


def _see_help(context: click.Context | None) -> str:
    return f"`{context.command_path if context else 'babelreg'} --help` shows its usage"
