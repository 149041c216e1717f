"""What the registry and the tables of an output folder must agree on before a batch may be added."""

from __future__ import annotations

from collections.abc import Sequence

from babelreg.errors import RegistryError, UsageError
from babelreg.model import Registry, Urn, UrnError
from babelreg.spark import tables
from babelreg.spark.judge import Judge
from babelreg.spark.manifest import Batch

__all__ = ["check", "judge_of"]


def judge_of(registry: Registry, *, digests: bool) -> Judge:
    """The judge for all messages of ``registry``. Raises RegistryError, UsageError for a registry that cannot be used.

    ``digests`` says whether duplicates will be looked for.
    """
    if registry.defects:
        raise RegistryError("the registry has defects", registry.defects, fix="mend them; `babelreg lint` shows all")
    if not registry.schemas:
        raise UsageError(
            f"the registry {registry.root} declares no message with a schema", fix="name the right --registry"
        )
    for urn in registry.schemas:
        try:
            Urn.parse(urn)
        except UrnError as err:
            place = registry.by_urn[urn].source.place(("urn",))
            raise UsageError(f"no table can be named for this URN: {err}", place=place, fix="babelreg lint") from err
    messages = (registry.by_urn[urn] for urn in registry.schemas)
    strict = [one.urn for one in messages if registry.compatibility(one.context).reader == "strict"]
    return Judge.of(registry.schemas, strict, digests=digests)


def check(registry: Registry, judge: Judge, batches: Sequence[Batch], keep_duplicates: bool) -> None:
    """Raises UsageError, InputError when the tables that are there were made in another way."""
    # No URN ever leaves a registry: a retired message stays as a tombstone.
    gone = sorted({urn for batch in batches for urn in batch.tables} - set(registry.by_urn))
    if gone:
        raise UsageError(
            f"the output has a table of {gone[0]}, which the registry {registry.root} does not know: "
            "it was written with another registry",
            fix="name that registry with --registry, or a new output folder",
        )
    if batches and batches[0].keeps_duplicates != keep_duplicates:
        how = "with" if batches[0].keeps_duplicates else "without"
        raise UsageError(
            f"the output was written {how} --keep-duplicates so far", fix="do the same, or name a new output folder"
        )
    wanted = {urn: tables.types(columns) for urn, columns in zip(judge.schemas, judge.columns, strict=True)}
    tables.check_types(batches, wanted)
