"""A service without an owner.

`breaking` names the teams that a change breaks, and the documentation whom to ask. For a service without an owner, both
can only name the service.

Bad::

    # file: _services/billing-worker.yaml
    lang: go

Good::

    # file: _services/billing-worker.yaml
    owner: team-billing
    lang: go

Fix::

    Add `owner:` to the service's file. A service that nobody owns any more belongs to whoever operates it.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "standard"


def check(scope: Scope) -> Iterator[Problem]:
    for service in scope.services:
        if service.owner is None and service.source.path not in scope.defective:
            text = f"the service '{service.name}' has no owner"
            yield Problem(text, service.source, fix="owner: team-NAME")
