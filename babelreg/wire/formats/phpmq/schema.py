"""PHPMQ is a binary format: there is no JSON Schema of its messages. Their grammar is in ``headers`` and ``codec``."""

from __future__ import annotations

from babelreg.wire.format import Profile


def schema(profile: Profile | None = None) -> None:
    """See Format."""
