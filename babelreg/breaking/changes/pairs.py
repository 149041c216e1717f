"""The published version of each message beside the version at hand."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from babelreg.breaking.baseline.versions import Published
from babelreg.breaking.changes.suggested_command import minting
from babelreg.breaking.containment.fast_path import nothing_more_breaks, only_optional_properties_differ
from babelreg.breaking.containment.fields import DeclaredProperty, declared
from babelreg.model import Message, Registry
from babelreg.schema.applicators import identical, without_annotations

__all__ = ["Pair", "pairs"]


@dataclass(frozen=True)
class Pair:
    """One URN that was published. ``new`` is None where no file declares it any more.

    ``commit`` is the one that published ``old``, where that is not the newest version; ``newest`` is that version then.
    """

    old: Message
    new: Message | None
    old_registry: Registry
    new_registry: Registry
    commit: str | None = None
    newest: Message | None = None

    @property
    def urn(self) -> str:
        """The URN both declare."""
        return self.old.urn

    @property
    def mint(self) -> str:
        """The command that mints its next version, to be pasted where this one was run."""
        return self.minting(shlex.quote(self.urn))

    def minting(self, what: str) -> str:
        """``babelreg mint WHAT`` for the registry at hand."""
        return minting(self.new_registry, what)

    @cached_property
    def data_changed(self) -> bool:
        """True where both have a schema and these are not the very same."""
        if self.new is None or self.old.schema is None or self.new.schema is None:
            return False
        return repr(self.old.schema) != repr(self.new.schema)

    @cached_property
    def evident(self) -> bool:
        """True where it can be told at a glance that the two schemas are compatible."""
        if self.new is None or self.new_registry.compatibility(self.new.context).reader != "tolerant":
            return False
        schemas = (without_annotations(message.schema, formats=True) for message in (self.old, self.new))
        return only_optional_properties_differ(*schemas)

    def earlier(self, past: Published) -> Sequence[Pair]:
        """The new version beside each one before the old, the newest first, where that may show more to break."""
        if self.new is None or not self.new.published or not self.data_changed:
            return ()
        newest, now = (without_annotations(schema, formats=True) for schema in (self.old.schema, self.new.schema))
        if identical(newest, now):
            return ()
        compatibility = self.new_registry.compatibility(self.new.context)
        tolerant = compatibility.reader == "tolerant"
        return [
            replace(self, old=version.message, commit=version.commit, newest=self.old)
            for version in past.before(self.old, compatibility.since, newest=True)
            if not identical(version.judged, newest)
            and not (tolerant and nothing_more_breaks(version.judged, newest, now))
        ]

    @cached_property
    def old_fields(self) -> dict[str, DeclaredProperty]:
        """The fields of the published schema by path."""
        return declared(self.old.schema) if self.old.schema is not None else {}

    @cached_property
    def new_fields(self) -> dict[str, DeclaredProperty]:
        """The fields of the schema at hand by path."""
        return declared(self.new.schema) if self.new is not None and self.new.schema is not None else {}


def pairs(old: Registry, new: Registry, past: Published | None = None) -> Iterator[Pair]:
    """Every message that was published in ``old``, drafts left out, in the order of its path; then those that were
    published before, as ``past`` knows, and are back in ``new``.
    """
    if past:
        past.compared.clear()
    for message in old.messages:
        if message.status != "draft" and old.by_urn[message.urn] is message:
            yield Pair(message, new.by_urn.get(message.urn), old, new)
    for message in new.messages if past else ():
        known = old.by_urn.get(message.urn)
        if past and message.published and (known is None or known.status == "draft"):
            versions = past.before(known or message, new.compatibility(message.context).since)
            if versions and new.by_urn[message.urn] is message:
                yield Pair(versions[0].message, message, old, new)
