"""A setting for a rule that does not exist or cannot be switched off.

A misspelt rule id in `babelreg.yaml` switches nothing off. And what makes a file unreadable stays an error,
since every other finding depends on the file.

Bad::

    # file: babelreg.yaml
    version: 1
    lint:
      rules:
        event-not-past: off

Good::

    # file: babelreg.yaml
    version: 1
    lint:
      rules:
        event-not-past-tense: off

Fix::

    Correct the id; `babelreg rules` lists them all. For a defect of a file, remove the line and correct the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.defects import PAGES
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.schema.pointer import Pointer

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    settings = scope.registry.settings
    source = settings.lint_source
    if source is None:
        return
    named: list[tuple[Pointer, Mapping[str, Any]]] = [(("lint",), settings.lint)]
    named += [(("lint", "paths", i), entry) for i, entry in enumerate(settings.lint.get("paths", ()))]
    for within, entry in named:
        for rule in entry.get("rules", {}):
            at = (*within, "rules", rule)
            if rule in PAGES:
                text = f"'{rule}' is a defect of a file, whose severity cannot be set"
                yield Problem(text, source, at, key=True, fix="remove this line")
            elif rule not in scope.rule_ids:
                suggestion = scope.nearest(rule, scope.rule_ids)
                fix = "remove this line; `babelreg rules` lists the rules"
                if suggestion:
                    fix = f"did you mean '{suggestion}'?"
                yield Problem(f"there is no rule '{rule}'", source, at, key=True, fix=fix)
