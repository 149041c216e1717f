"""A version at the end of a URN that is not spelled .vN.

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

import re
from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lazy_pattern import LazyPattern
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.model import Urn

severity = Severity.ERROR
profile = "minimal"

# created-v2, created_version_2, created.v-2, created.ver2, created.2, created.v; and createdv2 beside created
_MARKED = LazyPattern(
    r"(?P<name>.+?)(?:[-_](?:v|ver|version)[-_.]?|\.(?:v|ver|version)[-_.]?)(?P<version>[0-9]{0,3})\Z"
)
_NUMBERED = LazyPattern(r"(?P<name>.+)\.(?P<version>[1-9][0-9]?)\Z")
_GLUED = LazyPattern(r"(?P<name>.+[a-z])v(?P<version>[0-9]{1,2})\Z")
_PROTOCOL = LazyPattern(
    r"(?<![^._-])(?:ip|tls|ssl|http|oauth|api|uuid|pci|dss|smb|nfs|snmp|imap|pop|usb|hdmi|html|css|gpt|ntlm|socks)\Z"
)


def check(scope: Scope) -> Iterator[Problem]:
    declared = {message.parsed for message in scope.registry.messages}
    for message in scope.messages:
        urn = message.parsed
        if urn is None:
            continue
        match = misspelt(urn, declared)
        if match is not None:
            version = int(match["version"] or 0)
            suggestion = Urn(urn.context, match["name"], max(version, 1))
            text = f"'{message.urn}' ends with a version that is not spelled .vN"
            at = message.urn.rfind(urn.name) + match.end("name")
            yield Problem(text, message.source, ("urn",), offset=at, fix=f"urn: {suggestion}", urn=message.urn)


def misspelt(urn: Urn, declared: set[Urn | None]) -> re.Match[str] | None:
    """Return the match of a version that is not spelled ``.vN`` in ``urn``, None without; ``declared`` are all URNs."""
    match = _MARKED.match(urn.name) or _NUMBERED.match(urn.name) or _GLUED.match(urn.name)
    if match is None:
        return None
    if Urn(urn.context, match["name"]) in declared:
        return match
    sure = match.re is not _GLUED.compiled and not _PROTOCOL.search(match["name"])
    return match if sure else None
