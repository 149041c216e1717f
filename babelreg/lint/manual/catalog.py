"""Catalog of the ids that a finding of lint can have, with severity and manual page: rules, then defects of ``load``.

The page of a rule is its docstring. The layout is fixed, and a test checks every rule::

    One line on what the rule reports.

    Why it matters, in as many paragraphs as it takes.

    Bad::

        a file of a registry

    Good::

        the same file, corrected

    Fix::

        what to do about it, in words

A block shows ``orders/created.yaml``, or the file its ``urn`` names; a line ``# file: PATH`` starts another file, and
``# no file: PATH`` says that one is missing. Keys and files that do not matter are left out; the tests add
them and run both blocks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from babelreg.finding import Severity
from babelreg.lint.defects import PAGES
from babelreg.lint.rule import family_of
from babelreg.lint.rules import RULES

_HEADING = re.compile(r"^(Bad|Good|Fix)::$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RulePage:
    """Manual page: ``summary`` is one line; ``why`` are paragraphs, unwrapped; ``bad`` and ``good`` blocks, dedented.

    ``fix`` are paragraphs like ``why``.
    """

    summary: str
    why: tuple[str, ...]
    bad: str
    good: str
    fix: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleEntry:
    """One rule or defect in the manual. ``severity`` is the default, before any setting.

    ``family`` and ``profile`` are None for defects, which no setting changes.
    """

    rule: str
    severity: Severity
    docstring: str
    family: str | None = None
    profile: str | None = None

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.docstring.partition("\n")[0]

    @property
    def page(self) -> RulePage:
        """The parsed page."""
        return parse_page(self.docstring)


def parse_page(docstring: str) -> RulePage:
    """Return the page in ``docstring``.

    Raises ValueError when its layout is not that of a page.
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
    return RulePage(first.strip(), paragraphs, _dedented(blocks[1]), _dedented(blocks[3]), fix)


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip())


def _dedented(block: str) -> str:
    lines = block.strip("\n").rstrip().split("\n")
    return "\n".join(line[4:] if line.startswith("    ") else line.strip() for line in lines) + "\n"


ENTRIES: dict[str, RuleEntry] = {
    **{rule: RuleEntry(rule, m.severity, m.__doc__ or "", family_of(m), m.profile) for rule, m in RULES.items()},
    **{rule: RuleEntry(rule, Severity.ERROR, docstring) for rule, docstring in PAGES.items()},
}
