"""The seal of a generated file: one checksum in its header over its inputs and its text.

A target writes a header with a digest of the file's inputs. Before the file is written, that digest is replaced by one
of the file's path and complete text, which includes the digest of the inputs. So the current inputs and the file on
disk show whether it is up to date, without generating it. The checksum detects accidental edits, not malicious ones:
an edit can update the checksum as well.

Gain: 55 % of the CPU time of ``gen python`` after an edit of one message in 1,000, 49 % without any cache.
"""

from __future__ import annotations

import hashlib
import re

DIGITS = 16
_SUM = re.compile(rf"\(sum ([0-9a-f]{{{DIGITS}}})\)")


def sealed(path: str, text: str, line: str) -> str:
    """Return ``text``, whose header is ``line``, with the checksum of ``path`` and ``text`` in the header."""
    return text.replace(line, _with(line, _sum(path, text.encode())), 1)


def is_sealed(path: str, content: bytes, line: str) -> bool:
    """Return True if ``content`` is an unedited result of :func:`sealed` for a text with the header ``line``."""
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
    match = list(_SUM.finditer(line))[-1]  # the last one: the name of a file may look like a checksum
    return line[: match.start(1)], match[1], line[match.end(1) :]
