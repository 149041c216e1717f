"""The docstring of a package for a foreign wire format: runnable code that writes and reads its messages.

It writes an example of the registry. If no message that begins an exchange has an example, it only reads.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Mapping, Set
from typing import NamedTuple

from babelreg.gen.python_code import usage_example
from babelreg.gen.python_code.line_wrapping import LONGEST, bracketed
from babelreg.gen.python_code.package_options import PackageOptions
from babelreg.gen.targets.python.names import MessageNames
from babelreg.gen.targets.python.usage_docstring import needs
from babelreg.gen.targets.python.wire_codec import CodecView
from babelreg.model import Message, Registry
from babelreg.typemap.python.names import docstring, in_order
from babelreg.wire.formats import find
from babelreg.wire.names import Codecs

_TYPED = "Dates, UUIDs and decimals have types of their own, which preserve a value but not its spelling."


def wire_usage(
    registry: Registry,
    options: PackageOptions,
    codecs: Mapping[str, CodecView],
    entries: Mapping[str, MessageNames],
    exported: Callable[[Message], frozenset[str]],
) -> str:
    """Return the text of the docstring; the arguments are as in :func:`usage_docstring.usage`."""
    shown = _shown([registry.by_urn[urn] for urn in sorted(entries)], options, codecs)
    entry = entries[shown.urn if shown else min(entries)]
    code = _code(options, shown, codecs[entry.urn], entry, exported(shown) if shown else frozenset())
    kind, (wire_title, named) = options.kind, _named(options)
    prose = [
        "A reader returns a Received for each message of the registry, the wire's own message for any other, and a "
        "Refused for what cannot be read.",
        named.reads,
        kind.about,
        *[_TYPED] * options.typed,
    ]
    paragraphs = [" ".join(prose), needs(options)]
    text = "\n".join(textwrap.fill(paragraph, 100, break_on_hyphens=False) for paragraph in paragraphs)
    title = f"Typed messages in {wire_title}: their data, codecs and a reader."
    return "\n\n".join([title, textwrap.indent(code, "    "), text])


def _named(options: PackageOptions) -> tuple[str, Codecs]:
    names = find(options.wire).names
    assert names is not None
    assert names.codecs is not None, "the option offers formats with codecs"
    return names.title, names.codecs


def _shown(messages: list[Message], options: PackageOptions, codecs: Mapping[str, CodecView]) -> Message | None:
    """Return the message with the shortest example, of active messages before others; responses answer something."""
    replies = _named(options)[1].replies
    candidates = [message for message in messages if message.examples and codecs[message.urn].method not in replies]
    for message in sorted(
        candidates,
        key=lambda message: (message.status != "active", len(json.dumps(message.examples[0].data)), message.urn),
    ):
        data, _ = usage_example.data(message, options.models, typed=options.typed, prefix=7)
        if all(len(docstring(line)) - 6 + 4 <= LONGEST for line in data.splitlines()):
            return message
    return None


def _code(
    options: PackageOptions, shown: Message | None, codec: CodecView, entry: MessageNames, exported: Set[str]
) -> str:
    written = _Written([], [], set(), 'b"..."') if shown is None else _written(options, shown, codec, entry, exported)
    names = in_order({entry.producer, "Reader", *written.names})
    return "\n".join(
        [
            bracketed(f"from {options.package} import ", names, "", LONGEST - 4),
            *written.imports,
            "",
            f"codec = {entry.producer}()",
            *written.lines,
            "reader = Reader()",
            f"for item in reader.feed({written.sent}):",
            "    received = codec.received(item)",
            "    if received is not None:",
            "        print(received.data, received.message)",
        ]
    )


class _Written(NamedTuple):
    """Code that writes an example: imports from the message's module, lines, names of the package, what is sent."""

    imports: list[str]
    lines: list[str]
    names: set[str]
    sent: str


def _written(
    options: PackageOptions, shown: Message, codec: CodecView, entry: MessageNames, exported: Set[str]
) -> _Written:
    data, used = usage_example.data(shown, options.models, typed=options.typed, prefix=7)
    offered = {entry.name, *exported}
    nested = in_order(used - offered)
    imports = [bracketed(f"from {options.package}.{entry.module} import ", nested, "")] if nested else []
    named = _named(options)[1]
    made = f"encode(codec.{codec.method}(data{named.arguments.get(codec.method, '')}))"
    end = f" + {named.line_end!a}".replace("'", '"') if named.line_end else ""
    typed = options.models == "typeddict"
    lines = [f"data: {entry.name} = {data}" if typed else f"data = {data}", f"sent = {made}{end}", ""]
    return _Written(imports, lines, {"encode", *used & offered, *[entry.name] * typed}, "sent")
