"""Names that are one and the same but for their spelling: capitals, separators, a plural."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["variants"]

_SEPARATORS = re.compile(r"[\s._-]+")


def variants(counted: Mapping[str, int]) -> dict[str, str]:
    """For every rarer spelling the one that is used most; of two used alike, one in lower case.

    ``counted`` says how often each spelling is used.
    """
    alike: dict[str, list[str]] = {}
    for name in counted:
        folded = _SEPARATORS.sub("", name).casefold()
        alike.setdefault(folded.removesuffix("s") or folded, []).append(name)
    found = {}
    for names in alike.values():
        most = min(names, key=lambda name: (-counted[name], not name.islower(), name))
        found.update({name: most for name in names if name != most})
    return found
