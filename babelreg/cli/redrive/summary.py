"""Summary of a redrive, as text of at most 80 columns beside the names of URNs, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from babelreg.plural import counted
from babelreg.report import printable

if TYPE_CHECKING:
    from babelreg.recording.redrive.redrive import Redriven


def as_json(source: str, result: Redriven, *, dry_run: bool) -> str:
    """Return the summary as one JSON object."""
    document = {
        "from": source,
        "dry_run": dry_run,
        "sent": result.sent.total(),
        "staying": result.staying.total(),
        "repeated": result.repeated,
        "not_selected": result.not_selected,
        "messages": [{"urn": urn, "to": target, "count": count} for (target, urn), count in result.sent.most_common()],
        "reasons": [
            {"reason": reason, "urn": urn, "count": count} for (reason, urn), count in result.staying.most_common()
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


def as_lines(source: str, result: Redriven, *, dry_run: bool) -> Iterator[str]:
    """Yield the lines of the summary. Numbers come first, so that columns stay aligned."""
    for line in _lines(source, result, dry_run):
        yield printable(line)


def _lines(source: str, result: Redriven, dry_run: bool) -> Iterator[str]:
    sent, staying = result.sent.total(), result.staying.total()
    verb = "would send" if dry_run else "sent"
    yield f"{source}: {verb} {_dead_letters(sent)}"
    for (target, urn), count in result.sent.most_common():
        yield f"  {count:>8,}  to {target}: {urn}"
    if result.repeated:
        verb = "would be removed" if dry_run else "removed"
        yield f"  {result.repeated:>8,}  {verb}: repeats of those"
    if staying:
        verb = "would stay" if dry_run else "stay" if staying > 1 else "stays"
        yield f"{_dead_letters(staying)} {verb}"
        for (reason, about), count in result.staying.most_common():
            yield f"  {count:>8,}  {reason}{f': {about}' if about else ''}"
    if result.not_selected:
        yield f"{_dead_letters(result.not_selected)} not selected"


def _dead_letters(count: int) -> str:
    return counted(count, "dead letter") if count else "no dead letter"
