"""What large files said when they were read before: the services of a registry list every message that they consume.

Reading YAML takes ten times as long as reading the same value as JSON. A value is kept under the digest of the text it
was read from, so that it is that text's or none.
"""

from __future__ import annotations

import hashlib
from typing import Any

import orjson

from babelreg.breaking.baseline.message_cache import MessageCache
from babelreg.load.yaml import parser
from babelreg.model import Message

__all__ = ["Reread"]

_WORTH = 4096  # characters: what is shorter is read in a few milliseconds
_HELD = 4 << 20  # characters of texts whose values are held for this run: who learns what changed reads it again


class Reread:
    """The ``Beside`` of a registry that was read before; ``kept`` has what is known of it."""

    def __init__(self, kept: MessageCache) -> None:
        self._kept = kept
        self._values: dict[str, Any] = {}
        self._held = 0

    def read(self, path: str, text: str) -> Any:
        """See Beside. Nobody changes a value, so that one serves every registry that has the file."""
        name = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()
        if name in self._values:
            return self._values[name]
        lasting = len(text) >= _WORTH and path.startswith("_services/")
        value = self._lasting(name, text) if lasting else parser.read(text)
        if self._held + len(text) <= _HELD or lasting:
            self._held += len(text)
            self._values[name] = value
        return value

    def _lasting(self, name: str, text: str) -> Any:
        known = self._kept.value(name)
        if known is not None:
            return known
        value = parser.read(text)
        if value is not None and _comes_back(value):
            self._kept.put_value(name, value)
        return value

    def take(self, message: Message) -> None:
        """See Beside."""


def _comes_back(value: Any) -> bool:
    """True where JSON has room for the whole of ``value``."""
    try:
        return repr(orjson.loads(orjson.dumps(value))) == repr(value)
    except (ValueError, TypeError, RecursionError):
        return False
