"""What the columns of a view are called: ``total.minor`` becomes ``total_minor``.

A name never comes to mean something else. Where two columns would get one name, none of them does: each takes a longer
one, so that a query written before there were two is refused, and does not go on with the other column's values.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from babelreg.typemap.python.names import visible

__all__ = ["names"]

_NO_WORD = re.compile(r"\W+")
_LONGEST = 200


def names(paths: Sequence[tuple[str, ...]], taken: Collection[str]) -> list[str]:
    """The name of each path, none of ``taken``; no two alike, whatever their case.

    The first choice of ``("ship_to", "city")`` is ``ship_to_city``, then ``data_ship_to_city``, then the path itself.
    """
    choices = [_choices(path) for path in paths]
    chosen = [0] * len(paths)
    while True:
        held: dict[str, list[int]] = {name.lower(): [] for name in taken}
        reserved = set(held)
        for number, choice in enumerate(chosen):
            held.setdefault(choices[number][choice].lower(), []).append(number)
        clashing = [
            number
            for name, numbers in held.items()
            if len(numbers) > 1 or name in reserved
            for number in numbers
            if chosen[number] + 1 < len(choices[number])
        ]
        if not clashing:
            return [choices[number][choice] for number, choice in enumerate(chosen)]
        for number in clashing:
            chosen[number] += 1


def _choices(path: tuple[str, ...]) -> list[str]:
    short = "_".join(_NO_WORD.sub("_", visible(step)) for step in path)
    exact = ".".join(["data", *(step.replace("\\", "\\\\").replace(".", "\\.") for step in path)])
    if not short.strip("_") or len(short) > _LONGEST:
        return [exact]
    return [short, f"data_{short}", exact]
