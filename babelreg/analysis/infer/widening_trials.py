"""Trials of widenings: the files as they would be, and which edits somebody would object to.

An edit is held back where its file could not be read any more, where a counterexample would be accepted, or where it
breaks somebody. The files of the registry are read once: a trial reads again only those that it edits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from babelreg.analysis.infer.widened_text import widened
from babelreg.analysis.infer.widening import Widening
from babelreg.contract import views
from babelreg.finding import Finding
from babelreg.load.registry.builder import from_documents
from babelreg.load.registry.document import Document
from babelreg.load.registry.format import roles
from babelreg.load.registry.overlay import Overlay
from babelreg.model import Message, Registry
from babelreg.schema import pointer as pointers
from babelreg.schema.dialects import identify
from babelreg.schema.pointer import Pointer

if TYPE_CHECKING:
    from jsonschema_rs import Validator

Check = Callable[[Registry, Registry], Sequence[Finding]]
"""Returns what breaks between a registry and the edited one."""


@dataclass(frozen=True, slots=True)
class HeldWidening:
    """A widening that is not written: ``reason`` says why, ``breaks`` whom it would break.

    ``is_breaking`` is False for an edit that cannot be made in place. ``is_certain`` is False for one of several that
    the same reason is about.
    """

    widening: Widening
    reason: str
    breaks: tuple[str, ...] = ()
    is_breaking: bool = True
    is_certain: bool = True


@dataclass(frozen=True, slots=True)
class Trial:
    """The files with the widenings that could be ``made``, and the ``held`` ones among these.

    ``left`` cannot be made in place.
    """

    files: Overlay
    made: list[Widening]
    left: list[HeldWidening]
    held: list[HeldWidening]


class WideningTrials:
    """Trials of widenings in ``registry``, whose files are in ``files``. Without ``check``, nothing breaks anybody."""

    def __init__(self, registry: Registry, files: Overlay, check: Check | None) -> None:
        self._registry = registry
        self._files = files
        self._check = check
        self._roles = roles(registry)
        self._documents = _documents(registry)

    def run(self, widenings: Sequence[Widening]) -> Trial:
        """Return the files after ``widenings``, and those of them to take back."""
        files, made, left = self._edited(widenings)
        held = self._held(self._read(files), made) if made else []
        return Trial(files, made, left, held)

    def _read(self, files: Overlay) -> Registry:
        """Return the edited registry. Documents that are not edited are shared by all trials."""
        edited = files.changes()
        documents = {path: document for path, document in self._documents.items() if path not in edited}
        registry = from_documents(files, self._registry.root, documents)
        self._documents |= {path: document for path, document in documents.items() if path not in edited}
        return registry

    def _edited(self, widenings: Sequence[Widening]) -> tuple[Overlay, list[Widening], list[HeldWidening]]:
        files = Overlay(self._files)
        every: list[Widening] = []
        left: list[tuple[Widening, str]] = []
        for path in dict.fromkeys(widening.path for widening in widenings):
            below = [widening for widening in widenings if widening.path == path]
            if not path.endswith(".yaml"):
                left += [(widening, f"{path} is not YAML") for widening in below]
                continue
            text, made, failed = widened(files.text(path), self._roles[path], below)
            files.put(path, text)
            every += made
            left += failed
        return files, every, [HeldWidening(widening, reason, is_breaking=False) for widening, reason in left]

    def _held(self, edited: Registry, made: Sequence[Widening]) -> list[HeldWidening]:
        """Return the widenings to take back: for a file that cannot be read then, a counterexample, or a break."""
        defects = set(edited.defects) - set(self._registry.defects)
        held = {
            id(widening): HeldWidening(
                widening, f"the file could not be read afterwards: {defect.message}", is_certain=False
            )
            for defect in defects
            for widening in made
            if widening.path == defect.place.path
        }
        if defects:
            return list(held.values()) or [
                HeldWidening(each, "a file could not be read afterwards", is_certain=False) for each in made
            ]
        for urn, because in self._contradicted(edited):
            for widening in _of_message(edited.by_urn[urn], made):
                reason = f"a counterexample of {urn} would be accepted: {because}"
                held.setdefault(id(widening), HeldWidening(widening, reason, is_certain=False))
        if self._check is None or held:
            return list(held.values())
        for finding in self._check(self._registry, edited):
            blamed = self._blamed(finding, made, edited, self._check)
            for each in blamed:
                certain = len(blamed) == 1
                held.setdefault(id(each), HeldWidening(each, finding.message, finding.breaks, is_certain=certain))
        return list(held.values())

    def _blamed(self, finding: Finding, made: Sequence[Widening], edited: Registry, check: Check) -> list[Widening]:
        """Return the widenings that ``finding`` is about: those at its place, else those that break alone."""
        here = _nearest(finding, made) or _of_fields(finding, made)
        if here:
            return here
        urns = [finding.urn] if finding.urn else [use.urn for use in finding.messages]
        messages = [edited.by_urn[urn] for urn in urns if urn in edited.by_urn]
        suspects = list(dict.fromkeys(each for message in messages for each in _of_message(message, made)))
        alone = [each for each in suspects if self._breaks_alone(each, check)]
        return alone or suspects or list(made)

    def _breaks_alone(self, widening: Widening, check: Check) -> bool:
        files, *_ = self._edited([widening])
        return bool(check(self._registry, self._read(files)))

    def _contradicted(self, edited: Registry) -> Iterable[tuple[str, str]]:
        """Yield the messages whose schema now accepts a counterexample that it refused, each with the reason for it."""
        for message in edited.messages:
            before = self._registry.by_urn.get(message.urn)
            if not message.counterexamples or before is None or before.schema == message.schema:
                continue
            reader = edited.compatibility(message.context).reader
            accepts = [_reader(schema, reader) for schema in (before.schema, message.schema)]
            for counterexample in message.counterexamples:
                was, now = (each.is_valid(counterexample.data) for each in accepts)
                if now and not was:
                    yield message.urn, counterexample.because


def _reader(schema: object, reader: str) -> Validator:
    return identify(schema).validator_for(views.both(schema, reader).reader)


def _of_message(message: Message, widenings: Sequence[Widening]) -> list[Widening]:
    """Return the widenings in the files of ``message``."""
    paths = {message.source.path, *(source.path for source in message.origins.values())}
    return [widening for widening in widenings if widening.path in paths]


def _nearest(finding: Finding, made: Sequence[Widening]) -> list[Widening]:
    """Return the widenings in the file of ``finding`` that are nearest to its place."""
    here = [widening for widening in made if widening.path == finding.place.path]
    if not here or finding.pointer is None:
        return here
    at = pointers.parse(finding.pointer)
    nearest = max(_common(widening.pointer, at) for widening in here)
    return [widening for widening in here if _common(widening.pointer, at) == nearest]


def _of_fields(finding: Finding, made: Sequence[Widening]) -> list[Widening]:
    """Return the widenings of the fields that refer to the shared fragment which ``finding`` is about."""
    fields = {(use.urn, f"data.{use.field}") for use in finding.messages}
    return [each for each in made if any((urn, each.shown) in fields for urn in each.messages)]


def _common(some: Pointer, other: Pointer) -> int:
    """Return the number of first steps that are equal."""
    number = 0
    for mine, theirs in zip(map(str, some), map(str, other), strict=False):
        if mine != theirs:
            break
        number += 1
    return number


def _documents(registry: Registry) -> dict[str, Document]:
    """Return the files of ``registry`` that were read as documents, by path."""
    declared = (registry.messages, registry.fragments.values(), registry.contexts.values(), registry.services.values())
    sources = [each.source for group in declared for each in group]
    return {source.path: source for source in sources if isinstance(source, Document)}
