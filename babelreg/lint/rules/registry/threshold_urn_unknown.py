"""A threshold for a URN that is not in the registry.

No message is ever counted under that URN, so the threshold has no effect. Usually the URN is misspelt.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: babelreg.yaml
    version: 1
    spark:
      fail_above: {urn:babel:order:created: 1%}

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    # file: babelreg.yaml
    version: 1
    spark:
      fail_above: {urn:babel:orders:created: 1%}

Fix::

    Correct the URN, or remove the entry.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    settings = scope.registry.settings
    if settings.source is None:
        return
    for name, thresholds in (("fail_above", settings.spark.fail_above), ("hold_above", settings.spark.hold_above)):
        for urn in thresholds.urns:
            if urn in scope.registry.by_urn or scope.unreadable(urn):
                continue
            suggestion = scope.nearest(urn, scope.registry.by_urn)
            fix = f"did you mean '{suggestion}'?" if suggestion else "remove the entry, or declare the message"
            text = f"spark.{name} limits '{urn}', which is not in the registry"
            yield Problem(text, settings.source, ("spark", name, urn), key=True, fix=fix)
