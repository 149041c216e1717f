"""Spelling of the version at the end of a URN."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from babelreg.lazy_pattern import LazyPattern
from babelreg.model import Urn

# created-v2, created_version_2, created.v-2, created.ver2, created.2, created.v; and createdv2 beside created
_MARKED = LazyPattern(
    r"(?P<name>.+?)(?:[-_](?:v|ver|version)[-_.]?|\.(?:v|ver|version)[-_.]?)(?P<version>[0-9]{0,3})\Z"
)
_NUMBERED = LazyPattern(r"(?P<name>.+)\.(?P<version>[1-9][0-9]?)\Z")
_GLUED = LazyPattern(r"(?P<name>.+[a-z])v(?P<version>[0-9]{1,2})\Z")
_PROTOCOL = LazyPattern(
    r"(?<![^._-])(?:ip|tls|ssl|http|oauth|api|uuid|pci|dss|smb|nfs|snmp|imap|pop|usb|hdmi|html|css|gpt|ntlm|socks)\Z"
)


def misspelt_version(urn: Urn, declared: AbstractSet[Urn | None]) -> re.Match[str] | None:
    """Return the match of a version that is not spelled ``.vN`` in ``urn``, None without; ``declared`` are all URNs."""
    match = _MARKED.match(urn.name) or _NUMBERED.match(urn.name) or _GLUED.match(urn.name)
    if match is None:
        return None
    if Urn(urn.context, match["name"]) in declared:
        return match
    sure = match.re is not _GLUED.compiled and not _PROTOCOL.search(match["name"])
    return match if sure else None
