"""Repository of one service: the registry that it uses, and the messages that its lock pins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from babelreg.model.source import Source

ROLES = ("produces", "consumes", "upcasts")
"""Why a service needs a message: it sends it, it handles it, or what it handles is upcast from it."""


@dataclass(frozen=True, slots=True)
class RegistryAt:
    """Location of a registry: the folder ``path``, the repository ``git``, or an installed ``package``.

    Exactly one of these is given. ``ref`` (of git) is a branch, a tag or a commit, None for the remote's default;
    ``subdir`` is the registry's folder inside, with forward slashes.
    """

    path: str | None = None
    git: str | None = None
    package: str | None = None
    ref: str | None = None
    subdir: str | None = None

    def as_json(self) -> dict[str, str]:
        """Return the given parts by name, in a stable order."""
        parts = {name: getattr(self, name) for name in ("path", "git", "package", "ref", "subdir")}
        return {name: value for name, value in parts.items() if value is not None}

    def __str__(self) -> str:
        where = self.path or self.git or f"the package {self.package}"
        details = ", ".join(part for part in (self.ref, self.subdir) if part)
        return f"{where} ({details})" if details else where


@dataclass(frozen=True, slots=True)
class ServiceRepo:
    """Content of ``babelreg.service.yaml``. ``folder`` is the folder of the file, as the user would name it.

    ``gen`` has the options of each target, with ``out``; ``exclude`` are the patterns that ``scan`` leaves out.
    """

    folder: str
    source: Source
    service: str
    registry: RegistryAt
    gen: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lock:
    """Content of ``babelreg.lock``: by role (:data:`ROLES`), then by URN, the hash of a message.

    ``commit`` is that of the registry, None where it was in no clean state of a git repository. ``source`` is None for
    a lock that is yet to be written.
    """

    service: str
    registry: RegistryAt
    messages: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    commit: str | None = None
    source: Source | None = None

    @property
    def hashes(self) -> dict[str, str]:
        """The hash of every message, by URN."""
        return {urn: hashed for role in ROLES for urn, hashed in self.messages.get(role, {}).items()}

    def role(self, urn: str) -> str:
        """Return the first role in which ``urn`` is pinned; empty where it is not."""
        return next((role for role in ROLES if urn in self.messages.get(role, {})), "")
