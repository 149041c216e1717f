"""URNs for source schemas, by the names of their files, folders and definitions.

``orders/OrderCreated.schema.json`` becomes ``urn:babel:orders:order-created``; ``…#/definitions/check_run$completed``
has the parts ``check_run.completed``. A word such as ``event`` at the end tells the kind and is left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import PurePosixPath

from babelreg.model import Urn, UrnError

KindOf = Callable[[str], str | None]
"""Function that returns the kind of a message by its name, ``event`` or ``command``; None where that is not clear."""


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SUFFIX = re.compile(
    r"(?:[._-]?(?:json[._-]?)?schema|[._-]jsonschema)?\.(?:json|ya?ml|jsonschema|schema)\Z", re.IGNORECASE
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_KINDS = {"event": "event", "evt": "event", "command": "command", "cmd": "command"}
_LAST_WORD = re.compile(r"(?:\A|[-_.])(?P<word>[a-z]+)\Z")
_VERSION = re.compile(r"v(?P<number>[0-9]{1,6})\Z")
_DASHED_VERSION = re.compile(r"[-_ ](?=[vV][0-9]{1,6}\Z)")
# `config-2.0` and `created.2`: a part that is only a number would be the number of one thing.
_NUMBERED = re.compile(r"(?<=[A-Za-z0-9])[.](?=[0-9]+(?:[.]|\Z))")
_OTHER = re.compile(r"[^a-z0-9_-]+")
_GENERIC = _word_set("""
api apis assets asyncapi build common components contract contracts current data definitions defs dist doc
docs event events files json json-schema json-schemas jsonschema jsonschemas latest lib main message messages
out package packages payload payloads public registry resources schema schemas shared spec specs src temp tmp
v1 v2 v3 yaml yml
""")
RESERVED = frozenset({"con", "aux", "nul", "prn", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))})


def slug(text: str) -> str:
    """Return ``text`` in the letters of a URN's name, words joined by hyphens; empty where nothing remains."""
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return _OTHER.sub("-", _CAMEL.sub("-", ascii_text).lower()).strip("-_")


def without_suffix(name: str) -> str:
    """Return a file name without ``.json``, ``.schema.json`` and the like."""
    return _SUFFIX.sub("", name) or name


def context_of(text: str) -> str:
    """Return ``text`` as the name of a context; empty where nothing remains."""
    name = slug(text).replace("_", "-").strip("-")
    return f"{name}-messages" if name in RESERVED else name


def folder_context(folders: Iterable[str]) -> str | None:
    """Return the context that the innermost telling one of ``folders`` names; None where all are generic."""
    names = [name for name in map(context_of, folders) if name and not is_generic(name)]
    return names[-1] if names else None


def is_generic(name: str) -> bool:
    """Return True for a name that tells nothing about messages, such as ``schemas`` or ``v2``."""
    return name in _GENERIC or _VERSION.match(name) is not None


def kind_of_suffix(name: str) -> tuple[str, str | None]:
    """Return a name without ``event`` or ``command`` at its end, and the kind that this word tells."""
    last = _LAST_WORD.search(name)
    if last is None or last["word"] not in _KINDS or not name[: last.start()].strip("-_."):
        return name, None
    return name[: last.start()].rstrip("-_."), _KINDS[last["word"]]


class UrnGuess:
    """Generator of URNs that differ in more than their separators, from each other and from those ``taken``."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {_key(urn) for urn in taken}

    def guess(self, context: str, words: str) -> tuple[Urn, str | None]:
        """Return a URN for the name ``words``, in which dots and dollars separate sub-parts, and its kind if told."""
        version = 1
        context, words = context[:60], _NUMBERED.sub("-", _DASHED_VERSION.sub(".", words))
        parts = [part for part in (slug(word) for word in re.split(r"[./$]+", words)) if part.strip("-_")]
        if len(parts) > 1 and (match := _VERSION.match(parts[-1])):
            version = max(int(match["number"]), 1)
            parts.pop()
        parts = [part for part in parts if not _VERSION.match(part)] or [f"message-{parts[0]}" if parts else "message"]
        parts = [f"message-{part}" if part.isdigit() else part for part in parts]
        name, kind = kind_of_suffix(".".join(parts))
        if name.partition(".")[0] in RESERVED:
            name = f"message-{name}"
        if version > 1 and _key(str(Urn(context, name, version - 1))) not in self._taken:
            version = 1  # a version needs the one before it
        return self._free(context, name[: 200 - len(context)].rstrip("-_."), version), kind

    def take(self, urn: str) -> None:
        """Let no further URN be like ``urn``."""
        self._taken.add(_key(urn))

    def _free(self, context: str, name: str, version: int) -> Urn:
        number = 1
        while True:
            urn = Urn(context, name if number == 1 else f"{name}-n{number}", version)
            if _key(str(urn)) not in self._taken and _is_valid(urn):
                self._taken.add(_key(str(urn)))
                return urn
            number += 1
            version = 1


def _is_valid(urn: Urn) -> bool:
    try:
        return Urn.parse(str(urn)) == urn
    except UrnError:
        return False


def _key(urn: str) -> str:
    """Return what two URNs may not share: everything but capitals and separators."""
    version = urn.rpartition(".")[2]
    name = urn.removesuffix(f".{version}") if _VERSION.match(version) else urn
    suffix = version if name != urn else ""
    return re.sub(r"[-_.]", "", name.lower()) + suffix


def folders_of(path: str) -> tuple[str, ...]:
    """Return the names of the folders of a relative path."""
    return PurePosixPath(path).parts[:-1]
