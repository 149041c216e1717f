"""A waiver that hides nothing.

Its finding was fixed or moved, or the rule is off there. If it stays, it hides the same mistake when somebody makes it
again.

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

    Remove it. If the finding still exists, the waiver is in the wrong place: a comment applies to its own line or the
    line right below; a pointer applies to exactly the value that `--format json` names.
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
    def in_scope(path: str) -> bool:
        return scope.wanted(path) and path not in scope.defective

    for waiver in scope.waivers.unused(in_scope):
        text, fix = _text_and_fix(scope, waiver)
        elsewhere = Place(waiver.path) if waiver.at and waiver.path in scope.paths else None
        # A waiver for an unknown place may be misspelt, and is not removed. Comments and TOML cannot be edited.
        surely = fix == "remove it" and waiver.at and waiver.source is scope.registry.settings.source
        edits = (Edit(waiver.source.path, "remove", waiver.at),) if surely and elsewhere else ()
        yield Problem(text, waiver.source, waiver.at, fix=fix, urn=waiver.urn, against=elsewhere, edits=edits)


def _text_and_fix(scope: Scope, waiver: Waiver) -> tuple[str, str]:
    if waiver.urn is not None and waiver.urn not in scope.registry.by_urn:
        suggestion = scope.nearest(waiver.urn, scope.registry.by_urn)
        return f"the message '{waiver.urn}' of this waiver does not exist", _fix(suggestion)
    if waiver.path not in scope.paths:
        return f"the file '{waiver.path}' of this waiver does not exist", _fix(scope.nearest(waiver.path, scope.paths))
    if not scope.waivers.enabled(waiver.rule, waiver.path):
        return f"this waiver hides nothing: '{waiver.rule}' is off here", "remove it"
    if waiver.line is not None:
        location = f"on line {waiver.line}" if waiver.line else "below it"
    else:
        location = "in this file" if waiver.pointer is None else f"at '{waiver.pointer}'"
    return f"this waiver hides nothing: '{waiver.rule}' reports nothing {location}", "remove it"


def _fix(suggestion: str | None) -> str:
    return f"did you mean '{suggestion}'?" if suggestion else "remove it"
