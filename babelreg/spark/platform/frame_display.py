"""A validated frame in a notebook: its columns and how to go on. No job runs, and no value of a message is shown."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from babelreg.model import Registry

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_LONGEST_TYPE = 120


def shown(frame: DataFrame, registry: Registry, position: Sequence[str]) -> DataFrame:
    """Return ``frame``, which shows itself in notebooks. Frames made of it show themselves as Spark's do."""
    display: Any = frame
    display._repr_html_ = lambda: _page(frame, registry, position)
    return frame


def _page(frame: DataFrame, registry: Registry, position: Sequence[str]) -> str:
    kind = "stream" if frame.isStreaming else "batch"
    urns = len(registry.schemas)
    rows = "".join(
        f"<tr><td><code>{escape(field.name)}</code></td><td><code>{escape(_short(field.dataType.simpleString()))}</code>"
        f"</td><td>{'position' if field.name in position else ''}</td></tr>"
        for field in frame.schema.fields
    )
    example = next(iter(registry.schemas))
    lines = [f'typed(validated, "{example}", registry)', "quarantine(validated)"]
    if not frame.isStreaming:
        lines.append('validated.groupBy("urn", "reason").count()')
    steps = escape("\n".join(lines))
    return (
        f"<div><strong>Validated messages</strong> ({kind}; {urns} URNs of the registry {escape(str(registry.root))})"
        f"<table><thead><tr><th>column</th><th>type</th><th></th></tr></thead><tbody>{rows}</tbody></table>"
        f"<p>Nothing was read yet. Go on with:</p><pre>{steps}</pre></div>"
    )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_TYPE else f"{text[: _LONGEST_TYPE - 1]}…"
