"""Deliveries that wait for their handlers: in order of arrival, of each ordering key one at a time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Hashable

from babelreg.runtime.consumer.valid_delivery import ValidDelivery

__all__ = ["Waiting"]


class Waiting:
    """A queue of deliveries. :meth:`next` returns the first one whose key is free; :meth:`done` frees the key."""

    def __init__(self) -> None:
        self._ready: deque[ValidDelivery] = deque()
        self._keys: dict[int, Hashable] = {}
        self._behind: dict[Hashable, deque[ValidDelivery]] = {}
        self._arrivals: dict[int, tuple[int, float]] = {}
        self._count = 0

    def __len__(self) -> int:
        return len(self._arrivals)

    def add(self, delivery: ValidDelivery, key: Hashable | None) -> None:
        """Append ``delivery``; None for one that needs no order."""
        self._count += 1
        self._arrivals[id(delivery)] = self._count, time.monotonic()
        if key is None:
            self._ready.append(delivery)
            return
        self._keys[id(delivery)] = key
        if key in self._behind:
            self._behind[key].append(delivery)
        else:
            self._behind[key] = deque()
            self._ready.append(delivery)

    def next(self) -> tuple[ValidDelivery, float] | None:
        """Remove the first delivery that may be handled now; return it and when it arrived (monotonic), or None."""
        if not self._ready:
            return None
        delivery = self._ready.popleft()
        return delivery, self._arrivals.pop(id(delivery))[1]

    def done(self, delivery: ValidDelivery) -> None:
        """Let the next delivery with the key of this one be handled."""
        key = self._keys.pop(id(delivery), None)
        if key is None:
            return
        behind = self._behind[key]
        if behind:
            self._ready.append(behind.popleft())
        else:
            del self._behind[key]

    def clear(self) -> list[ValidDelivery]:
        """Remove and return all that wait, in order of arrival."""
        waiting = list(self._ready)
        for behind in self._behind.values():
            waiting += behind
            for delivery in behind:
                del self._keys[id(delivery)]
            behind.clear()
        for delivery in self._ready:
            self.done(delivery)
        waiting.sort(key=lambda delivery: self._arrivals[id(delivery)])
        self._ready.clear()
        self._arrivals.clear()
        return waiting
