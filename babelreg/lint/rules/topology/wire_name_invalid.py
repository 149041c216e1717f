"""A name in `wires` that its wire format cannot carry.

No queue, command, event, context or operation has such a name, so the entry maps nothing. Every format refuses an empty
name; an unpaired surrogate cannot be encoded as UTF-8; a queue name of PHPMQ has at most 65535 bytes.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: babelreg.yaml
    version: 1
    wires:
      phpmq:
        queues: {"": urn:babel:orders:created}

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: babelreg.yaml
    version: 1
    wires:
      phpmq:
        queues: {Orders: urn:babel:orders:created}

Fix::

    Write the name as it is on the wire, or remove the entry.
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
    for source, defect, urn in mapping_defects(scope, "name_not_on_wire"):
        text = f"{defect.path[0]} cannot transmit the name that is mapped to '{urn}': {defect.message}"
        fix = f"write the name as it is on the wire: NAME: {urn}"
        yield Problem(text, source, place_of(defect), key=True, fix=fix)
