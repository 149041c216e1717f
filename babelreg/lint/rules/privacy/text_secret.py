"""A token, a private key or a password outside the examples.

Descriptions, the `because` of counterexamples, the reasons of waivers, contacts and comments can be read by everyone,
and most go into the documentation, the catalog and generated code. The rule reports the secrets of `example-secret`, in
every text, name and comment of a registry file.

Bad::

    urn: urn:babel:builds:started
    description: A build began. Try it with ghp_0123456789abcdefghijABCDEFGHIJ012345.

Good::

    urn: urn:babel:builds:started
    description: A build began. Try it with the token of the team, which is in the vault.

Fix::

    Remove it, and revoke it: the history of the repository still has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.privacy.example_values import detections
from babelreg.lint.privacy.secret_values import SHORTEST_TOKEN, token
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.load.registry.document import Document
from babelreg.model import Source
from babelreg.schema.dialects import SENSITIVITY
from babelreg.schema.keywords import PROPERTY_KEYWORDS
from babelreg.schema.pointer import Pointer

severity = Severity.ERROR
profile = "standard"

_FIX = "remove it, and revoke it"
_KEYS = PROPERTY_KEYWORDS | {"counterexamples", "exclusiveMinimum", "exclusiveMaximum", SENSITIVITY}
"""Keys of our files and of JSON Schema, some as long as a token."""


def check(scope: Scope) -> Iterator[Problem]:
    examples: set[tuple[str, Pointer]] | None = None
    harmless = set(_KEYS)
    for source, urn in _sources(scope):
        if isinstance(source, Document):
            yield from _comments(source, urn)
        value = getattr(source, "value", None)
        for pointer, text, is_name in _texts(value) if _may_have_token(value, harmless) else ():
            if (secret := token(text)) is None:
                continue
            examples = _in_examples(scope) if examples is None else examples
            if (source.path, pointer) not in examples:
                what = f"{'a name' if is_name else 'the text'} has what looks like a real {secret.what}, {secret.shown}"
                yield Problem(what, source, pointer[:-1] if is_name else pointer, fix=_FIX, urn=urn)


def _in_examples(scope: Scope) -> set[tuple[str, Pointer]]:
    """Return the places of the tokens that `example-secret` reports."""
    return {(each.source.path, each.pointer) for each in detections(scope, _is_text, lambda text, _: token(text))}


def _is_text(name: str, value: Any) -> bool:
    return type(value) is str


def _sources(scope: Scope) -> Iterator[tuple[Source, str | None]]:
    """Yield the files to report on, each once, with the URN of their message."""
    registry = scope.registry
    sources: dict[str, tuple[Source, str | None]] = {}
    settings = (registry.settings.source, registry.settings.lint_source)
    contexts = (context.source for context in registry.contexts.values())
    services, fragments = (each.source for each in scope.services), (each.source for each in scope.fragments)
    for source in (*settings, *contexts, *services, *fragments):
        if source is not None and scope.wanted(source.path):
            sources.setdefault(source.path, (source, None))
    for message in scope.messages:
        sources.setdefault(message.source.path, (message.source, message.urn))
    yield from sources.values()


def _may_have_token(document: Any, harmless: set[str]) -> bool:
    """Return False where no text of :func:`_texts` has a token: without the pointers, which take most of its time.

    ``harmless`` are texts without one, to which this adds: the same few stand in every file.
    """
    pending: list[Any] = [[document]]
    texts: set[str] = set()
    values: Any
    while pending:
        container = pending.pop()
        values = container
        if type(container) is dict:
            texts.update([name for name in container if len(name) >= SHORTEST_TOKEN])
            values = container.values()
        for value in values:
            kind = type(value)
            if kind is str:
                if len(value) >= SHORTEST_TOKEN:
                    texts.add(value)
            elif kind is dict or kind is list:
                pending.append(value)
    texts -= harmless
    if any(token(text) for text in texts):
        return True
    harmless |= texts
    return False


def _texts(document: Any) -> Iterator[tuple[Pointer, str, bool]]:
    """Yield the texts of a document that are long enough for a token, with their pointers.

    The last member tells whether the text is the name of a member.
    """
    if isinstance(document, str):
        yield (), document, False
    pending: list[tuple[Pointer, Any]] = [((), document)] if isinstance(document, (dict, list)) else []
    while pending:
        pointer, container = pending.pop()
        if isinstance(container, dict):
            yield from (((*pointer, name), name, True) for name in container if len(name) >= SHORTEST_TOKEN)
        for step, value in container.items() if isinstance(container, dict) else enumerate(container):
            if isinstance(value, (dict, list)):
                pending.append(((*pointer, step), value))
            elif isinstance(value, str) and len(value) >= SHORTEST_TOKEN:
                yield (*pointer, step), value, False


def _comments(source: Document, urn: str | None) -> Iterator[Problem]:
    for number, line in enumerate(source.text.split("\n"), 1) if "#" in source.text else ():
        comment = line.partition("#")[2]
        if (secret := token(comment)) and not any(comment.strip() in text for _, text, _ in _texts(source.value)):
            message = f"the comment in line {number} has what looks like a real {secret.what}, {secret.shown}"
            yield Problem(message, source, fix=_FIX, urn=urn)
