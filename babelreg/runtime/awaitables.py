"""Code that is written once, as coroutines, for plain and async clients."""

from __future__ import annotations

import inspect
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def resolved(result: Any) -> Any:
    """Return ``result``, or what it gives when it is awaited: clients differ in which methods are coroutines."""
    return await result if inspect.isawaitable(result) else result


def completed(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine that never suspends, because its calls block."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    coroutine.close()
    raise RuntimeError("a blocking call was suspended")
