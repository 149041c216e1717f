"""The published version of each message beside the version at hand."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property

from babelreg.breaking.baseline.versions import PublishedVersions
from babelreg.breaking.containment.fast_path import adds_no_break, only_optional_properties_differ
from babelreg.breaking.containment.fields import DeclaredProperty, declared
from babelreg.model import Message, Registry
from babelreg.schema.simplify import without_annotations
from babelreg.schema.values import identical

__all__ = ["Pair", "mint_command", "pairs", "removed_fields", "renamed_fields"]


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
        return self.mint_command(shlex.quote(self.urn))

    def mint_command(self, what: str) -> str:
        """``babelreg mint WHAT`` for the registry at hand."""
        return mint_command(self.new_registry, what)

    @cached_property
    def data_changed(self) -> bool:
        """True where both have a schema and these are not the very same."""
        if self.new is None or self.old.schema is None or self.new.schema is None:
            return False
        return repr(self.old.schema) != repr(self.new.schema)

    @cached_property
    def evidently_compatible(self) -> bool:
        """True where it can be told at a glance that the two schemas are compatible."""
        if self.new is None or self.new_registry.compatibility(self.new.context).reader != "tolerant":
            return False
        schemas = (without_annotations(message.schema, formats=True) for message in (self.old, self.new))
        return only_optional_properties_differ(*schemas)

    def earlier(self, past: PublishedVersions) -> Sequence[Pair]:
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
            if not identical(version.judged, newest) and not (tolerant and adds_no_break(version.judged, newest, now))
        ]

    @cached_property
    def old_fields(self) -> dict[str, DeclaredProperty]:
        """The fields of the published schema by path."""
        return declared(self.old.schema) if self.old.schema is not None else {}

    @cached_property
    def new_fields(self) -> dict[str, DeclaredProperty]:
        """The fields of the schema at hand by path."""
        return declared(self.new.schema) if self.new is not None and self.new.schema is not None else {}


def pairs(old: Registry, new: Registry, past: PublishedVersions | None = None) -> Iterator[Pair]:
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


def mint_command(registry: Registry, what: str) -> str:
    """``babelreg mint WHAT``, with the registry where it would not be found."""
    root = registry.root
    found = root in ("", ".") or root.startswith("..")
    return f"babelreg mint {what}" + ("" if found else f" --registry {shlex.quote(root)}")


_MIN_SIMILARITY = 0.5


def removed_fields(pair: Pair) -> list[DeclaredProperty]:
    """The fields of the old schema that the new one has no more, each without those below it."""
    if not pair.data_changed:
        return []
    gone = [field for path, field in pair.old_fields.items() if path not in pair.new_fields]
    steps = {field.steps for field in gone}
    return [field for field in gone if not any(field.steps[:n] in steps for n in range(1, len(field.steps)))]


def renamed_fields(pair: Pair) -> list[tuple[DeclaredProperty, DeclaredProperty]]:
    """Each field that is gone with the new one beside it that takes its place, where just one does.

    It must have the same schema, and be the only candidate or have a name that is alike.
    """
    added = [field for path, field in pair.new_fields.items() if path not in pair.old_fields]
    found: list[tuple[DeclaredProperty, DeclaredProperty]] = []
    for old in removed_fields(pair):
        taken = {new.path for _, new in found}
        beside = [new for new in added if new.path not in taken and new.steps[:-1] == old.steps[:-1]]
        same = [new for new in beside if _same_schema(old, new)]
        alike = [new for new in same if _name_similarity(old, new) >= _MIN_SIMILARITY]
        if len(alike) == 1:
            found.append((old, alike[0]))
        elif len(same) == 1 and len(_removed_siblings(pair, old)) == 1:
            found.append((old, same[0]))
    return found


def _removed_siblings(pair: Pair, old: DeclaredProperty) -> list[DeclaredProperty]:
    """The fields that are gone from the same object as ``old``, itself included."""
    return [field for field in removed_fields(pair) if field.steps[:-1] == old.steps[:-1]]


def _same_schema(old: DeclaredProperty, new: DeclaredProperty) -> bool:
    return identical(*(without_annotations(field.nodes[0].schema, formats=True) for field in (old, new)))


def _name_similarity(old: DeclaredProperty, new: DeclaredProperty) -> float:
    return SequenceMatcher(None, old.name, new.name, autojunk=False).ratio()
