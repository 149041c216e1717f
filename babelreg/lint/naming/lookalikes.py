"""Names that differ only in capitals, separators or a plural."""

from __future__ import annotations

import re
from collections.abc import Mapping

_SEPARATORS = re.compile(r"[\s._-]+")


def variants(counted: Mapping[str, int]) -> dict[str, str]:
    """Return the preferred spelling for every other one: the most frequent, of equals one in lower case.

    ``counted`` gives the number of uses of each spelling.
    """
    alike: dict[str, list[str]] = {}
    for name in counted:
        folded = _SEPARATORS.sub("", name).casefold()
        alike.setdefault(folded.removesuffix("s") or folded, []).append(name)
    preferred: dict[str, str] = {}
    for names in alike.values():
        most = min(names, key=lambda name: (-counted[name], not name.islower(), name))
        preferred.update({name: most for name in names if name != most})
    return preferred
