"""The check sum that is the last line of a file: the CRC of all lines before it, in eight hex digits.

One flipped bit anywhere in such a file is found, the last line included: it is compared byte by byte.
"""

from __future__ import annotations

import zlib

__all__ = ["LINE_BYTES", "sealed", "unsealed"]

LINE_BYTES = 9


def sealed(lines: bytes) -> bytes:
    """Return ``lines``, which end with a line feed, and their check sum."""
    return lines + _line(lines)


def unsealed(content: bytes) -> bytes:
    """Return the lines that :func:`sealed` was given. Raises ValueError where they are not what was written."""
    lines = content[:-LINE_BYTES]
    if not lines.endswith(b"\n") or content[-LINE_BYTES:] != _line(lines):
        raise ValueError("its last line is not the check sum of the lines before")
    return lines


def _line(lines: bytes) -> bytes:
    return b"%08x\n" % zlib.crc32(lines)
