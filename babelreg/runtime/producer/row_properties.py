"""Properties of a message in the row of an outbox, a column of JSON: headers, ordering key and due time.

The column came later than the table. A writer that has nothing for it writes rows as before, and a relay reads a row
without it as one of an earlier writer. So relays and writers of both versions work on tables with and without it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from babelqueue.outbox import OutboxRecord

from babelreg.runtime.producer.options import PLAIN, SendOptions


class RowProperties(NamedTuple):
    """``headers`` is None where the message cannot have headers, ``due`` the Unix time before which it waits."""

    headers: Mapping[str, str] | None = None
    key: str | None = None
    due: float | None = None

    def encoded(self) -> str:
        """Return the value of the column."""
        given = {name: value for name, value in self._asdict().items() if value is not None}
        return json.dumps(given, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def decoded(cls, text: str | None) -> RowProperties:
        """Return the properties in a column. Members of later versions are ignored."""
        given = json.loads(text) if text else {}
        return cls(**{name: given[name] for name in cls._fields if name in given})

    @property
    def options(self) -> SendOptions:
        """The options to send the message with now."""
        delay = 0.0 if self.due is None else max(0.0, self.due - time.time())
        return SendOptions(self.key, delay, self.headers or PLAIN.headers)


class Row(OutboxRecord):
    """A row of the columns id, body, queue and attempts, and of the properties where the table has them."""

    def __init__(self, values: Sequence[Any]) -> None:
        super().__init__(*values[:4])
        self.properties = RowProperties.decoded(values[4] if len(values) > 4 else None)
