"""What a package is for: one service, which sends some messages and handles some, or anybody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Roles"]


@dataclass(frozen=True, slots=True)
class Roles:
    """The part that ``service`` has in the registry, as URNs. Without a service, everything can be sent."""

    service: str | None = None
    produces: frozenset[str] = frozenset()
    consumes: frozenset[str] = frozenset()

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Roles:
        """The roles that ``gen`` hands over beside the settings."""
        service = options.get("service")
        if service is None:
            return cls()
        return cls(str(service), frozenset(options.get("produces", ())), frozenset(options.get("consumes", ())))

    def sends(self, urn: str) -> bool:
        """Whether there is a producer for ``urn``."""
        return self.service is None or urn in self.produces
