"""The edit of a keyword that limits values, such as ``maxLength``, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from babelreg.breaking.changes.abbreviation import short, short_pair

ABSENT = object()
_MAX_IN_FIX = 40


@dataclass(frozen=True, slots=True)
class LimitEdit:
    """The values of ``keyword`` before and after; :data:`ABSENT` where a version lacks it."""

    keyword: str
    before: Any
    after: Any

    def message(self, subject: str) -> str:
        """Return a sentence on what the keyword was and is for ``subject``."""
        if self.before is ABSENT:
            return f"{self.keyword} {short(self.after)} was added to {subject}"
        if self.after is ABSENT:
            return f"{self.keyword} {short(self.before)} was removed from {subject}"
        return f"{self.keyword} of {subject} changed from {' to '.join(short_pair(self.before, self.after))}"

    @property
    def fix(self) -> str:
        """How to undo the edit, as an imperative."""
        if self.before is ABSENT:
            return f"remove {self.keyword}"
        published = short(self.before)
        if len(published) > _MAX_IN_FIX:
            return f"keep the published {self.keyword}"
        return f"restore {self.keyword} {published}" if self.after is ABSENT else f"keep {self.keyword} {published}"
