"""A placeholder instead of a description.

A template's "Say what weight is.", a TODO or a lorem ipsum looks like documentation to every tool. It reaches the
catalog, the docstrings of generated code and the comments of tables, where readers take it seriously. Without a
description, the rules `description-missing` and `field-undescribed` would ask for one.

Bad::

    urn: urn:babel:orders:created
    description: An order was accepted and paid for.
    data:
      type: object
      properties:
        weight: {type: number, description: Say what weight is.}

Good::

    urn: urn:babel:orders:created
    description: An order was accepted and paid for.
    data:
      type: object
      properties:
        weight: {type: number, description: "Gross weight in grams, packaging included."}

Fix::

    Write the description, or remove it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model import Source

severity = Severity.WARNING
profile = "standard"

_PLACEHOLDER = re.compile(
    r"Say what (?:happened, and when this is sent|is to be done, and who asks for it|belongs to .+|.+ does|.+ is)\."
    r"(?: Only null was seen: add its type\.)?"
    r"|Something was created; say what, and when exactly this is sent\."
    r"|Number of the thing\."
    r"|Identifies what the message is about\."
    r"|What belongs to .+\."
    r"|(?:Produces|Consumes) the first message; replace it by your own\."
    r"|(?:TODO|FIXME|TBD|XXX)\b.*|to be (?:done|written|defined)\.?|lorem ipsum\b.*|\.\.\.|…|<[^<>]*description[^<>]*>"
    r"|(?:add|write|enter|your) (?:a |the )?description(?: here)?\.?",
    re.IGNORECASE | re.DOTALL,
)
_MOST = 1000
"""Length up to which a description can be a placeholder."""


def check(scope: Scope) -> Iterator[Problem]:
    fix = "write the description, or remove it"
    for description, source, urn in _descriptions(scope):
        if _is_placeholder(description):
            text = f"the description is a placeholder: '{_shortened(description)}'"
            yield Problem(text, source, ("description",), fix=fix, urn=urn)
    for field in scope.fields_with("description"):
        description = field.schema["description"]
        if _is_placeholder(description):
            name = f" of '{field.name}'" if field.name else ""
            text = f"the description{name} is a placeholder: '{_shortened(description)}'"
            yield Problem(text, field.source, (*field.pointer, "description"), fix=fix, urn=field.urn)


def _descriptions(scope: Scope) -> Iterator[tuple[str | None, Source, str | None]]:
    """Yield the description, the file and the URN of each context, service and message."""
    yield from ((context.description, context.source, None) for context in scope.registry.contexts.values())
    yield from ((service.description, service.source, None) for service in scope.services)
    yield from ((message.description, message.source, message.urn) for message in scope.messages)


def _is_placeholder(description: object) -> bool:
    return (
        isinstance(description, str)
        and len(description) <= _MOST
        and _PLACEHOLDER.fullmatch(description.strip()) is not None
    )


def _shortened(description: object) -> str:
    text = " ".join(str(description).split())
    return text if len(text) <= 80 else f"{text[:77]}..."
