"""Log rotation, as names of files show it: ``app.log``, ``app.log.1``, ``app.log-20261122.gz``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from babelreg.sources.compression import uncompressed_name

_TURN = re.compile(r"(?P<start>.*[^/])[._-](?P<turn>[0-9][0-9._:T-]*)(?P<end>\.[A-Za-z]\w*)?")
_LONGEST_NUMBER = 4
"""Number of digits of a number in a rotation; more are a date."""


class Rotation(NamedTuple):
    """What a name says of log rotation: the ``base`` that is written to, and whether this name changes its content."""

    base: str
    takes_turns: bool

    @classmethod
    def of(cls, name: str) -> Rotation:
        """Return what ``name`` says: ``app.log.3.gz`` takes turns, ``app.log-20261122`` keeps what it holds."""
        plain = uncompressed_name(name)
        if (match := _TURN.fullmatch(plain)) is None:
            return cls(plain, True)
        turn = match["turn"]
        number = turn.isdigit() and len(turn) <= _LONGEST_NUMBER and not (len(turn) > 1 and turn.startswith("0"))
        return cls(match["start"] + (match["end"] or ""), number)


def rotated_logs(names: Iterable[str], changed: Iterable[str]) -> dict[str, set[str]]:
    """Return the names of each log of which there are several files, by the name that is written to.

    Logs are in one folder each, and those in folders without ``changed`` files are left out. Names that stand for
    themselves are added afterwards: there may be a million, and few belong to a log.
    """
    folders = {name.rpartition("/")[0] for name in changed}
    logs: dict[str, set[str]] = {}
    alone = set()
    for name in names if folders else ():
        if name.rpartition("/")[0] not in folders:
            continue
        if (base := Rotation.of(name).base) == name:
            alone.add(name)
        else:
            logs.setdefault(base, set()).add(name)
    for base in alone & logs.keys():
        logs[base].add(base)
    return {base: members for base, members in logs.items() if len(members) > 1}
