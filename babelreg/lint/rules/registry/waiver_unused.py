"""A waiver that hides nothing.

What it waived was fixed, or has moved, or the rule is off there. Left behind, it would hide the same mistake when
somebody makes it again.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        # babelreg: allow money-as-float -- the tax office's own field, sent on as it came
        total: {type: integer}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        total: {type: integer}

Fix::

    Remove it. If the finding is still there, the waiver is in another place: a comment is for its own line, or the line
    right below it; a pointer is for exactly the value that `--format json` names.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Place, Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model import Edit, Waiver

severity = Severity.WARNING
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    """See Rule."""

    def judged(path: str) -> bool:
        return scope.wanted(path) and path not in scope.defective

    for waiver in scope.waivers.unused(judged):
        text, fix = _said(scope, waiver)
        elsewhere = Place(waiver.path) if waiver.at and waiver.path in scope.paths else None
        # Where it is for what is not there, it may be misspelt: nobody's reason is to be thrown away for that. Nor can
        # comments and TOML be mended.
        surely = fix == "remove it" and waiver.at and waiver.source is scope.registry.settings.source
        edits = (Edit(waiver.source.path, "remove", waiver.at),) if surely and elsewhere else ()
        yield Problem(text, waiver.source, waiver.at, fix=fix, urn=waiver.urn, against=elsewhere, edits=edits)


def _said(scope: Scope, waiver: Waiver) -> tuple[str, str]:
    if waiver.urn is not None and waiver.urn not in scope.registry.by_urn:
        meant = scope.nearest(waiver.urn, scope.registry.by_urn)
        return f"there is no message '{waiver.urn}' to waive findings of", _way_out(meant)
    if waiver.path not in scope.paths:
        return f"there is no file '{waiver.path}' to waive findings in", _way_out(
            scope.nearest(waiver.path, scope.paths)
        )
    if not scope.waivers.in_force(waiver.rule, waiver.path):
        return f"this waiver hides nothing: '{waiver.rule}' is off here", "remove it"
    if waiver.line is not None:
        where = f"on line {waiver.line}" if waiver.line else "below it"
    else:
        where = "in this file" if waiver.pointer is None else f"at '{waiver.pointer}'"
    return f"this waiver hides nothing: '{waiver.rule}' reports nothing {where}", "remove it"


def _way_out(meant: str | None) -> str:
    return f"did you mean '{meant}'?" if meant else "remove it"
