"""The page of the catalog with a second script, which loads it again when a server says that it has changed."""

from __future__ import annotations

import re

from babelreg.gen.targets.catalog.page import source_hash

CHANGES_PATH = "changes"
"""The path at which the server sends an event for each change."""
_SCRIPT = f'new EventSource("{CHANGES_PATH}").onmessage = () => location.reload();'
_POLICY = re.compile(r"script-src ('sha256-[^']*');")


def live(page: str) -> str:
    """Return ``page`` with that script, which its policy allows to listen to its own server only."""
    sources = rf"script-src \1 {source_hash(_SCRIPT)}; connect-src 'self';"
    head, end = _POLICY.sub(sources, page, count=1), "</body>"
    before, _, after = head.rpartition(end)
    return f"{before}<script>{_SCRIPT}</script>\n{end}{after}"
