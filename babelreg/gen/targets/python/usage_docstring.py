"""The docstring of a generated package: runnable code that sends and handles its messages.

It uses only names that the package exports. It sends a valid example of the registry, and has handlers for all messages
that a service consumes, because its consumer does not start without them.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Mapping, Sequence, Set
from typing import NamedTuple

from babelreg import __version__
from babelreg.contract import Contract
from babelreg.errors import SchemaError
from babelreg.gen.python_code import usage_example
from babelreg.gen.python_code.line_wrapping import LONGEST, bracketed
from babelreg.gen.python_code.package_options import PackageOptions
from babelreg.gen.python_code.service_roles import Roles
from babelreg.gen.targets.python.names import MessageNames
from babelreg.model import Message, Registry
from babelreg.typemap.python.names import docstring, import_order

_WIDTH = 88
_SHORT = 150
_TYPED = "Dates, UUIDs and decimals have types of their own, which preserve a value but not its spelling."


class _Sent(NamedTuple):
    """A call that sends an example: its code, and the names that it uses from the module of the message."""

    message: Message
    code: str
    names: frozenset[str]


def usage(
    registry: Registry,
    options: PackageOptions,
    roles: Roles,
    entries: Mapping[str, MessageNames],
    exported: Callable[[Message], frozenset[str]],
) -> str:
    """Return the text of the docstring. ``entries`` are the messages of the package by URN.

    ``exported`` returns the names of a message's module, besides its entry's, that the package exports, too.
    """
    messages = [registry.by_urn[urn] for urn in sorted(entries)]
    sent = _sent(registry, options, [message for message in messages if entries[message.urn].sent])
    handled = [message for message in messages if message.urn in roles.consumes]
    if roles.service is None:
        handled = [sent.message] if sent else messages[:1]
    offered = {*entries[sent.message.urn].names, *exported(sent.message)} if sent else set()
    code = _code(options, sent, handled, entries, offered) if sent or handled else ""
    kind = options.kind
    prose = [_offered(roles, entries, shown=sent is not None)]
    if entries:
        prose += [kind.about, *[_TYPED] * options.typed]
    paragraphs = [" ".join(prose), needs(options)]
    text = "\n".join(textwrap.fill(paragraph, 100, break_on_hyphens=False) for paragraph in paragraphs)
    blocks = ["Typed messages: their data, producers and consumers.", textwrap.indent(code, "    "), text]
    return "\n\n".join(block for block in blocks if block)


def needs(options: PackageOptions) -> str:
    """Return a sentence on the requirements of the package."""
    if options.vendored:
        return f"Needs {', '.join(options.needs)}."
    return f"Runs on babelreg-runtime {__version__} or later, as requirements.txt says."


def _offered(roles: Roles, entries: Mapping[str, MessageNames], *, shown: bool) -> str:
    """Return sentences on the producers and handlers of the package."""
    producers = [entry.producer for entry in entries.values() if entry.sent]
    if roles.service is None and not entries:
        return "The registry has no message yet."
    if not producers and not roles.consumes:
        return f"The registry has no message that {roles.service} sends or consumes."
    if roles.service is None:
        text = "Each message class has a producer with its name."
    else:
        text = f"The messages that {roles.service} sends have producers." if producers else ""
        if roles.consumes:
            text += f" The Consumer of {roles.service} requires a handler for each message that it consumes."
    if producers and not shown:
        text += f" {min(producers)}(app).send(...) sends a message; the registry has no valid example of one."
    return text.strip()


def _sent(registry: Registry, options: PackageOptions, messages: Sequence[Message]) -> _Sent | None:
    """Return a call that sends the first short valid example, preferably of an active message."""
    candidates = sorted(
        (message.status != "active", (length := len(json.dumps(message.examples[0].data))) > _SHORT and length, number)
        for number, message in enumerate(messages)
        if message.examples
    )
    for _, _, number in candidates:
        message = messages[number]
        if _is_valid(registry, message):
            code, names = usage_example.call(message, options.models, typed=options.typed)
            if all(len(docstring(line)) - 6 + 4 <= LONGEST for line in code.splitlines()):
                return _Sent(message, code, names)
    return None


def _is_valid(registry: Registry, message: Message) -> bool:
    strict = [message.urn] if registry.compatibility(message.context).reader == "strict" else []
    contract = Contract({message.urn: message.schema}, strict=strict, side="producer")
    try:
        return contract.data_verdict(message.urn, message.examples[0].data).ok
    except SchemaError:
        return False


def _code(
    options: PackageOptions,
    sent: _Sent | None,
    handled: Sequence[Message],
    entries: Mapping[str, MessageNames],
    offered: Set[str],
) -> str:
    app, models = "BabelQueue", {entries[message.urn].name for message in handled}
    names = {"Consumer", "Context", *models} if handled else set()
    own: frozenset[str] = frozenset()
    if sent:
        names |= sent.names & offered
        own = sent.names - offered
    if any("BabelQueue" in entry.names for entry in entries.values()):
        app = "App"  # never the name of a message, which has at least two words
    imports = ["from babelqueue import BabelQueue" + (f" as {app}" if app != "BabelQueue" else "")]
    imports.append(_import(options.package, names))
    if sent and own:
        imports.append(_import(f"{options.package}.{entries[sent.message.urn].module}", own))
    lines = [*imports, "", f'app = {app}("{usage_example.BROKER}")']
    if sent:
        lines.append(sent.code)
    if handled:
        lines += ["", "consumer = Consumer(app)", ""]
        for number, message in enumerate(handled):
            lines += _handler(options, message, entries[message.urn], first=number == 0)
        lines.append("consumer.run()")
    return "\n".join(lines)


def _handler(options: PackageOptions, message: Message, entry: MessageNames, *, first: bool) -> list[str]:
    shown = usage_example.member(message, options.models, typed=options.typed)
    if len(docstring(shown)) > _WIDTH // 2:
        shown = "data"
    arguments = [f"data: {entry.name}", "context: Context"]
    return [
        f"@consumer.on({entry.name})",
        bracketed(f"def handle{'' if first else f'_{entry.module}'}(", arguments, ") -> None:", LONGEST - 4),
        f"    print({shown}, context.trace_id)",
        "",
    ]


def _import(module: str, names: set[str] | frozenset[str]) -> str:
    return bracketed(f"from {module} import ", import_order(names), "", _WIDTH)
