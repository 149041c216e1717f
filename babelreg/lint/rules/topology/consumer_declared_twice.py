"""A consumer that is named both by the message and by its own service file.

Either place will do; with both, one is forgotten when the service stops consuming, and the message can never be
retired. The service's own file is the better place, since it also says which fields are read.

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

    Take the service out of the message's `consumers` and keep the entry in its own file, which also says what it
    reads. Of two entries in one file, keep one with the fields of both.
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
