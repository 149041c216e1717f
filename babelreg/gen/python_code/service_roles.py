"""The roles of a service: the messages that it produces and consumes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Roles:
    """The URNs that ``service`` produces and consumes. Without a service, all messages can be sent."""

    service: str | None = None
    produces: frozenset[str] = frozenset()
    consumes: frozenset[str] = frozenset()

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Roles:
        """Return the roles among the options of a target."""
        service = options.get("service")
        if service is None:
            return cls()
        return cls(str(service), frozenset(options.get("produces", ())), frozenset(options.get("consumes", ())))

    def sends(self, urn: str) -> bool:
        """Return True if the package has a producer for ``urn``."""
        return self.service is None or urn in self.produces
