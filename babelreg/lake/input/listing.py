"""The listed files, compared with what was read of them: most are unchanged, and a million of them need no more."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from babelreg.lake.storage.log.batch_record import Consumed
from babelreg.lake.storage.log.source_log import SourceLog


class Listing(NamedTuple):
    """Files that are new or changed; ``known`` are the records of the latter.

    ``has_known`` is True where any of the listed files was read before.
    """

    changed: Sequence[str]
    known: Mapping[str, Consumed]
    has_known: bool


def compare(folder: Path, root: str, names: Sequence[str], log: SourceLog) -> Listing:
    """Return which of the files ``names`` in ``folder``, known as ``root`` in the ``log``, are not as recorded."""
    if not log:
        return Listing(names, {}, False)
    changed, known, has_known = [], {}, False
    for name, record in log.of_names(root, names):
        has_known = has_known or record is not None
        if record is None or not same_state(f"{folder}/{name}", record):
            changed.append(name)
            if record is not None:
                known[name] = record
    return Listing(changed, known, has_known)


def same_state(path: Path | str, before: Consumed) -> bool:
    """Return whether a file still has the recorded size and modification time; most have, and need no other check."""
    try:
        status = os.stat(path)  # noqa: PTH116 -- there may be a million, and a Path takes longer
    except (OSError, ValueError):
        return False
    return (before.end, before.mtime_ns) == (status.st_size, status.st_mtime_ns)
