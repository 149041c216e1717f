"""A message as its file once declared it: what a comparison needs of it, and no more.

A registry of hundreds of commits has a message hundreds of times, nearly always with the same fragments, so that each
file is read once and only bundled anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from babelreg.load.registry import file_schema
from babelreg.load.registry.bundle import Bundler, RefDefect
from babelreg.load.registry.document import Document
from babelreg.model import Message, Source, Urn, UrnError

__all__ = ["message_of"]


def message_of(document: Document | None, opened: Callable[[str], Document | None]) -> Message | None:
    """The message that ``document`` declares, None where it declares none that is sound in itself.

    ``opened`` gives the other files of that time by path. Where one of them is missing, the schema is.
    """
    if document is None or file_schema.check(document, "message"):
        return None
    value = document.value
    schema, origins = _bundled(document, opened)
    return Message(
        urn=value["urn"],
        parsed=_parsed(value["urn"]),
        source=document,
        kind=value.get("kind"),
        status=value.get("status", "active"),
        description=value.get("description"),
        supersedes=value.get("supersedes"),
        producers=tuple(value.get("producers", ())),
        declared_consumers=tuple(value.get("consumers", ())),
        sunset=value.get("sunset"),
        data=value.get("data"),
        schema=schema,
        origins=origins,
    )


def _bundled(
    document: Document, opened: Callable[[str], Document | None]
) -> tuple[dict[str, Any] | None, dict[str, Source]]:
    def fragment(path: str) -> tuple[Source, Any]:
        found = opened(path)
        if found is None:
            raise KeyError(path)
        return found, found.value

    data = document.value.get("data")
    if not isinstance(data, dict):
        return (None if data is None else {} if data else {"not": {}}), {}
    try:
        bundle = Bundler(fragment).bundle(data, document, ("data",))
    except RefDefect:
        return None, {}
    return bundle.schema, dict(bundle.origins)


def _parsed(urn: str) -> Urn | None:
    try:
        return Urn.parse(urn)
    except UrnError:
        return None
