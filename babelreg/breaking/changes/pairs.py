"""Pairs of the published and the present version of each message, and the fields that differ between them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property
from typing import Any

from babelreg.breaking.baseline.versions import PublishedVersions
from babelreg.breaking.changes.replacements import ReplacedKeyword, replacements
from babelreg.containment.bare_schema import bare
from babelreg.containment.fast_path import adds_no_break, only_optional_properties_differ
from babelreg.containment.fields import DeclaredProperty, declared
from babelreg.containment.schema_diff import Difference, differences
from babelreg.errors import SchemaError
from babelreg.model import Message, Registry
from babelreg.schema.dialects import dialect_of
from babelreg.schema.keywords import COMBINED, CONDITIONS
from babelreg.schema.pointer import Pointer
from babelreg.schema.simplify import without_annotations
from babelreg.schema.upgrade import in_one_dialect
from babelreg.schema.values import identical

VARIANTS = frozenset((*COMBINED, *CONDITIONS)) | {"then", "else"}
"""Keywords that decide which subschemas apply to a value."""


@dataclass(frozen=True)
class Pair:
    """A published URN. ``new`` is None where no file declares it any more.

    Where ``old`` is not the newest published version, ``commit`` published it and ``newest`` is the newest version.
    """

    old: Message
    new: Message | None
    old_registry: Registry
    new_registry: Registry
    commit: str | None = None
    newest: Message | None = None

    @property
    def urn(self) -> str:
        """The URN of both versions; of a plain schema that was renamed, its present name."""
        return self.new.urn if self.new is not None else self.old.urn

    @property
    def mint(self) -> str:
        """Imperative on how to publish the change as a new version: the command that mints it."""
        if self.new_registry.plain is not None:
            return "publish the new version in a separate file"
        return f"run `{self.mint_command(shlex.quote(self.urn))}`"

    def mint_command(self, what: str) -> str:
        """Return ``babelreg mint WHAT`` for the present registry."""
        return mint_command(self.new_registry, what)

    @cached_property
    def data_changed(self) -> bool:
        """True where both have a schema and the two differ."""
        if self.new is None or self.old.schema is None or self.new.schema is None:
            return False
        return repr(self.old.schema) != repr(self.new.schema)

    @cached_property
    def bare(self) -> tuple[Any, Any]:
        """Both schemas without annotations; None where there is no new version."""
        return bare(self.old.schema), bare(self.new.schema if self.new else None)

    @cached_property
    def evidently_compatible(self) -> bool:
        """True where the two schemas are compatible by the fast path."""
        if self.new is None or self.new_registry.compatibility(self.new.context).reader != "tolerant":
            return False
        return only_optional_properties_differ(*self.bare)

    def earlier(self, past: PublishedVersions) -> Sequence[Pair]:
        """Return pairs with earlier published versions that may show further breaks, the newest first."""
        if self.new is None or not self.new.published or not self.data_changed:
            return ()
        newest, present = self.bare
        if identical(newest, present):
            return ()
        compatibility = self.new_registry.compatibility(self.new.context)
        tolerant = compatibility.reader == "tolerant"
        return [
            _in_one_dialect(replace(self, old=version.message, commit=version.commit, newest=self.old))
            for version in past.before(self.old, compatibility.since, newest=True)
            if not identical(version.bare_schema, newest)
            and not (tolerant and adds_no_break(version.bare_schema, newest, present))
        ]

    @cached_property
    def differences(self) -> list[Difference]:
        """The places where the two schemas differ, those nearest to the root first."""
        return differences(self.old.schema, self.new.schema) if self.new is not None else []

    @cached_property
    def replacements(self) -> list[ReplacedKeyword]:
        """The keywords whose subschemas one edit replaced, those nearest to the root first."""
        return replacements(self.old.schema, self.new.schema) if self.new is not None else []

    def variants_changed(self, instance: Pointer) -> Difference | None:
        """Return the difference nearest to a value, at it or above, in the variants that a value may have; or None."""
        changed = (each for each in self.differences if VARIANTS.intersection(each.keywords))
        around = [difference for difference in changed if difference.is_around(instance)]
        return max(around, key=lambda each: len(each.place), default=None)

    @cached_property
    def old_fields(self) -> dict[str, DeclaredProperty]:
        """Fields of the published schema by path."""
        return declared(self.old.schema) if self.old.schema is not None else {}

    @cached_property
    def new_fields(self) -> dict[str, DeclaredProperty]:
        """Fields of the present schema by path."""
        return declared(self.new.schema) if self.new is not None and self.new.schema is not None else {}


def pairs(old: Registry, new: Registry, past: PublishedVersions | None = None) -> Iterator[Pair]:
    """Yield a pair for every message that is published in ``old``, in the order of paths.

    Then one for every message of ``new`` that ``old`` does not publish but an earlier version in ``past`` did.
    """
    if past:
        past.compared.clear()
    renamed = new.plain.renamed if new.plain is not None else {}
    for message in old.messages:
        if message.status != "draft" and old.by_urn[message.urn] is message:
            present = new.by_urn.get(renamed.get(message.urn, message.urn))
            yield _in_one_dialect(Pair(message, present, old, new))
    for message in new.messages if past else ():
        known = old.by_urn.get(message.urn)
        if past and message.published and (known is None or known.status == "draft"):
            versions = past.before(known or message, new.compatibility(message.context).since)
            if versions and new.by_urn[message.urn] is message:
                yield _in_one_dialect(Pair(versions[0].message, message, old, new))


def _in_one_dialect(pair: Pair) -> Pair:
    """Return ``pair`` with both schemas in 2020-12 where their dialects differ and no keyword changes its meaning."""
    old, new = pair.old, pair.new
    if new is None or old.schema is None or new.schema is None or dialect_of(old.schema) == dialect_of(new.schema):
        return pair
    try:
        old_schema, new_schema, _ = in_one_dialect(old.schema, new.schema)
    except SchemaError:
        return pair  # the verdict says why
    return replace(pair, old=replace(old, schema=old_schema), new=replace(new, schema=new_schema))


def mint_command(registry: Registry, what: str) -> str:
    """Return ``babelreg mint WHAT``, with ``--registry`` where the command would not find it by itself."""
    root = registry.root
    found_by_default = root in ("", ".") or root.startswith("..")
    return f"babelreg mint {what}" + ("" if found_by_default else f" --registry {shlex.quote(root)}")


_MIN_SIMILARITY = 0.5


def removed_fields(pair: Pair) -> list[DeclaredProperty]:
    """Return the fields of the old schema that the new one does not have, without those below another one."""
    if not pair.data_changed:
        return []
    removed = [field for path, field in pair.old_fields.items() if path not in pair.new_fields]
    steps = {field.steps for field in removed}
    return [field for field in removed if not any(field.steps[:n] in steps for n in range(1, len(field.steps)))]


def renamed_fields(pair: Pair) -> list[tuple[DeclaredProperty, DeclaredProperty]]:
    """Return each removed field that was renamed, with its new field in the same object.

    The new field has the same schema, and is the only candidate or has a similar name.
    """
    added = [field for path, field in pair.new_fields.items() if path not in pair.old_fields]
    renamed: list[tuple[DeclaredProperty, DeclaredProperty]] = []
    for old in removed_fields(pair):
        taken = {new.path for _, new in renamed}
        siblings = [new for new in added if new.path not in taken and new.steps[:-1] == old.steps[:-1]]
        same = [new for new in siblings if _same_schema(old, new)]
        similar = [new for new in same if _name_similarity(old, new) >= _MIN_SIMILARITY]
        if len(similar) == 1:
            renamed.append((old, similar[0]))
        elif len(same) == 1 and len(_removed_siblings(pair, old)) == 1:
            renamed.append((old, same[0]))
    return renamed


def _removed_siblings(pair: Pair, old: DeclaredProperty) -> list[DeclaredProperty]:
    """Return the fields removed from the same object as ``old``, itself included."""
    return [field for field in removed_fields(pair) if field.steps[:-1] == old.steps[:-1]]


def _same_schema(old: DeclaredProperty, new: DeclaredProperty) -> bool:
    return identical(*(without_annotations(field.nodes[0].schema, formats=True) for field in (old, new)))


def _name_similarity(old: DeclaredProperty, new: DeclaredProperty) -> float:
    return SequenceMatcher(None, old.name, new.name, autojunk=False).ratio()
