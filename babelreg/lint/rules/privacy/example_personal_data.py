"""An example with what looks like the data of a real person.

Examples are read by everybody who reads the documentation, end up in tests that send mail, and stay in the history
for good. Reported are e-mail addresses outside the domains that are kept for examples, bank accounts and card
numbers with a valid check digit; well-known test numbers, addresses of a role (`support@`) and placeholders are
not.

Bad::

    urn: urn:babel:customers:registered
    data:
      type: object
      properties:
        email: {type: string, format: email, x-gdpr-sensitive: email}
    examples:
      - {email: j.lindqvist@gmail.com}

Good::

    urn: urn:babel:customers:registered
    data:
      type: object
      properties:
        email: {type: string, format: email, x-gdpr-sensitive: email}
    examples:
      - {email: ada@example.com}

Fix::

    Take an address at `example.com`, `example.org` or below `.test`, the IBAN DE89370400440532013000, the card
    4242424242424242. Where it was a real one, the history of the repository still has it: tell whoever looks after
    personal data.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.privacy.pii_values import personal
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import words
from babelreg.lint.scope import Scope
from babelreg.model import Source
from babelreg.schema.pointer import Pointer

severity = Severity.WARNING
profile = "standard"

_MOST = 5  # in one document; whoever has copied real messages has copied many
_SHORTEST = 13
"""The digits of a card, at least; no bank account is shorter."""
_SMALLEST, _BEYOND = 10 ** (_SHORTEST - 1), 10**19
# A value, the step that leads to it, and what holds it.
_Node = tuple[Any, str | int | None, Any]


def check(scope: Scope) -> Iterator[Problem]:
    """See Rule."""
    for message in scope.messages:
        for one in message.examples:
            yield from _problems(one.data, "", one.source, one.pointer, message.urn)
        for other in message.counterexamples:
            yield from _problems(other.data, "", other.source, other.pointer, message.urn)
    for field in scope.having("examples", "default", "const"):
        for pointer, value in field.listed():
            if pointer[len(field.pointer)] != "enum":
                yield from _problems(value, field.name, field.source, pointer, field.urn)


def _problems(document: Any, name: str, source: Source, base: Pointer, urn: str | None) -> Iterator[Problem]:
    left = _MOST
    for node, beside in _suspects(document, name):
        found = personal(str(node[0]), words(beside))
        if found is not None:
            text = f"the example has what looks like a real {found.what}, {found.shown}"
            fix = f"take one that belongs to nobody: {found.instead}"
            yield Problem(text, source, base + _steps(node), fix=fix, urn=urn)
            left -= 1
            if not left:
                return


def _suspects(document: Any, name: str) -> Iterator[tuple[_Node, str]]:
    """Every text and number that is worth a look, with the name of the property it is in."""
    around: _Node = ({name: document}, None, None)
    waiting = [(around, name)]
    while waiting:
        node, name = waiting.pop()
        held = node[0]
        for step, value in held.items() if type(held) is dict else enumerate(held):
            kind = type(value)
            if kind is str:
                # Nearly all that stands in a document is harmless: that is seen here, before anything is made of it.
                if "@" in value or (len(value) >= _SHORTEST and value[2:4].isdigit()):
                    yield (value, step, node), step if type(step) is str else name
            elif kind is dict or kind is list:
                waiting.append(((value, step, node), step if type(step) is str else name))
            elif kind is int and _SMALLEST <= value < _BEYOND:
                yield (value, step, node), step if type(step) is str else name


def _steps(node: Any) -> Pointer:
    steps: list[str | int] = []
    while node[2] is not None:
        steps.append(node[1])
        node = node[2]
    return tuple(reversed(steps[:-1]))  # the last leads to the document itself
