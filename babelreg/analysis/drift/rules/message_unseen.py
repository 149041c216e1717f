"""A published message that nobody sent.

Its consumers wait for it, and every change of it must be compatible. Either the recording does not cover its queue, its
producers send something else, or nobody needs it any longer.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [orders-api]
    data: {type: object}
    # file: traffic.yaml
    []

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [orders-api]
    data: {type: object}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {}}

Fix::

    Record its queue as well. If its producers no longer send it, set `status: deprecated` and a `sunset`; if it is
    already deprecated, set `status: retired` and `retired_on`.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.analysis.drift.rules.rule import Drift, DriftScope, in_message
from babelreg.finding import Severity

severity = Severity.INFO


def check(scope: DriftScope) -> Iterator[Drift]:
    for each in scope.messages:
        message = each.message
        if each.count:
            continue
        if message.status == "deprecated":
            fix = "retire it once nobody sends it: `status: retired` and `retired_on: YYYY-MM-DD`"
        else:
            fix = f"record its queue; or, where {scope.senders(message)} ended it: `status: deprecated` and a `sunset`"
        yield in_message(message, ("urn",), f"'{message.urn}' was never sent", fix)
