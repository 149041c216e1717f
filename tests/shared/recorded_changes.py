"""Changes of a small registry, and the messages that were recorded before."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from message_versions import URN, registry

from babelreg.analysis.impact.attribution import known_break
from babelreg.analysis.impact.traffic_impact import TrafficImpact
from babelreg.analysis.sketch.window import Window
from babelreg.breaking.check.run import check
from babelreg.finding import Finding
from babelreg.model import Registry

DAY_MS = 86_400_000


def body(data: Any, *, urn: str = URN, lang: str = "php", queue: str = "orders", created_at: Any = DAY_MS) -> bytes:
    """One message as a broker delivers it."""
    meta = {"id": "m", "queue": queue, "lang": lang, "schema_version": 1, "created_at": created_at}
    return json.dumps({"job": urn, "trace_id": "t", "data": data, "meta": meta, "attempts": 0}).encode()


def data_text(schema: Any) -> str:
    """The key of a message file that holds ``schema``."""
    return f"data: {json.dumps(schema)}\n"


def impact_of(
    before: Registry, after: Registry, bodies: Iterable[bytes], window: Window | None = None
) -> tuple[TrafficImpact, list[Finding]]:
    """The impact of the change on messages, and the findings by their numbers."""
    findings = check(before, after)
    impact = TrafficImpact(before, after, [known_break(finding) for finding in findings], window)
    impact.add(bodies)
    return impact, findings


def impact_of_schemas(
    before: Any, after: Any, samples: Iterable[Any], **more: str
) -> tuple[TrafficImpact, list[Finding]]:
    """The impact of a changed schema on messages with the data of ``samples``.

    ``more`` are other files by their paths; those whose path ends in `` before`` are of the published registry.
    """
    now = {path: text for path, text in more.items() if not path.endswith(" before")}
    earlier = {path.removesuffix(" before"): text for path, text in more.items() if path not in now}
    published = registry(data_text(before), **{**now, **earlier})
    return impact_of(published, registry(data_text(after), **now), map(body, samples))
