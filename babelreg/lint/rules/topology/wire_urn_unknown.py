"""A name of another wire format whose URN is not in the registry.

Messages of that name become envelopes of a URN that no reader knows, so that all of them are refused or quarantined.
Most often the URN is misspelt.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: babelreg.yaml
    version: 1
    wires:
      phpmq:
        queues: {Orders: urn:babel:order:created}

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: babelreg.yaml
    version: 1
    wires:
      phpmq:
        queues: {Orders: urn:babel:orders:created}

Fix::

    Correct the URN, or declare the message. If the name is no longer in use, remove the entry.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.naming.wire_mapping import mapping_defects, place_of
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    for source, defect, urn in mapping_defects(scope, "unknown_urn"):
        if scope.unreadable(urn):
            continue
        name = ".".join(defect.path)
        suggestion = scope.nearest(urn, scope.registry.by_urn)
        fix = f"{defect.path[-1]}: {suggestion}" if suggestion else "remove the entry, or declare the message"
        yield Problem(f"'{name}' is mapped to '{urn}', which is not in the registry", source, place_of(defect), fix=fix)
