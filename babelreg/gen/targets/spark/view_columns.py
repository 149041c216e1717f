"""Column names of a view: ``total.minor`` becomes ``total_minor``.

A name never changes its meaning. Where two columns would get the same name, both get a longer one, so that a query
written before there were two fails instead of reading the other column.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from babelreg.typemap.names import visible

_NO_WORD = re.compile(r"\W+")
_LONGEST = 200


def names(paths: Sequence[tuple[str, ...]], taken: Collection[str]) -> list[str]:
    """Return the name of each path: none of ``taken``, and unique regardless of case.

    The first choice of ``("ship_to", "city")`` is ``ship_to_city``, then ``data_ship_to_city``, then the path itself.
    """
    choices = [_choices(path) for path in paths]
    chosen = [0] * len(paths)
    while True:
        by_name: dict[str, list[int]] = {name.lower(): [] for name in taken}
        reserved = set(by_name)
        for number, choice in enumerate(chosen):
            by_name.setdefault(choices[number][choice].lower(), []).append(number)
        clashing = [
            number
            for name, numbers in by_name.items()
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
