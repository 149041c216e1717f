"""A service that neither produces nor consumes any message.

Either the service is gone and its file is misleading, or its messages are not declared and nobody warns it of changes.

Bad::

    # file: _services/archive.yaml
    owner: team-data
    # file: orders/created.yaml
    urn: urn:babel:orders:created
    consumers: [billing-worker, storefront]

Good::

    # file: _services/archive.yaml
    owner: team-data
    consumes:
      - urn: urn:babel:orders:created
    # file: orders/created.yaml
    urn: urn:babel:orders:created
    consumers: [billing-worker, storefront]

Fix::

    Add what it consumes to its file, or the service to the `producers` of what it sends. If it is gone, remove
    the file.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.INFO
profile = "strict"


def check(scope: Scope) -> Iterator[Problem]:
    if any("/" in path for path in scope.defective):
        return  # a file that could not be read may name it
    busy = {name for message in scope.registry.messages for name in (*message.producers, *message.declared_consumers)}
    for service in scope.services:
        if not service.consumes and service.name not in busy:
            text = f"the service '{service.name}' neither produces nor consumes any message"
            fix = f"add what it uses, or remove it: git rm {shlex.quote(scope.path_to_paste(service.source.path))}"
            yield Problem(text, service.source, fix=fix)
