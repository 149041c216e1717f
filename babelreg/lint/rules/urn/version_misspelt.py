"""A version suffix that is not spelled .vN.

`created-v2`, `created_v2` and `created.2` are names of their own to every tool: nobody sees that they follow
`created`, so the new version is compared with nothing and consumers never learn that it exists. The second
version is spelled `created.v2`. A protocol that has its version in its name (`ip-v6`, `oauth-2`) is not reported.

Bad::

    urn: urn:babel:orders:created-v2

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: orders/created.v2.yaml
    urn: urn:babel:orders:created.v2
    supersedes: urn:babel:orders:created

Fix::

    Before it is published, rename it to `.vN`. Afterwards declare `.vN` as a new message that supersedes it, and
    deprecate this one.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.naming.version_spelling import misspelt_version
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model import Urn

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    declared = {message.parsed for message in scope.registry.messages}
    for message in scope.messages:
        urn = message.parsed
        if urn is None:
            continue
        match = misspelt_version(urn, declared)
        if match is not None:
            version = int(match["version"] or 0)
            suggestion = Urn(urn.context, match["name"], max(version, 1))
            text = f"'{message.urn}' ends with a version that is not spelled .vN"
            at = message.urn.rfind(urn.name) + match.end("name")
            yield Problem(text, message.source, ("urn",), offset=at, fix=f"urn: {suggestion}", urn=message.urn)
