"""The queues that a registry names, for hints about a queue that was misspelt, or that holds nothing."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.cli.shared.registry_options import open_registry
from babelreg.errors import BabelregError
from babelreg.suggest import closest

if TYPE_CHECKING:
    from babelreg.model import Topology

_DEAD = ".dlq"


class QueueNames:
    """The queues of the registry at ``place``; without a place, of the one that is found, or none.

    Raises BabelregError for a registry at ``place`` that cannot be read.
    """

    def __init__(self, place: Path | None) -> None:
        from babelreg.model import topology

        self._topology: Topology | None = None
        self._services: frozenset[str] = frozenset()
        try:
            registry = open_registry(place)
        except BabelregError:
            if place is not None:
                raise
            return
        self._topology = topology(registry)
        self._services = frozenset({*registry.services, *self._topology.services})

    def readers(self, queue: str) -> list[str]:
        """Return the services that read ``queue``."""
        known = self._topology
        if known is None:
            return []
        alone = known.sole_reader(queue)
        return [alone] if alone else sorted({each.service for each in known.queues.get(queue, ())})

    def hint(self, queue: str) -> str | None:
        """Return what to look at instead of ``queue``, which is not there or empty; None where nothing is known."""
        known = self._topology
        if known is None:
            return None
        name, dead = (queue.removesuffix(_DEAD), _DEAD) if queue.endswith(_DEAD) else (queue, "")
        if name in known.queues:
            return None
        if name in known.sent_to:
            inboxes = {each.queue for urn in known.sent_to[name] for each in known.of_urn(urn)}
            return f"its messages go to {_listed(inboxes, dead)}" if inboxes else None
        if name in self._services:
            queues = known.reads(name)
            return f"service {name} reads {_listed(queues, dead)}" if queues else f"service {name} reads no queue"
        near = closest(name, {*known.queues, *known.sent_to, *self._services})
        return f"did you mean {near}{dead}?" if near else None


def _listed(queues: Iterable[str], ending: str) -> str:
    return ", ".join(sorted(f"{queue}{ending}" for queue in queues))
