"""Findings as Markdown: for a job summary on GitHub, or a comment on a pull or merge request.

Whom a finding hurts is folded away below one line; the way out stands open.

What stands in files is text, whatever it looks like: markup, HTML, mentions (``@team``), references (``#1``), emoji
(``:key:``) and links are made harmless. What a message has between backticks is code. A document never has more than
65,000 characters, for GitHub takes no comment beyond 65,536; then its last line says what was left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from babelreg.finding import Finding
from babelreg.report.about import PLAIN, About
from babelreg.report.details import details
from babelreg.report.printable import printable
from babelreg.report.summary import summary

__all__ = ["MOST", "render"]

MOST = 65_000
_LONGEST = 1_000
_MOST_NAMED = 4

# As numbers, these are never markup in any dialect: they open no tag and no link, and a pipe ends no cell.
_CODE = {ord(character): f"&#{ord(character)};" for character in "&<>|`\\*[]~!$^@"}
# GitHub reads mentions and references in what is rendered; a space of no width behind the sign keeps it from that.
_TEXT = {**_CODE, ord("@"): "@&#8203;", ord("#"): "#&#8203;"}
_UNDERSCORE = re.compile(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_LINK = re.compile(r":(?=//)|(?<=www)\.", re.IGNORECASE)
# `urn:babel:key:sent` has an emoji in it, except in code.
_EMOJI = re.compile(r":[\w+-]+:")


def render(findings: Sequence[Finding], *, colour: bool = False, about: About = PLAIN) -> str:
    """See ``report.Style``."""
    head = f"### {about.command}: {summary(findings, checked=about.checked)}\n"
    if about.notes:
        # Behind a tag, no note begins a list or a heading.
        head += f"\n<sub>{'; '.join(map(_text, about.notes))}</sub>\n"
    if not findings:
        return head
    head += "\n| Where | What |\n| --- | --- |\n"
    rows: list[str] = []
    room = MOST - len(head) - len(_left_out(len(findings)))
    for finding in findings:
        row = f"| {_text(str(finding.place))} | {_said(finding)} |\n"
        room -= len(row)
        if room < 0:
            return head + "".join(rows) + _left_out(len(findings) - len(rows))
        rows.append(row)
    return head + "".join(rows)


def _left_out(number: int) -> str:
    return f"\n{number:,} more {'is' if number == 1 else 'are'} left out here; `--format text` prints them all.\n"


def _said(finding: Finding) -> str:
    """The cell: what is wrong and the way out; of more than a line on whom it hurts, the sum, to be opened."""
    first = f"**{finding.severity.value}** {_text(finding.message)} {_code(finding.rule)}"
    every = [(what, f"{what}: {_text(line)}") for what, line in details(finding)]
    fix, more = ([line for what, line in every if (what == "fix") is is_fix] for is_fix in (True, False))
    if not (finding.hurts or finding.messages):
        return "<br>".join([first, *more, *fix])
    return f"{'<br>'.join([first, *fix])}<details><summary>{_hurt(finding)}</summary>{'<br>'.join(more)}</details>"


def _hurt(finding: Finding) -> str:
    """``breaks 5 messages; hurts billing-worker, lake and 2 more``."""
    # Where no document shows the break, who reads other fields is named among those hurt, and is not.
    spared = finding.direction is None
    every = [hurt.service for hurt in finding.hurts if hurt.service and not (spared and hurt.reads == ())]
    services = list(dict.fromkeys(every))
    more = f" and {len(services) - _MOST_NAMED} more" if len(services) > _MOST_NAMED else ""
    messages = f"breaks {len(finding.messages):,} message{'' if len(finding.messages) == 1 else 's'}"
    hurts = f"hurts {', '.join(map(_text, services[:_MOST_NAMED]))}{more}"
    return "; ".join([messages] * bool(finding.messages) + [hurts] * bool(services)) or "whom it breaks"


def _text(text: str) -> str:
    """``text`` as words in a cell; what stands between two backticks becomes code."""
    clean = printable(text)
    if len(clean) > _LONGEST:
        clean = f"{clean[:_LONGEST]}…"
    parts = clean.split("`")
    if len(parts) % 2 == 0:  # one is alone
        return _words(clean)
    return "".join(_code(part) if at % 2 else _words(part) for at, part in enumerate(parts))


def _words(text: str) -> str:
    return " ".join(_code(word) if _EMOJI.search(word) else _escaped(word, _TEXT) for word in text.split(" "))


def _code(text: str) -> str:
    return f"<code>{_escaped(text, _CODE)}</code>" if text else ""


def _escaped(text: str, table: dict[int, str]) -> str:
    # In this order: what the last two write is no longer for the table.
    without = _LINK.sub(lambda match: "\0" if match[0] == ":" else "\1", text)
    escaped = _UNDERSCORE.sub("&#95;", without.translate(table))
    return escaped.replace("\0", "&#58;").replace("\1", "&#46;")
