"""A producer or consumer without a file in _services/.

babelreg assesses a change by the services that it breaks and their languages. A service that is only a name in a list
cannot be assessed or warned; often the name is a typo.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [order-api]
    # file: _services/orders-api.yaml
    owner: team-orders

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [orders-api]
    # file: _services/orders-api.yaml
    owner: team-orders

Fix::

    Correct the name, or create `_services/NAME.yaml` with `owner` and `lang`. If a file of that name is elsewhere,
    move it there.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model import Message
from babelreg.schema.pointer import Pointer

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    known = scope.registry.services
    missing: dict[str, list[tuple[Message, Pointer]]] = {}
    for message in scope.messages:
        for key, names in (("producers", message.producers), ("consumers", message.declared_consumers)):
            for index, name in enumerate(names):
                if name not in known and f"_services/{name}.yaml" not in scope.defective:
                    missing.setdefault(name, []).append((message, (key, index)))
    for name, mentions in missing.items():
        suggestion = scope.nearest(name, known)
        # A typo is reported at each place; a missing file once.
        for message, at in mentions if suggestion else mentions[:1]:
            others = f" (named in {len(mentions)} messages)" if len(mentions) > 1 and not suggestion else ""
            text = f"the service '{name}' is not declared{others}"
            create = f"create {scope.path_to_paste(f'_services/{name}.yaml')} with its owner and lang"
            fix = f"did you mean '{suggestion}'? If not, {create}" if suggestion else create
            yield Problem(text, message.source, at, fix=fix, urn=message.urn)
