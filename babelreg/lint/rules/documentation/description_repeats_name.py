"""A description that only repeats the name.

`order_id: Order id.` looks documented to every tool but explains nothing: is it the number on the invoice, unique
across shops, or reused after a year?

Bad::

    urn: urn:babel:orders:created
    description: Order created.
    data:
      type: object
      properties:
        order_id: {type: integer, description: The order ID.}

Good::

    urn: urn:babel:orders:created
    description: An order was accepted and paid for.
    data:
      type: object
      properties:
        order_id: {type: integer, description: "Number of the order, as printed on the invoice."}

Fix::

    Answer what a newcomer would ask: where the value comes from, its unit, what it must not be confused with. If the
    name says it all, remove the description.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import words
from babelreg.lint.scope import Scope

severity = Severity.INFO
profile = "strict"

_FILLERS = frozenset(
    words("the a an of for this that is was are were has been its our event command message field value when it data")
)


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        description = message.description
        if (
            description
            and message.parsed
            and message.status != "retired"
            and _repeats(description, message.parsed.name, message.parsed.context)
        ):
            text = f"the description only repeats the name: '{description.strip()}'"
            fix = "description: …, a sentence on when it is sent and what a consumer may conclude from it"
            yield Problem(text, message.source, ("description",), fix=fix, urn=message.urn)
    for field in scope.fields_with("description"):
        description = field.schema["description"]
        if isinstance(description, str) and field.name and _repeats(description, field.name):
            text = f"the description of '{field.name}' only repeats the name: '{description.strip()}'"
            fix = "answer what a newcomer would ask, or remove the description"
            yield Problem(text, field.source, (*field.pointer, "description"), fix=fix, urn=field.urn)


@lru_cache(maxsize=1 << 13)
def _repeats(description: str, name: str, context: str = "") -> bool:
    if len(description) > 2 * len(name) + 40 or not description.isascii():
        return False
    new_words = set(words(description)) - _FILLERS
    return (
        bool(new_words)
        and new_words <= _inflected(f"{name} {context}")
        and _inflected(description) >= set(words(name)) - _FILLERS
    )


def _inflected(text: str) -> set[str]:
    """Return the words of a text, and all of them joined, in singular and plural."""
    singular = words(text)
    forms = {*singular, "".join(singular), *(word.removesuffix("s") for word in singular)}
    return forms | {f"{word}s" for word in forms}
