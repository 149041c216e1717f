"""A message file whose path does not match its URN.

`urn:babel:orders:invoice.requested` is declared in `orders/invoice.requested.yaml`, so that a URN leads to its file at
once, and two messages cannot claim the same URN unnoticed.

Bad::

    # file: orders/new-order.yaml
    urn: urn:babel:orders:created

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created

Fix::

    Move the file with `git mv`, as the finding shows; `babelreg lint --fix` edits files but does not move them. If the
    path is right and the URN is wrong, change the URN, unless it was already sent.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        path = message.source.path
        if message.parsed is not None and message.parsed.path != path:
            text = f"'{message.urn}' belongs in {message.parsed.path}, not in {path}"
            move = shlex.join(["git", "mv", scope.path_to_paste(path), scope.path_to_paste(message.parsed.path)])
            fix = f"{move}, or change the urn"
            yield Problem(text, message.source, ("urn",), fix=fix, urn=message.urn)
