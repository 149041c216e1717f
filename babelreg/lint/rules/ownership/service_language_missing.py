"""A service without a language.

What is safe to send depends on who reads it: Node loses digits of large integers, and each SDK checks different
keywords of a schema. Rules that depend on the language skip a service that does not name it.

Bad::

    # file: _services/billing-worker.yaml
    owner: team-billing

Good::

    # file: _services/billing-worker.yaml
    owner: team-billing
    lang: go

Fix::

    Set `lang:` to the language of the code that sends or receives. If it is not one of the languages in the list, waive
    the finding.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model.service import LANGUAGES

severity = Severity.WARNING
profile = "strict"


def check(scope: Scope) -> Iterator[Problem]:
    for service in scope.services:
        if service.lang is None and service.source.path not in scope.defective:
            text = f"the service '{service.name}' does not declare its language"
            yield Problem(text, service.source, fix=f"lang: {' | '.join(LANGUAGES)}")
