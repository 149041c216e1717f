"""A generated file says what it was made from and that it stands as it was made: one sum in its header tells both.

The target writes a header with a digest of the file's inputs. On its way to the disk that digest is replaced by one of
the file's path and its whole text, the inputs' digest included. So whoever knows what the inputs are now, and sees the
file, knows whether making it again would give the same; nothing has to be made to find out. The sum tells accidents,
not malice: whoever edits a file can also write the sum.
"""

from __future__ import annotations

import hashlib
import re

__all__ = ["DIGITS", "holds", "sealed"]

DIGITS = 16
_SUM = re.compile(rf"\(sum ([0-9a-f]{{{DIGITS}}})\)")


def sealed(path: str, text: str, line: str) -> str:
    """``text``, whose header is ``line``, with the sum of all of it and of its ``path`` in the header."""
    return text.replace(line, _with(line, _sum(path, text.encode())), 1)


def holds(path: str, content: bytes, line: str) -> bool:
    """True when ``content`` is what :func:`sealed` gave there for a text with the header ``line``, untouched since."""
    before, _, after = (part.encode() for part in _parts(line))
    start = content.find(before)
    end = start + len(before) + DIGITS
    if start < 0 or content[end : end + len(after)] != after:
        return False
    text = content[:start] + line.encode() + content[end + len(after) :]
    return content[start + len(before) : end] == _sum(path, text).encode()


def _sum(path: str, text: bytes) -> str:
    return hashlib.blake2b(path.encode() + b"\n" + text, digest_size=DIGITS // 2).hexdigest()


def _with(line: str, digits: str) -> str:
    before, _, after = _parts(line)
    return before + digits + after


def _parts(line: str) -> tuple[str, str, str]:
    found = list(_SUM.finditer(line))[-1]  # the last: the name of a file may look like anything
    return line[: found.start(1)], found[1], line[found.end(1) :]
