"""Two names in one context that differ only in their separators.

`payment.captured`, `payment-captured` and `payment_captured` are three URNs and, to everyone who hears them
spoken, one message. Half of the consumers will subscribe to the wrong one.

Bad::

    # file: billing/payment.captured.yaml
    urn: urn:babel:billing:payment.captured
    # file: billing/payment-captured.yaml
    urn: urn:babel:billing:payment-captured

Good::

    # file: billing/payment.captured.yaml
    urn: urn:babel:billing:payment.captured
    # file: billing/payment.captured.v2.yaml
    urn: urn:babel:billing:payment.captured.v2
    supersedes: urn:babel:billing:payment.captured

Fix::

    Keep the one that is used and retire the other. If they do mean two things, give one a name that says which.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model import Message

severity = Severity.ERROR
profile = "standard"

_SEPARATORS = str.maketrans("", "", "._-")


def check(scope: Scope) -> Iterator[Problem]:
    first: dict[tuple[str, str], Message] = {}
    reported: set[tuple[str, str]] = set()
    for message in scope.registry.messages:
        urn = message.parsed
        if urn is None:
            continue
        other = first.setdefault((urn.context, urn.name.translate(_SEPARATORS)), message)
        if other.parsed is None or other.parsed.name == urn.name or (urn.context, urn.name) in reported:
            continue
        reported.add((urn.context, urn.name))
        text = f"'{urn.name}' and '{other.parsed.name}' differ only in their separators"
        fix = f"if they are the same, keep one of {other.source.path} and {message.source.path}; if not, rename one"
        there = other.source.place(("urn",))
        yield Problem(text, message.source, ("urn",), fix=fix, urn=message.urn, against=there)
