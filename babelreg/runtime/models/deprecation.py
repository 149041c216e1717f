"""The mark of a deprecated class, PEP 702: for type checkers only, so that it needs no package at run time.

The producer of a deprecated message warns at run time: once, and not for every object made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["deprecated"]

if TYPE_CHECKING:
    from typing_extensions import deprecated
else:

    def deprecated(text):
        """The class as it is, with ``text`` as ``__deprecated__``, where typing_extensions leaves it too."""

        def marked(kind):
            kind.__deprecated__ = text
            return kind

        return marked
