"""An alias that is also a name of another message, or the message's own URN.

An alias is a name that producers really send in place of the URN. A name must identify one message: with two, readers
would have to choose, and the tables of both would be wrong. The name and aliases of a retired message stay taken,
because messages sent under them are still in queues and logs. An alias need not be a valid URN.

Bad::

    # file: web/clicked.yaml
    urn: urn:babel:web:clicked
    aliases: [web.event]
    # file: web/viewed.yaml
    urn: urn:babel:web:viewed
    aliases: [web.event]

Good::

    # file: web/clicked.yaml
    urn: urn:babel:web:clicked
    aliases: [web.click]
    # file: web/viewed.yaml
    urn: urn:babel:web:viewed
    aliases: [web.view]

Fix::

    Remove the alias from the message that is not sent under it. If producers do send two kinds of message under one
    name, declare one message whose `data` has both as branches of `oneOf`.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model import Message

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    registry = scope.registry
    first: dict[str, Message] = {}
    for message in sorted(registry.messages, key=lambda each: each.status != "retired"):  # these keep their names
        for index, alias in enumerate(message.aliases):
            other = registry.by_urn.get(alias) or first.setdefault(alias, message)
            if other is not message or alias == message.urn:
                yield _problem(message, index, other)


def _problem(message: Message, index: int, other: Message) -> Problem:
    alias = message.aliases[index]
    if alias == message.urn:
        text = f"'{alias}' is the URN of this message, which needs no alias"
        return Problem(text, message.source, ("aliases", index), fix="remove the alias", urn=message.urn)
    retired = other.status == "retired"
    if alias == other.urn:
        whose = "a retired" if retired else "another"
        text = f"the alias '{alias}' is the URN of {whose} message ({other.source.path})"
        there = other.source.place(("urn",))
    else:
        text = f"the alias '{alias}' is one of {'the retired ' if retired else ''}{other.urn}, too"
        there = other.source.place(("aliases", other.aliases.index(alias)))
    fix = f"remove it here, or from {other.source.path}: a name belongs to one message"
    if retired:
        fix = "remove it: the name of a retired message is never used again"
    return Problem(text, message.source, ("aliases", index), fix=fix, urn=message.urn, against=there)
