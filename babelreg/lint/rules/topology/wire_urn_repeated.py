"""Two names of one wire format that are mapped to the same URN.

When a message of that URN is converted back, it always gets the first name, even if it arrived under the second.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: babelreg.yaml
    version: 1
    wires:
      phpmq:
        queues:
          Orders: urn:babel:orders:created
          NewOrders: urn:babel:orders:created

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: babelreg.yaml
    version: 1
    wires:
      phpmq:
        queues:
          Orders: urn:babel:orders:created

Fix::

    Keep the entry of the name that is in use. If both are in use, they are two messages: declare a second URN. A post
    of Strata takes the entry of the request and needs none of its own.
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
    for source, defect, urn in mapping_defects(scope, "urn_mapped_twice"):
        first = defect.other or ()
        text = f"'{'.'.join(defect.path)}' is mapped to '{urn}', as is '{'.'.join(first)}'"
        fix = f"remove the entry '{defect.path[-1]}', or map it to a different URN"
        if defect.path[:-1] != first[:-1]:
            fix = f"remove the entry '{'.'.join(defect.path)}', or map it to a different URN"
        against = source.place(("wires", *first), key=True)
        yield Problem(text, source, place_of(defect), key=True, fix=fix, against=against)
