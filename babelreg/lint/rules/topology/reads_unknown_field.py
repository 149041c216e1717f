"""A consumer that reads or expects a field that the message does not have.

`breaking` uses `reads` to find the services that a change affects. A field that the schema does not have protects
nobody, and usually the consumer's code expects the same misspelt name. A path is spelled `total.minor`, `lines[].qty`
for every item of a list, `labels.*` for any value of a map, and a dot in a name `\\.`, also under `expects`.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        order_id: {type: integer}
    # file: _services/billing-worker.yaml
    owner: team-billing
    consumes:
      - urn: urn:babel:orders:created
        reads: [order_nr]

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        order_id: {type: integer}
    # file: _services/billing-worker.yaml
    owner: team-billing
    consumes:
      - urn: urn:babel:orders:created
        reads: [order_id]

Fix::

    Correct the path. If the consumer does read the field and producers send it, it is the schema that lacks it:
    add it there as an optional property.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.path_resolver import MAX_NAMES, PathLevel, PathResolver, resolves_directly
from babelreg.lint.scope import Scope
from babelreg.model import Consumption, Message, Service
from babelreg.schema.field_path import EACH, Step, parts, spelled
from babelreg.schema.pointer import Pointer

severity = Severity.ERROR
profile = "standard"


def check(scope: Scope) -> Iterator[Problem]:
    known = scope.registry.by_urn
    resolvers: dict[str, PathResolver] = {}
    for service in scope.registry.services.values():
        for index, consumption in enumerate(service.consumes):
            message = known.get(consumption.urn)
            if message is None or message.schema is None:
                continue
            for path, at in _paths(consumption):
                if resolves_directly(message.schema, path):
                    continue
                if message.urn not in resolvers:
                    resolvers[message.urn] = PathResolver(message.schema)
                pointer = ("consumes", index, *at)
                yield from _problem(scope, resolvers[message.urn], service, message, path, pointer)


def _paths(consumption: Consumption) -> Iterator[tuple[str, Pointer]]:
    yield from ((path, ("reads", number)) for number, path in enumerate(consumption.reads))
    yield from ((each.path, ("expects", each.path)) for each in consumption.expects)


def _problem(
    scope: Scope, resolver: PathResolver, service: Service, message: Message, path: str, pointer: Pointer
) -> Iterator[Problem]:
    steps = parts(path)
    missing = resolver.first_missing(steps)
    if missing is None:
        return
    expects = pointer[2] == "expects"
    does = "has an expectation on" if expects else "reads"
    text = f"'{service.name}' {does} '{path}', which '{message.urn}' does not have"
    suggestion = _suggestion(scope, resolver, steps, *missing)
    fix = f"did you mean '{suggestion}'?" if suggestion else _names(steps, *missing)
    there = message.source.place(("data",))
    yield Problem(text, service.source, pointer, key=expects, fix=fix, urn=message.urn, against=there)


def _suggestion(
    scope: Scope, resolver: PathResolver, steps: tuple[Step, ...], stop: int, level: PathLevel
) -> str | None:
    """Return the likely path, or None."""
    before, step, after = steps[:stop], steps[stop], steps[stop + 1 :]
    tries = [[*before, EACH, step, *after], [*before, *after]]
    if step is not EACH and after and after[0] is not EACH:
        tries.append([*before, f"{step}.{after[0]}", *after[1:]])  # one name with a dot in it
    if step is not EACH and not level.items:
        near = scope.nearest(step, level.named)
        tries = [[*before, near, *after], [*before, near]] if near else tries[1:] if stop == 0 else tries[2:]
    for tried in tries:
        if tried and tried[-1] is not EACH and resolver.first_missing(tried) is None:
            return spelled(tried)
    return None


def _names(steps: tuple[Step, ...], stop: int, level: PathLevel) -> str:
    names = level.first_names()
    if not names:
        return f"'{spelled(steps[:stop])}' has no fields: read it as a whole, or describe them in the schema"
    shown = ", ".join(names[:MAX_NAMES]) + (", ..." if len(names) > MAX_NAMES else "")
    return f"the fields are: {shown}; or add it to the schema"
