"""Values in examples, counterexamples and the values that schemas list that detectors report, with their places."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, Generic, NamedTuple, TypeVar

from babelreg.lint.privacy.pii_values import personal_value
from babelreg.lint.privacy.secret_values import card_number, password, token
from babelreg.lint.schema.field import words
from babelreg.lint.scope import Scope
from babelreg.model import Source
from babelreg.schema.pointer import Pointer, text

_MAX_PER_DOCUMENT = 5
_SHORTEST = 4
"""The characters of a password, at least."""
_SMALLEST_CARD = 10**12
# A value, the step that leads to it, and what holds it.
_Node = tuple[Any, str | int | None, Any]
T = TypeVar("T")


class Detected(NamedTuple, Generic[T]):
    """A value that a detector reports, and ``what`` it says of it."""

    what: T
    source: Source
    pointer: Pointer
    urn: str | None


def detections(
    scope: Scope, is_suspect: Callable[[str, Any], bool], detect: Callable[[str, tuple[str, ...]], T | None]
) -> Iterator[Detected[T]]:
    """Yield what ``detect`` finds in the texts and numbers of examples, a few for each document.

    ``detect`` takes the text of a value and the words of its property. ``is_suspect`` takes the name and the value: a
    cheap check first, as nearly all values are harmless.
    """
    for message in scope.messages:
        examples = ((each.data, each.source, each.pointer) for each in message.examples)
        refused = ((each.data, each.source, each.pointer) for each in message.counterexamples)
        for document, source, pointer in chain(examples, refused):
            for what, steps in _of_document(document, "", is_suspect, detect):
                yield Detected(what, source, pointer + steps, message.urn)
    for field in scope.fields_with("examples", "default", "const"):
        for pointer, value in field.listed():
            if pointer[len(field.pointer)] != "enum":
                for what, steps in _of_document(value, field.name, is_suspect, detect):
                    yield Detected(what, field.source, pointer + steps, field.urn)


def leak(document: Any) -> str | None:
    """Return a description of a value of ``document`` that is a secret or of a person; None where none is found."""
    for (what, shown), pointer in _of_document(document, "", _may_leak, _leaked):
        return f"what looks like a real {what}, {shown}, at '{text(pointer)}'"
    return None


def _may_leak(name: str, value: Any) -> bool:
    return bool(len(value) >= _SHORTEST if type(value) is str else value >= _SMALLEST_CARD)


def _leaked(value: str, named: tuple[str, ...]) -> tuple[str, str] | None:
    secret = token(value) or password(value, named) or card_number(value)
    if secret is not None:
        return secret.what, secret.shown
    personal = personal_value(value, named)
    return None if personal is None else (personal.what, personal.shown)


def _of_document(
    document: Any,
    name: str,
    is_suspect: Callable[[str, Any], bool],
    detect: Callable[[str, tuple[str, ...]], T | None],
) -> Iterator[tuple[T, Pointer]]:
    budget = _MAX_PER_DOCUMENT
    for node, property_name in _suspects(document, name, is_suspect):
        what = detect(str(node[0]), words(property_name))
        if what is not None:
            yield what, _steps(node)
            budget -= 1
            if not budget:
                return


def _suspects(document: Any, name: str, is_suspect: Callable[[str, Any], bool]) -> Iterator[tuple[_Node, str]]:
    root: _Node = ({name: document}, None, None)
    pending = [(root, name)]
    while pending:
        node, name = pending.pop()
        container = node[0]
        for step, value in container.items() if type(container) is dict else enumerate(container):
            kind = type(value)
            below = step if type(step) is str else name
            if kind is dict or kind is list:
                pending.append(((value, step, node), below))
            elif (kind is str or kind is int) and is_suspect(below, value):
                yield (value, step, node), below


def _steps(node: Any) -> Pointer:
    steps: list[str | int] = []
    while node[2] is not None:
        steps.append(node[1])
        node = node[2]
    return tuple(reversed(steps[:-1]))  # the last leads to the document itself
