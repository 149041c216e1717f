"""Two versions of a small registry in memory: what a test does not show is supplied."""

from __future__ import annotations

import re
from datetime import date

from babelreg import load
from babelreg.breaking.changes.waivers import BreakingWaivers
from babelreg.breaking.check.run import check
from babelreg.breaking.rules import WAIVABLE
from babelreg.finding import Finding
from babelreg.load.files.tree import Memory
from babelreg.model import Registry

GONE = "(the file is gone)"
HEADING = re.compile(r"^# (before|after|\S+\.yaml(?: before)?)\n", re.MULTILINE)
URN = "urn:babel:orders:created"
PATH = "orders/created.yaml"
TODAY = date(2026, 11, 21)
SUPPLIED = {
    "urn": f"urn: {URN}\n",
    "kind": "kind: event\n",
    "producers": "producers: [orders-api]\n",
    "consumers": "consumers: [billing-worker]\n",
    "data": "data: {type: object}\n",
}

Text = str | None


def message(shown: str) -> str:
    """A message file with the keys that ``shown`` lacks put before it; a tombstone gets its URN alone."""
    keys = ["urn"] if re.search(r"^status: retired", shown, re.MULTILINE) else list(SUPPLIED)
    missing = [SUPPLIED[key] for key in keys if not re.search(rf"^{key}:", shown, re.MULTILINE)]
    return "".join(missing) + shown


def registry(shown: Text, **more: str) -> Registry:
    """A registry with the one message, or without it where ``shown`` is None."""
    files = {
        "babelreg.yaml": "version: 1\n",
        "orders/_context.yaml": "owner: team-orders\n",
        "_services/orders-api.yaml": "owner: team-orders\nlang: php\n",
        "_services/billing-worker.yaml": "owner: team-billing\nlang: go\n",
        **more,
    }
    if shown is not None:
        files[PATH] = message(shown)
    read = load.from_tree(Memory({path: text.encode() for path, text in files.items()}))
    assert not read.defects, read.defects
    return read


def of_texts(before: Text, after: Text, **more: str) -> list[Finding]:
    now = {path: text for path, text in more.items() if not path.endswith(" before")}
    earlier = {**now, **{path.removesuffix(" before"): text for path, text in more.items() if path not in now}}
    new = registry(after, **now)
    return check(registry(before, **earlier), new, waivers=BreakingWaivers.of(new.settings, WAIVABLE, TODAY))


def shown(block: str) -> tuple[tuple[Text, Text], dict[str, str]]:
    """The two versions of a message in the block of a rule's page, and the other files of its registry."""
    _, *parts = HEADING.split(block)
    texts = dict(zip(parts[::2], parts[1::2], strict=True))
    before, after = texts.pop("before"), texts.pop("after")
    return (before, None if after.strip() == GONE else after), texts
