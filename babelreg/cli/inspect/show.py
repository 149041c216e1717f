"""``babelreg show``: one message, as a page at the prompt."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from babelreg.cli.shared.common_options import MessageUrn, examples, style_option
from babelreg.cli.shared.registry_options import completed_by, registry_option, root_of
from babelreg.errors import UsageError

if TYPE_CHECKING:
    from babelreg.model.overview import MessageOverview

_WIDTH, _INDENT = 80, 11


@click.command(
    short_help="Show a message: who sends it, who reads it, its fields.",
    epilog=examples("babelreg show urn:babel:orders:created", "babelreg show orders:created --format json"),
)
@click.argument("urn", type=MessageUrn(), shell_complete=completed_by("urns"))
@style_option("message")
@registry_option
def command(urn: str, style: str, registry: Path | None) -> int:
    """Show the message URN: what it means, who owns, produces and consumes it, its fields, an example.

    `urn:babel:` may be left out. A message is shown by one of its aliases, too.
    """
    from babelreg.cli.inspect.overview_cache import registry_overviews
    from babelreg.report import printable

    root = root_of(registry)
    messages = registry_overviews(root)
    message = _named(messages, urn)
    if style == "json":
        click.echo(json.dumps(message.as_json(), indent=2, ensure_ascii=False))
        return 0
    for line in _page(message, root):
        click.echo(line if line.startswith("\x1b") else printable(line))
    return 0


def _named(messages: Sequence[MessageOverview], urn: str) -> MessageOverview:
    """Return the message of that name. Raises UsageError, with a suggestion, where there is none."""
    from babelreg.suggest import closest

    names = {name: message for message in reversed(messages) for name in message.aliases}
    names |= {message.urn: message for message in reversed(messages)}
    if urn in names:
        return names[urn]
    near = closest(urn, names)
    fix = f"did you mean `babelreg show {near}`?" if near else "`babelreg list` lists the messages"
    raise UsageError(f"the registry has no message '{urn}'", fix=fix)


def _page(message: MessageOverview, root: Path) -> Iterator[str]:
    yield click.style(message.urn, bold=True)
    if message.description:
        yield from wrap(message.description, _WIDTH)
    yield ""
    lifecycle = [message.status]
    lifecycle += [f"supersedes {message.supersedes}"] if message.supersedes else []
    lifecycle += [f"superseded by {message.superseded_by}"] if message.superseded_by else []
    lifecycle += [f"goes away on {message.sunset}"] if message.sunset else []
    about = {
        **({"aliases": ", ".join(message.aliases)} if message.aliases else {}),
        "kind": message.kind or "not stated",
        "status": ", ".join(lifecycle),
        "owner": message.owner or "not stated",
        "queue": message.queue or "default",
        "producers": ", ".join(message.producers) or "none",
        "consumers": ", ".join(_consumer(message, name) for name in message.consumers) or "none",
        "file": (root / message.path).as_posix(),
    }
    for name, value in about.items():
        yield from wrap(value, _WIDTH, initial_indent=f"{name:<{_INDENT}}", subsequent_indent=" " * _INDENT) or [name]
    if message.fields:
        yield ""
        yield from _field_lines(message)
    if message.example is not None:
        yield ""
        yield "example"
        yield from json.dumps(message.example, indent=2, ensure_ascii=False).splitlines()


def _consumer(message: MessageOverview, name: str) -> str:
    queue, reads = message.reads_from.get(name), message.reads.get(name, ())
    about = [*([f"from queue {queue}"] if queue else []), *([f"reads {', '.join(reads)}"] if reads else [])]
    about += [f"expects {schema} of {path}" for path, schema in message.expects.get(name, {}).items()]
    return f"{name} ({'; '.join(about)})" if about else name


def _field_lines(message: MessageOverview) -> Iterator[str]:
    """Yield a line per field: path, an asterisk where it is required, type, description."""
    paths = [f"{field.path}{'*' if field.required else ''}" for field in message.fields]
    width = max(len("field"), *map(len, paths))
    types = max(len("type"), *(len(field.type) for field in message.fields))
    yield f"{'field':<{width}}  {'type':<{types}}  (* required)"
    for path, field in zip(paths, message.fields, strict=True):
        personal = "" if field.category is None else f" [personal{': ' if field.category else ''}{field.category}]"
        yield f"{path:<{width}}  {field.type:<{types}}  {field.description}{personal}".rstrip()
