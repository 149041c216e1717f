"""An alias under which none of at least 100 messages was sent.

An alias is a name that producers still use. Once all of them send the URN, the alias can be removed: until then, every
consumer registers its handler under each name.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    aliases: [com.shop.orders.created]
    data: {type: object}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {}, times: 150}

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    aliases: [com.shop.orders.created]
    data: {type: object}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {}, times: 150}
    - {urn: com.shop.orders.created, data: {}}

Fix::

    Remove it from `aliases` once no producer sends it in a longer window either.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.analysis.drift.rules.rule import Drift, DriftScope, in_message
from babelreg.finding import Severity

severity = Severity.INFO


def check(scope: DriftScope) -> Iterator[Drift]:
    for each in scope.judged:
        for index, alias in enumerate(each.message.aliases):
            if not each.names.get(alias):
                said = f"nobody sent '{alias}': 0 of {each.count:,}"
                fix = f"remove it from `aliases` in {each.message.source.path}"
                yield in_message(each.message, ("aliases", index), said, fix)
