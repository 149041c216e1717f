"""A property that is sent but not declared in the schema.

Consumers silently drop it, and it is not in any generated class or column. It is reported if the object lists its
properties and does not mention others. Names that are data are not reported: an object with such names is a map.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        order_id: {type: integer}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {order_id: 1, coupon: SPRING}}

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        order_id: {type: integer}
        coupon: {type: string}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {order_id: 1, coupon: SPRING}}

Fix::

    Declare it as an optional property with a description: `babelreg infer` writes a draft from the same recordings. If
    it is a mistake, correct the producer.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.analysis.drift.rules.rule import Drift, DriftScope
from babelreg.analysis.infer.written_places import WrittenPlaces
from babelreg.finding import Severity
from babelreg.model import Source
from babelreg.schema.field_path import EACH, spelled
from babelreg.schema.pointer import text

severity = Severity.WARNING


def check(scope: DriftScope) -> Iterator[Drift]:
    places = WrittenPlaces()
    sources: dict[str, Source] = {}
    for urn, sketch in sorted(scope.recorded.declared.items()):
        message = scope.registry.by_urn[urn]
        if not scope.traffic(message).has_schema:
            continue
        strict = scope.registry.compatibility(message.context).reader == "strict"
        places.add(message, sketch.data, strict=strict)
        sources |= {source.path: source for source in (message.source, *message.origins.values())}
    places.freeze(scope.registry.messages)
    for place in places:
        objects = sum(sketch.objects for sketch in place.sketches)
        for name, _ in place.properties():
            count = sum(sketch.count for sketch in place.undeclared[name])
            path = spelled(EACH if step == EACH.value else str(step) for step in (*place.names[1:], name))
            shown = f"'{path}'" if scope.is_public(name) else "a property whose name may contain data"
            said = f"{shown} is sent but not declared: {count:,} of {objects:,}"
            urn_only = next(iter(place.urns)) if len(place.urns) == 1 else None
            fix = f"`{scope.command('infer')}` declares it, or correct the producer"
            yield Drift(said, sources[place.path].place(place.pointer), fix, urn_only, text(place.pointer))
