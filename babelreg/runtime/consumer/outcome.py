"""The result of one delivery."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["HANDLED", "Outcome"]


class Outcome(NamedTuple):
    """The result of one delivery.

    ``kind``: handled, duplicate (handled before, so acknowledged), retried (to be delivered again), returned (to the
    queue, unchanged, because the ledger is not available), dead_lettered, dropped (deleted on purpose), or unsettled
    (the broker did not confirm and will deliver it again). ``reason`` is
    that of the dead-letter block (failed | unknown_urn | poison), ``detail`` its ``error``; ``error`` is the exception
    of the handler.
    """

    kind: str
    reason: str | None = None
    detail: str | None = None
    error: BaseException | None = None


HANDLED = Outcome("handled")
