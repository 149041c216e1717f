"""Choice of the schemas that can be translated: without faults, and such that a validator takes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from babelreg.errors import SchemaError
from babelreg.exchange.findings import import_finding
from babelreg.exchange.message_sources import ImportSources, SourceMessage
from babelreg.exchange.schemas.assembly import RefusedRoot, assemble, sound_roots
from babelreg.exchange.schemas.identifiers import Target
from babelreg.exchange.schemas.reports import place_of
from babelreg.exchange.schemas.units import UnitGraph, translate
from babelreg.finding import Finding
from babelreg.schema.dialects import DEFAULT


class Importable:
    """The units of ``planned``, those of their ``roots`` that can be imported, and ``findings`` about the others.

    ``objects``: only a root that may be an object can. ``done`` is what is not done with the others.
    """

    def __init__(
        self,
        sources: ImportSources,
        planned: Sequence[SourceMessage],
        *,
        objects: bool = True,
        done: str = "imported",
    ) -> None:
        targets = list(dict.fromkeys(message.target for message in planned))
        self.graph = translate(sources.index, sources.resolved, targets)
        self.findings: list[Finding] = []
        sound, refused = sound_roots(self.graph, targets, objects=objects)
        reasons = {root: _refusal(self.graph, root) for root in sound}
        self.roots = [root for root in sound if reasons[root] is None]
        refused |= {root: [RefusedRoot(root, reason)] for root, reason in reasons.items() if reason is not None}
        for root, faults in refused.items():
            others = f" ({len(faults) - 1} more like this)" if len(faults) > 1 else ""
            messages = [message for message in sources.messages if message.target == root]
            self.findings += refusals(sources, messages, faults[0].place, faults[0].reason + others, done)


def refusals(
    sources: ImportSources, messages: Sequence[SourceMessage], place: Target, reason: str, done: str = "imported"
) -> Iterator[Finding]:
    """Yield a finding for each of ``messages``, which are not imported."""
    index = sources.index
    for source in messages:
        document = index.files[source.target[0]].document
        folder = document.shown.removesuffix(document.path)
        message = f"{folder}{source.key} is not {done}: {reason}"
        yield import_finding("import-schema-refused", message, place_of(index, place), pointer=place[1])


def _refusal(graph: UnitGraph, root: Target) -> str | None:
    """Return why no validator takes a root; None where one does."""
    try:
        DEFAULT.validator_for(assemble(graph, [root], {}).data[root])
    except SchemaError as err:
        return err.message
    except RecursionError:
        return "it is nested too deeply"
    return None
