"""Counts with their nouns, as summaries and findings print them."""

from __future__ import annotations

_MASS_NOUNS = frozenset({"info"})


def counted(count: int, noun: str) -> str:
    """Return ``1 message``, ``1,204 messages``, ``2 batches``. A mass noun has no plural: ``2 info``."""
    if count == 1 or noun in _MASS_NOUNS:
        return f"{count:,} {noun}"
    return f"{count:,} {noun}{'es' if noun.endswith(('ch', 's', 'x')) else 's'}"
