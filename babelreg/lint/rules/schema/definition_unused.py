"""A definition or a shared schema without any reference.

It looks like part of the contract but is not: people edit it and wonder why nothing changes. Usually it is a leftover
of an edit, or a `$ref` was forgotten.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        sku: {type: string}
      $defs:
        sku: {type: string, minLength: 3}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        sku: {$ref: "#/$defs/sku"}
      $defs:
        sku: {type: string, minLength: 3}

Fix::

    Refer to it, or remove it; no message is validated differently after the removal. A shared schema that waits for its
    first message can wait in the branch that adds the message.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.load.registry.written_keywords import references
from babelreg.model import Edit, Source
from babelreg.schema import pointer
from babelreg.schema.keywords import DEFINITIONS
from babelreg.schema.local_references import fragment_steps
from babelreg.schema.pointer import Pointer

severity = Severity.WARNING
profile = "standard"


def check(scope: Scope) -> Iterator[Problem]:
    if scope.registry.defects:
        return  # a file that could not be read may refer to anything
    files = {source.path for message in scope.registry.messages for source in message.origins.values()}
    for message in scope.messages:
        data = message.data
        if isinstance(data, dict) and ("$defs" in data or "definitions" in data) and message.source.path not in files:
            own = [reference for _, reference in references(data)]
            yield from _definitions(data, own, message.source, ("data",), message.urn)
    referred: list[tuple[str, str]] | None = None
    for fragment in scope.fragments:
        path, schema = fragment.source.path, fragment.schema
        if path not in files:
            text = f"no message uses {path}"
            yield Problem(text, fragment.source, (), fix="refer to it, or remove the file")
        elif isinstance(schema, dict) and ("$defs" in schema or "definitions" in schema):
            referred = referred if referred is not None else _referred(scope)
            inside = [f"#{inside}" for file, inside in referred if file == path]
            yield from _definitions(schema, inside, fragment.source, (), None)


def _referred(scope: Scope) -> list[tuple[str, str]]:
    """Return the target of every reference in the registry: the file, and the pointer in it."""
    schemas: list[tuple[Source, Any]] = [(m.source, m.data) for m in scope.registry.messages]
    schemas += [(f.source, f.schema) for f in scope.registry.fragments.values()]
    targets: dict[tuple[str, str], None] = {}
    for source, schema in schemas:
        folder = posixpath.dirname(source.path)
        for _, reference in references(schema):
            file, _, inside = reference.partition("#")
            path = posixpath.normpath(posixpath.join(folder, unquote(file))) if file else source.path
            targets[path, inside] = None
    return list(targets)


def _definitions(
    schema: dict[str, Any], own: list[str], source: Source, base: Pointer, urn: str | None
) -> Iterator[Problem]:
    """Yield the definitions of one file that no reference in ``own`` uses."""
    for keyword in DEFINITIONS:
        definitions = schema.get(keyword)
        if not isinstance(definitions, dict):
            continue
        used = _used(own, keyword)
        for name in definitions:
            if name not in used:
                at = (*base, keyword, name)
                edits = (Edit(source.path, "remove", at if len(definitions) > 1 else at[:-1]),)
                text = f"nothing refers to '{name}' below {keyword}"
                fix = f"refer to it with '#{pointer.text((keyword, name))}', or remove it"
                yield Problem(text, source, at, key=True, fix=fix, urn=urn, edits=edits)


def _used(references_: list[str], keyword: str) -> set[str]:
    steps = (fragment_steps(text) for text in references_ if text.startswith("#"))
    return {name for first, name, *_ in (each for each in steps if len(each) > 1) if first == keyword}
