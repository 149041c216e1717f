"""The result of one delivery."""

from __future__ import annotations

import re
from typing import NamedTuple

_CODE = re.compile(r"[a-z][a-z0-9_]*(?=:)")


class Outcome(NamedTuple):
    """The result of one delivery.

    ``kind``: handled, reported (handled, although ``detail`` says how its data violates the contract), duplicate
    (handled before, so acknowledged), retried (to be delivered again), returned (to the
    queue, unchanged, because the ledger is not available), dead_lettered, dropped (deleted on purpose), deferred (left
    on the queue for another service), skipped (of a Kafka topic, for other services), or unsettled (the broker did not
    confirm and will deliver it again). ``reason`` is that of the dead-letter block (failed | unknown_urn | poison),
    ``detail`` its ``error``; ``error`` is the exception of the handler.
    """

    kind: str
    reason: str | None = None
    detail: str | None = None
    error: BaseException | None = None

    @property
    def code(self) -> str | None:
        """The reason in one word, such as ``missing_required`` or ``handler_failed``; None for a handled message."""
        if self.detail is not None and (code := _CODE.match(self.detail)):
            return code[0]
        return self.reason or ("handler_failed" if self.error is not None else None)


HANDLED = Outcome("handled")
