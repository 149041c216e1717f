"""Objects that every copy of the runtime in one process shares.

Each package with a vendored runtime has classes and variables of its own. What they have to agree on, such as the
message being handled, is one object under a name that never changes. Its value must be readable by every other version
of the runtime: an object of the standard library, or one whose attributes are only ever added to.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import TypeVar, cast

T = TypeVar("T")
_HOLDER = "_babelreg_process_wide"


def process_wide(name: str, make: Callable[[], T]) -> T:
    """Return the object ``name``: what the first caller in this process made."""
    # Modules are the one table that every copy can find; setdefault is atomic for threads.
    holder = sys.modules.setdefault(_HOLDER, ModuleType(_HOLDER))
    return cast(T, vars(holder).setdefault(name, make()))
