"""Kafka's two clients, as far as they are used here, on a single record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Log"]


class Log:
    """Kafka's two clients on a list of records."""

    def __init__(self, value: bytes, headers: list[tuple[str, bytes | None]]) -> None:
        self.record = _Record(value, headers)
        self.waiting = [self.record]
        self.written: list[dict[str, Any]] = []
        self.committed = 0

    def poll(self, seconds: float) -> _Record | None:
        return self.waiting.pop() if self.waiting else None

    def commit(self, **which: Any) -> None:
        self.committed += 1

    def produce(self, topic: str, *, on_delivery: Callable[..., None], **record: Any) -> None:
        self.written.append({"topic": topic, **record})
        on_delivery(None)

    def flush(self, seconds: float) -> None:
        pass


class _Record:
    def __init__(self, value: bytes, headers: list[tuple[str, bytes | None]]) -> None:
        self._value = value
        self._headers = headers

    def value(self) -> bytes:
        return self._value

    def headers(self) -> list[tuple[str, bytes | None]]:
        return self._headers

    def error(self) -> None:
        return None

    def key(self) -> None:
        return None

    def topic(self) -> str:
        return "q"

    def partition(self) -> int:
        return 0

    def offset(self) -> int:
        return 0
