"""A pause of Python's search for cyclic garbage, for steps that make an object for each of a million files."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """Look for no cyclic garbage in the block: the objects that it makes stay and are in no cycle.

    The search visits all of them each time that a quarter was added, which took 40 % of a listing of a million files.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
