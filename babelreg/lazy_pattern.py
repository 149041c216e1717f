"""Regular expressions that are compiled when a text is first searched.

A module compiles its patterns at import, and most runs of a command meet no text for most of them: a pattern that few
files need is lazy, and the import of its module costs nothing for it.

Gain: 6 % of the CPU time of ``lint`` of one file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import AnyStr, Generic


class LazyPattern(Generic[AnyStr]):
    """A regular expression with the methods of ``re.Pattern``, each bound once: later calls cost what it costs."""

    def __init__(self, pattern: AnyStr, flags: int = 0) -> None:
        self._pattern: AnyStr = pattern
        self._flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[AnyStr]:
        """The compiled pattern."""
        return re.compile(self._pattern, self._flags)

    @cached_property
    def search(self) -> Callable[..., re.Match[AnyStr] | None]:
        """``re.Pattern.search``."""
        return self.compiled.search

    @cached_property
    def match(self) -> Callable[..., re.Match[AnyStr] | None]:
        """``re.Pattern.match``."""
        return self.compiled.match

    @cached_property
    def fullmatch(self) -> Callable[..., re.Match[AnyStr] | None]:
        """``re.Pattern.fullmatch``."""
        return self.compiled.fullmatch

    @cached_property
    def finditer(self) -> Callable[..., Iterator[re.Match[AnyStr]]]:
        """``re.Pattern.finditer``."""
        return self.compiled.finditer

    @cached_property
    def sub(self) -> Callable[..., AnyStr]:
        """``re.Pattern.sub``."""
        return self.compiled.sub
