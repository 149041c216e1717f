"""What the registry and the tables of an output folder must agree on before a batch may be added."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from babelreg.errors import InputError, RegistryError, UsageError
from babelreg.model import Registry, Urn, UrnError
from babelreg.spark.arrow.table_schema import types
from babelreg.spark.lake.log.replay import History
from babelreg.spark.tasks.validation_spec import ValidationSpec

__all__ = ["check", "spec_of"]


def spec_of(registry: Registry, *, digests: bool) -> ValidationSpec:
    """The spec for all messages of ``registry``. Raises RegistryError, UsageError for a registry that cannot be used;
    the former names all messages whose schemas cannot.

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
    spec = ValidationSpec.of(registry.schemas, strict, digests=digests)
    if spec.unusable:
        from babelreg.lint.schema.unusable_schema import unusable_schemas

        raise unusable_schemas(registry, spec.unusable, "nothing was done")
    return spec


def check(registry: Registry, spec: ValidationSpec, so_far: History, keep_duplicates: bool) -> None:
    """Raises UsageError, InputError when the tables that are there were made in another way."""
    # No URN ever leaves a registry: a retired message stays as a tombstone.
    gone = sorted(so_far.tables.keys() - registry.by_urn.keys())
    if gone:
        raise UsageError(
            f"the output has a table of {gone[0]}, which the registry {registry.root} does not know: "
            "it was written with another registry",
            fix="name that registry with --registry, or a new output folder",
        )
    if so_far.number and so_far.keeps_duplicates != keep_duplicates:
        how = "with" if so_far.keeps_duplicates else "without"
        raise UsageError(
            f"the output was written {how} --keep-duplicates so far", fix="do the same, or name a new output folder"
        )
    wanted = {urn: types(columns) for urn, columns in zip(spec.schemas, spec.columns, strict=True)}
    _check_types(so_far.types, wanted)


def _check_types(there: Mapping[str, Mapping[str, str]], wanted: Mapping[str, Mapping[str, str]]) -> None:
    """Raises InputError for a column that is in a table already, with another type than the registry now asks for.

    Both are by URN and path. Columns that are new or gone are no conflict.
    """
    for urn, columns in there.items():
        for path, type_ in columns.items():
            now = wanted.get(urn, {}).get(path, type_)
            if now != type_:
                raise InputError(
                    f"the table of {urn} holds 'data.{path}' as {type_}, and the registry now makes it {now}",
                    fix=f"mint a new version (`babelreg mint {shlex.quote(urn)}`), or ingest into a new output folder",
                )
