"""A consumer declared both in the message and in its service file.

One declaration is enough. With two, one is forgotten when the service stops consuming, and the message can never be
retired. The service file is preferable, because it also lists the fields that are read.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    consumers: [billing-worker]
    # file: _services/billing-worker.yaml
    owner: team-billing
    consumes:
      - urn: urn:babel:orders:created

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: _services/billing-worker.yaml
    owner: team-billing
    consumes:
      - urn: urn:babel:orders:created

Fix::

    Remove the service from the message's `consumers` and keep the entry in its own file. If one file has two entries,
    merge them.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model import Edit

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    for service in scope.registry.services.values():
        seen: dict[str, int] = {}
        for index, consumption in enumerate(service.consumes):
            urn, at = consumption.urn, ("consumes", index, "urn")
            message = scope.registry.by_urn.get(urn)
            if urn in seen:
                text = f"'{urn}' is listed twice below 'consumes'"
                there = service.source.place(("consumes", seen[urn], "urn"))
                fix = "keep one of the two, with the fields of both"
                first_reads = set(service.consumes[seen[urn]].reads)
                again = Edit(service.source.path, "remove", ("consumes", index))
                edits = (again,) if first_reads.issuperset(consumption.reads) else ()
                yield Problem(text, service.source, at, fix=fix, against=there, edits=edits)
            elif message is not None and service.name in message.declared_consumers:
                item = ("consumers", message.declared_consumers.index(service.name))
                other = message.source.place(item)
                text = f"'{service.name}' is declared a consumer of '{urn}' here and in {message.source.path}"
                fix = f"remove '{service.name}' from the consumers in {message.source.path}"
                alone = len(message.declared_consumers) == 1
                edits = (Edit(message.source.path, "remove", item[:1] if alone else item),)
                yield Problem(text, service.source, at, fix=fix, urn=urn, against=other, edits=edits)
            seen.setdefault(urn, index)
