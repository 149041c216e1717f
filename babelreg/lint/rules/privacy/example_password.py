"""An example with a password, or with a key in a field named like one.

Passwords have no typical form, so the rule uses names: `password`, `passphrase`, `client_secret`, `api_key`,
`access_token`, `cvv` and the like, and `password=` within a text. A `token` or a `secret` counts only where the value
looks random. Placeholders (`***`, `changeme`, `<password>`) are not reported. Even an invented password teaches readers
to send one.

Bad::

    urn: urn:babel:accounts:opened
    data:
      type: object
      properties:
        password: {type: string}
    examples:
      - {password: hunter2!}

Good::

    urn: urn:babel:accounts:opened
    data:
      type: object
      properties:
        password: {type: string}
    examples:
      - {password: "***"}

Fix::

    Write `"***"`, where the schema allows it, or another placeholder. If the password was a real one, change it: the
    history of the repository still has it. Better, do not send passwords: messages are stored in queues, logs and
    tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.privacy.example_values import detections
from babelreg.lint.privacy.secret_values import password
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "strict"

_SHORTEST = 4


def check(scope: Scope) -> Iterator[Problem]:
    for each in detections(scope, _is_suspect, password):
        text = f"the example has a {each.what.what} that is not a placeholder"
        yield Problem(text, each.source, each.pointer, fix='write a placeholder: "***"', urn=each.urn)


def _is_suspect(name: str, value: Any) -> bool:
    return type(value) is str and len(value) >= _SHORTEST
