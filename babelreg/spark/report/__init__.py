"""The report of runs: what was read, what became of it, who was refused and why, as one HTML file to mail around.

Manifests, quarantine and tables of an output folder go in, and the registry for who owns what and which values are
personal; out comes a page that is the same for the same folder. Nothing needs Spark or a JVM: files are read by Arrow.

::

    ledger     manifests        -> counts that add up            shape, places, masking   what may be shown of a message
    refusals   quarantine       -> groups of what is alike       chart, view, page        how it looks
    samples    quarantine       -> a few messages, masked        advice                   what to do next
    timeline   tables           -> when messages were made
"""

from __future__ import annotations

from pathlib import Path

from babelreg.model import Registry
from babelreg.spark.report.advice import Where

__all__ = ["Where", "html"]


def html(
    output: str | Path, registry: Registry | None = None, batch: int | None = None, where: Where | None = None
) -> str:
    """The report on ``output``, on all batches or on number ``batch``; without ``registry`` every value is masked.

    ``where`` is how the lines to paste name the folders. Raises UsageError, InputError.
    """
    from babelreg.spark.report.content import gather
    from babelreg.spark.report.page import page

    return page(gather(Path(output), registry, batch), where or Where(str(output), registry.root if registry else None))
