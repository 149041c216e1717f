"""A registry in which most messages are drafts.

A draft may change in any way: `breaking` does not compare it, so CI passes whatever the edit. Drafts are for messages
that nobody relies on yet. If most messages are drafts, they are usually in use, and only their status was never set.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    status: draft
    # file: orders/paid.yaml
    urn: urn:babel:orders:paid
    status: draft

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    status: active
    # file: orders/paid.yaml
    urn: urn:babel:orders:paid
    status: draft

Fix::

    Set `status: active` in the files of all messages that a service sends or reads. `babelreg list --status draft`
    lists the drafts.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.plural import counted

severity = Severity.WARNING
profile = "standard"


def check(scope: Scope) -> Iterator[Problem]:
    messages = [message for message in scope.registry.messages if message.status != "retired"]
    drafts = [message for message in messages if message.status == "draft"]
    if 2 * len(drafts) > len(messages):
        number = f"{len(drafts)} of {counted(len(messages), 'message')}"
        state = "is a draft" if len(drafts) == 1 else "are drafts"
        fix = "set status: active in the files of messages that services use; `babelreg list --status draft` lists them"
        source = scope.registry.settings.source or drafts[0].source
        yield Problem(f"{number} {state}, which `breaking` does not compare", source, fix=fix)
