"""A message that is sent under a name that is not in the registry.

No consumer that babelreg generates handles it: it becomes a dead letter with the reason `unknown_urn`. Often the name
is misspelt. A name that may contain data, such as an id or an address, is counted and not printed.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    data: {type: object}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {}}
    - {urn: "urn:babel:orders:craeted", data: {}}

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    aliases: ["urn:babel:orders:craeted"]
    data: {type: object}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {}}
    - {urn: "urn:babel:orders:craeted", data: {}}

Fix::

    Correct a misspelt name in the producer; until that is deployed, list it in `aliases` of the message. For a new
    message, run `babelreg infer` on the same recordings.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.analysis.drift.rules.rule import Drift, DriftScope
from babelreg.analysis.drift.senders import senders_phrase
from babelreg.finding import Place, Severity
from babelreg.plural import counted
from babelreg.suggest import closest

severity = Severity.WARNING


def check(scope: DriftScope) -> Iterator[Drift]:
    registry = scope.registry
    place = registry.settings.source.place() if registry.settings.source is not None else Place("babelreg.yaml")
    withheld = 0
    names = 0
    for name, sketch in sorted(scope.sent.items()):
        if name in registry.by_name:
            continue
        if not scope.is_public(name):
            names, withheld = names + 1, withheld + sketch.count
            continue
        said = f"'{name}' is sent but not declared: {senders_phrase(sketch, scope.is_public)}"
        yield Drift(said, place, _fix(scope, name), name)
    if names:
        said = f"{counted(withheld, 'message')} under {counted(names, 'name')} that may contain data"
        yield Drift(
            f"{said}, which are not printed", place, "put the kind of message into the URN, and the rest into `data`"
        )


def _fix(scope: DriftScope, name: str) -> str:
    declare = f"`{scope.command('infer')}` declares it"
    near = scope.recorded.likely.get(name) or closest(name, sorted(scope.registry.by_urn), 0.75)
    if near is None:
        return declare
    path = scope.registry.by_urn[near].source.path
    return f"is it '{near}'? Then correct the producer, or add the name to `aliases` in {path}; else {declare}"
