"""Settings of a registry: the content of ``babelreg.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from babelreg.model.source import Source
from babelreg.model.thresholds import Thresholds
from babelreg.model.wires import Wires


@dataclass(frozen=True, slots=True)
class Compatibility:
    """Criteria of a breaking change. ``reader``: tolerant | strict. ``direction``: both | backward | forward.

    ``open_objects``: strict | lenient. Where it is lenient, a break by a property that is new in an object that takes
    any other property is a warning.

    ``since`` is the git revision from which history counts as published; None means all of it.
    """

    reader: str = "tolerant"
    direction: str = "both"
    since: str | None = None
    open_objects: str = "strict"


class SparkSettings(NamedTuple):
    """Defaults of ``babelreg lake`` and ``babelreg spark``.

    ``engine`` is local or spark, None for that of the command. Above ``fail_above`` a committed run fails; above
    ``hold_above`` nothing of its batch is committed.
    """

    fail_above: Thresholds = Thresholds()
    hold_above: Thresholds = Thresholds()
    engine: str | None = None


class Settings(NamedTuple):
    """``lint`` and ``gen`` are as read: the verb that uses them knows their keys.

    ``source`` is None where the registry has no ``babelreg.yaml``. ``lint_source`` is the file that ``lint`` was read
    from, with the same pointers whichever it is: ``babelreg.yaml``, or a ``pyproject.toml``; ``lint_ignored`` is the
    other one, where both have lint settings. ``breaking`` is what each file says that has settings of that name: what
    they accept adds up, so that neither has to be ignored. ``ignore_files`` are patterns of files in the registry
    folder that are not the registry's. ``owners`` are the accounts behind each owner, as CODEOWNERS names them.
    ``wires`` are the names of messages in other wire formats. ``traffic`` is the path of the coverage file, from the
    registry folder.
    """

    source: Source | None = None
    version: int = 1
    compatibility: Compatibility = Compatibility()
    lint: Mapping[str, Any] = {}
    gen: Mapping[str, Any] = {}
    lint_source: Source | None = None
    lint_ignored: Source | None = None
    breaking: tuple[tuple[Source, Mapping[str, Any]], ...] = ()
    ignore_files: tuple[str, ...] = ()
    owners: Mapping[str, tuple[str, ...]] = {}
    wires: Wires = Wires()
    spark: SparkSettings = SparkSettings()
    traffic: str | None = None
