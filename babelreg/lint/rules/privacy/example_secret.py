"""An example with a token, a private key or a password in an address.

Everyone can read a registry and the documentation, catalog and packages made from it. A key in an example works for all
of them until it is revoked. The rule reports keys and tokens in the forms that their issuers document (AWS, Stripe,
GitHub, Slack, Google and thirty others), JSON Web Tokens, private keys, and addresses with a password
(`postgres://shop:...@db`). Placeholders (`sk_live_xxxx`, `<token>`, keys with `EXAMPLE` in them) are fine.

Bad::

    urn: urn:babel:builds:started
    data:
      type: object
      properties:
        credentials: {type: string}
    examples:
      - {credentials: ghp_0123456789abcdefghijABCDEFGHIJ012345}

Good::

    urn: urn:babel:builds:started
    data:
      type: object
      properties:
        credentials: {type: string}
    examples:
      - {credentials: "<token>"}

Fix::

    Write a placeholder such as `<token>`. Revoke a real one at once: the history of the repository still has it.
    Better, do not send secrets in messages: brokers and tables keep them for a long time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.privacy.example_values import detections
from babelreg.lint.privacy.secret_values import token
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.ERROR
profile = "standard"

_SHORTEST = 13
"""Characters of a token, at least."""


def check(scope: Scope) -> Iterator[Problem]:
    for each in detections(scope, _is_suspect, lambda text, named: token(text)):
        text = f"the example has what looks like a real {each.what.what}, {each.what.shown}"
        yield Problem(text, each.source, each.pointer, fix='write a placeholder: "<token>"', urn=each.urn)


def _is_suspect(name: str, value: Any) -> bool:
    return type(value) is str and len(value) >= _SHORTEST
