"""HTML report on runs: what was read, what became of it, what was refused and why.

Inputs are the manifests, quarantine and tables of an output folder, and the registry, for owners and for the values
that are personal. The page is the same for the same folder. Neither Spark nor a JVM is needed: Arrow reads the files.

::

    counts     manifests   -> counts that add up          redaction, redacted_message,
    refusals   quarantine  -> groups of similar rows      value_visibility  what a message may show
    samples    quarantine  -> some messages, masked       chart, view, page  layout
    timeline   tables      -> messages by creation time   advice, next_steps  what to do
"""

from __future__ import annotations

from pathlib import Path

from babelreg.lake.report.advice import ReportPaths
from babelreg.model import Registry

__all__ = ["ReportPaths", "html"]


def html(
    output: str | Path, registry: Registry | None = None, batch: int | None = None, where: ReportPaths | None = None
) -> str:
    """Return the report on all batches of ``output``, or on one ``batch``; without ``registry``, all values are masked.

    ``where`` gives the paths for commands to paste. Raises UsageError, InputError.
    """
    from babelreg.lake.report.content import gather
    from babelreg.lake.report.page import page

    paths = where or ReportPaths(str(output), registry.root if registry else None)
    return page(gather(Path(output), registry, batch), paths)
