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
from babelreg.lint.privacy.pii_values import personal_value
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import words
from babelreg.lint.scope import Scope
from babelreg.model import Source
from babelreg.schema.pointer import Pointer

severity = Severity.WARNING
profile = "standard"

_MOST = 5  # per document
_SHORTEST = 13
"""The digits of a card, at least; no bank account is shorter."""
_SMALLEST, _BEYOND = 10 ** (_SHORTEST - 1), 10**19
# A value, the step that leads to it, and what holds it.
_Node = tuple[Any, str | int | None, Any]


def check(scope: Scope) -> Iterator[Problem]:
    """See Rule."""
    for message in scope.messages:
        for example in message.examples:
            yield from _problems(example.data, "", example.source, example.pointer, message.urn)
        for counterexample in message.counterexamples:
            yield from _problems(counterexample.data, "", counterexample.source, counterexample.pointer, message.urn)
    for field in scope.fields_with("examples", "default", "const"):
        for pointer, value in field.listed():
            if pointer[len(field.pointer)] != "enum":
                yield from _problems(value, field.name, field.source, pointer, field.urn)


def _problems(document: Any, name: str, source: Source, base: Pointer, urn: str | None) -> Iterator[Problem]:
    budget = _MOST
    for node, property_name in _suspects(document, name):
        personal = personal_value(str(node[0]), words(property_name))
        if personal is not None:
            text = f"the example has what looks like a real {personal.what}, {personal.shown}"
            fix = f"take one that belongs to nobody: {personal.instead}"
            yield Problem(text, source, base + _steps(node), fix=fix, urn=urn)
            budget -= 1
            if not budget:
                return


def _suspects(document: Any, name: str) -> Iterator[tuple[_Node, str]]:
    """Yield the texts and numbers that may be personal, each with the name of its property."""
    root: _Node = ({name: document}, None, None)
    pending = [(root, name)]
    while pending:
        node, name = pending.pop()
        container = node[0]
        for step, value in container.items() if type(container) is dict else enumerate(container):
            kind = type(value)
            if kind is str:
                # Cheap checks first: nearly all texts are harmless.
                if "@" in value or (len(value) >= _SHORTEST and value[2:4].isdigit()):
                    yield (value, step, node), step if type(step) is str else name
            elif kind is dict or kind is list:
                pending.append(((value, step, node), step if type(step) is str else name))
            elif kind is int and _SMALLEST <= value < _BEYOND:
                yield (value, step, node), step if type(step) is str else name


def _steps(node: Any) -> Pointer:
    steps: list[str | int] = []
    while node[2] is not None:
        steps.append(node[1])
        node = node[2]
    return tuple(reversed(steps[:-1]))  # the last leads to the document itself
