"""Checks of the registry against the tables of an output folder, before a batch is added."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from babelreg.errors import InputError, UsageError
from babelreg.lake.arrow.table_schema import types
from babelreg.lake.storage.log.replay import LakeState
from babelreg.lake.tasks.validation_spec import Mappings, ValidationSpec
from babelreg.load.registry_error import RegistryError
from babelreg.model import Registry, Urn, UrnError
from babelreg.model.wire_mapping import wire_mapping


def spec_of(registry: Registry, *, digests: bool) -> ValidationSpec:
    """Return the validation spec for all messages of ``registry``.

    ``digests`` says whether duplicates will be searched for. Raises UsageError for a registry that cannot be used, and
    RegistryError with all messages whose schemas cannot.
    """
    if registry.defects:
        raise RegistryError("the registry has defects", registry.defects, fix="fix them; `babelreg lint` lists them")
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
    strict = [message.urn for message in messages if registry.compatibility(message.context).reader == "strict"]
    spec = ValidationSpec.of(
        registry.schemas, strict, digests=digests, mappings=mappings(registry), aliases=registry.aliases
    )
    if spec.unusable:
        from babelreg.lint.schema.unusable_schema import unusable_schemas

        raise unusable_schemas(registry, spec.unusable, "nothing was done")
    return spec


def mappings(registry: Registry) -> Mappings:
    """Return the URNs of foreign names that ``wires:`` of ``registry`` says, by wire format."""
    return {wire: wire_mapping(registry, wire).urns for wire in registry.settings.wires.blocks}


def check(registry: Registry, spec: ValidationSpec, so_far: LakeState, keep_duplicates: bool) -> None:
    """Raise UsageError or InputError if the existing tables were made in another way."""
    # URNs are never removed from a registry: a retired message stays as a tombstone.
    removed = sorted(so_far.tables.keys() - registry.by_urn.keys())
    if removed:
        raise UsageError(
            f"the output has a table of {removed[0]}, which the registry {registry.root} does not declare: "
            "it was written with another registry",
            fix="pass that registry with --registry, or use a new output folder",
        )
    if so_far.number and so_far.keeps_duplicates != keep_duplicates:
        how = "with" if so_far.keeps_duplicates else "without"
        raise UsageError(
            f"the output was written {how} --keep-duplicates so far",
            fix="do the same again, or use a new output folder",
        )
    wanted = {urn: types(columns) for urn, columns in zip(spec.schemas, spec.columns, strict=True)}
    _check_types(so_far.types, wanted)


def _check_types(existing: Mapping[str, Mapping[str, str]], wanted: Mapping[str, Mapping[str, str]]) -> None:
    """Raise InputError for an existing column that the registry now types differently. Both are by URN and path.

    New and removed columns are no conflict.
    """
    for urn, columns in existing.items():
        for path, type_ in columns.items():
            now = wanted.get(urn, {}).get(path, type_)
            if now != type_:
                raise InputError(
                    f"the table of {urn} has 'data.{path}' as {type_}, but the registry now defines it as {now}",
                    fix=f"mint a new version (`babelreg mint {shlex.quote(urn)}`), or ingest into a new output folder",
                )
