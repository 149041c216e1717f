"""A rule's page in the manual, read from its docstring.

The layout is fixed, and a test holds every rule to it::

    The first line says what the rule reports.

    Why it matters, in as many paragraphs as it takes.

    Bad::

        a file of a registry

    Good::

        the same file, mended

    Fix::

        what to do about it, in words

A block shows ``orders/created.yaml``, or the file its ``urn`` names; a line ``# file: PATH`` starts another file, and
``# no file: PATH`` says that one is missing. Keys and files that have no part in the matter are left out; the tests
supply them and run both blocks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Page", "parse"]

_HEADING = re.compile(r"^(Bad|Good|Fix)::$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Page:
    """``summary`` is one line; ``why`` are paragraphs, unwrapped; ``bad`` and ``good`` are blocks without indent.

    ``fix`` are paragraphs like ``why``.
    """

    summary: str
    why: tuple[str, ...]
    bad: str
    good: str
    fix: tuple[str, ...] = ()


def parse(docstring: str) -> Page:
    """The page that ``docstring`` holds.

    Raises ValueError when it is not laid out like one.
    """
    # inspect.cleandoc without inspect, which costs a third of a cold start
    first, _, rest = docstring.partition("\n")
    text, *blocks = _HEADING.split(rest)
    if blocks[::2] not in (["Bad", "Good"], ["Bad", "Good", "Fix"]):
        raise ValueError(f"a page has the blocks 'Bad::', 'Good::' and 'Fix::', this one has {blocks[::2]}")
    paragraphs = _paragraphs(text)
    if not first.strip() or not paragraphs:
        raise ValueError("a page starts with one line that says what is reported, and then says why")
    fix = _paragraphs(blocks[5]) if len(blocks) > 4 else ()
    return Page(first.strip(), paragraphs, _dedented(blocks[1]), _dedented(blocks[3]), fix)


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip())


def _dedented(block: str) -> str:
    lines = block.strip("\n").rstrip().split("\n")
    return "\n".join(line[4:] if line.startswith("    ") else line.strip() for line in lines) + "\n"
