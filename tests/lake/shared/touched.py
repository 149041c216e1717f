"""The file names that are touched below a folder: listed, opened, asked for, made, renamed or removed."""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_CALLS = ((os, "stat"), (os, "lstat"), (os, "open"), (io, "open"), (os, "unlink"), (os, "rename"), (os, "replace"),
          (os, "mkdir"), (os, "rmdir"))  # fmt: skip


@contextmanager
def counted(folder: Path) -> Iterator[Counter[str]]:
    """Count names below ``folder``: those that are listed by the folder that is, as ``list manifest``, others by call."""
    found: Counter[str] = Counter()
    below = str(folder)

    def counting(call: Callable[..., Any], name: str) -> Callable[..., Any]:
        def touch(path: Any, *args: Any, **options: Any) -> Any:
            if not isinstance(path, int) and str(path).startswith(below):
                found[name] += 1
            return call(path, *args, **options)

        return touch

    def listing(call: Callable[..., Any]) -> Callable[..., Any]:
        def listed(path: Any = ".") -> Any:
            if not isinstance(path, int) and str(path).startswith(below):
                where = os.path.relpath(path, below)
                where = where if where.startswith("manifest") else where.split("/")[0]
                found[f"list {where}"] += len(names(path))
                found[f"listings of {where}"] += 1
            return call(path)

        return listed

    names = os.listdir
    with pytest.MonkeyPatch.context() as patch:
        for owner, name in _CALLS:
            patch.setattr(owner, name, counting(getattr(owner, name), name))
        for name in ("scandir", "listdir"):
            patch.setattr(os, name, listing(getattr(os, name)))
        yield found
