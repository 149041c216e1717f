"""A pattern that can take years to match a short text.

Most engines (Java, .NET, PHP, Node, Python) backtrack. If a repetition is inside another and both match the same
characters, as in `^([a-z]+)*$`, forty letters and one digit are tried in 2^39 ways: one message stops a consumer. The
rule reports only patterns that are certainly exponential.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        slug: {type: string, pattern: "^([a-z0-9]+-?)*$"}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        slug: {type: string, pattern: "^([a-z0-9]+(-[a-z0-9]+)*-?)?$"}

Fix::

    Begin every round of the outer repetition with something that the inner one cannot match, such as the separator:
    `[a-z]+(-[a-z]+)*`. The rewritten pattern matches the same texts, so no new version is needed.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.patterns import patterns
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "standard"

_MOST_STEPS = 50_000  # less than a second, for all patterns together
_GROUP = 40


def check(scope: Scope) -> Iterator[Problem]:
    steps = _MOST_STEPS
    known: dict[str, tuple[int, str] | None] = {}
    for pattern in patterns(scope):
        if ")" not in pattern.text:
            continue
        if pattern.text not in known:
            from babelreg.schema.regex.backtracking import explosion

            result, steps = explosion(pattern.regex, steps)
            known[pattern.text] = result and (result[0].at, result[1])
        loop = known[pattern.text]
        if loop is not None:
            at, char = loop
            start = max(0, at - _GROUP)
            shown = ("…" if start else "") + pattern.text[start : at + 1]
            text = f"'{shown}' is tried in exponentially many ways on a repeated {char!r} that does not match"
            fix = "begin each repetition with a character that the inner one cannot match: a+(-a+)* instead of (a+-?)*"
            yield pattern.problem(text, at, fix)
