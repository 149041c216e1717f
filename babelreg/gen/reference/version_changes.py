"""Changes of a message since the version that it supersedes."""

from __future__ import annotations

from babelreg.model import Message, Registry
from babelreg.model.overview.changes import FieldChange, field_changes


def version_changes(registry: Registry, message: Message) -> list[FieldChange]:
    """Return the fields that differ; none where the registry has no schema of the earlier version."""
    old = registry.by_urn.get(message.supersedes or "")
    if old is None or old.schema is None or message.schema is None:
        return []
    return field_changes(old, message)
