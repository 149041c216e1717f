"""A bounded context: the folder that owns its messages."""

from __future__ import annotations

from typing import NamedTuple

from babelreg.model.settings import Compatibility
from babelreg.model.source import Source


class BoundedContext(NamedTuple):
    """Content of ``<context>/_context.yaml``. ``compatibility`` is None where that of the registry applies."""

    name: str
    source: Source
    owner: str | None = None
    description: str | None = None
    contact: str | None = None
    compatibility: Compatibility | None = None
