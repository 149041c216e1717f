"""Messages that supersede one another in a circle.

Each declares the next one older than itself. Following them never ends, and no data can be upcast.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    supersedes: urn:babel:orders:placed
    # file: orders/placed.yaml
    urn: urn:babel:orders:placed
    supersedes: urn:babel:orders:created

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: orders/placed.yaml
    urn: urn:babel:orders:placed
    supersedes: urn:babel:orders:created

Fix::

    Remove `supersedes` from the oldest of them: a message says what it replaces, not what replaces it.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.ERROR
profile = "minimal"

_MOST = 5


def check(scope: Scope) -> Iterator[Problem]:
    known = scope.registry.by_urn
    done: set[str] = set()
    for message in known.values():
        chain: dict[str, None] = {}
        urn = message.urn
        while urn in known and urn not in done and urn not in chain:
            chain[urn] = None
            urn = known[urn].supersedes or ""
        done.update(chain)
        circle = list(chain)[list(chain).index(urn) :] if urn in chain else []
        if len(circle) > 1:  # a message that supersedes itself is reported by supersedes-unknown
            shown = " -> ".join(circle[:_MOST]) + (" -> ..." if len(circle) > _MOST else f" -> {urn}")
            first = known[urn]
            text = f"these messages supersede each other in a circle: {shown}"
            fix = "remove 'supersedes' from the oldest one"
            yield Problem(text, first.source, ("supersedes",), fix=fix, urn=first.urn)
