"""The decorator of deprecated classes, PEP 702: for type checkers only, so that it needs no package at run time.

At run time the producer of a deprecated message warns once, and not for every object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["deprecated"]

if TYPE_CHECKING:
    from typing_extensions import deprecated
else:

    def deprecated(text):
        """Set ``__deprecated__`` to ``text``, as typing_extensions does, and leave the class unchanged otherwise."""

        def decorate(kind):
            kind.__deprecated__ = text
            return kind

        return decorate
