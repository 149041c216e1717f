"""Plans of new versions: the files to write, and the registry as it would be with them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from babelreg import load
from babelreg.breaking.changes.pairs import mint_command
from babelreg.breaking.changes.waivers import BreakingWaivers
from babelreg.breaking.check.run import check
from babelreg.breaking.rules import WAIVABLE
from babelreg.errors import BabelregError, UsageError
from babelreg.finding import Severity
from babelreg.load.files.partial_tree import PartialTree
from babelreg.load.files.registry_paths import is_shared
from babelreg.load.files.tree import Tree
from babelreg.load.registry.overlay import Overlay
from babelreg.model import Registry
from babelreg.suggest import closest


@dataclass(frozen=True)
class MintPlan:
    """Files to write, text by path below the registry, with a sentence in ``notes`` on each step.

    ``name`` is what is minted: a URN, or the path of a fragment.
    """

    name: str
    files: Mapping[str, str]
    notes: tuple[str, ...]


def load_planned(
    registry: Registry, tree: Tree, files: Mapping[str, str], wanted: str = "", *, alone: bool = False
) -> Registry:
    """Return the registry with ``files`` written; with ``alone``, without other messages and services.

    Raises BabelregError where ``files`` have defects, or do not declare the URN ``wanted``.
    """
    # A registry may have thousands of messages and services, and the new files can be read without them.
    below = PartialTree(tree, [path for path in tree.paths() if is_shared(path)]) if alone else tree
    after = load.from_tree(Overlay(below, files), registry.root)
    defects = [defect for defect in after.defects if defect.place.path in files]
    if defects or (wanted and wanted not in after.by_urn):
        reason = defects[0].message if defects else "its file would not be read"
        raise BabelregError(f"cannot mint {wanted or 'it'}: {reason}", fix="copy the file by hand, and edit the copy")
    return after


def breaks_published(old: Registry, new: Registry, urns: Iterable[str], waivers: BreakingWaivers | None = None) -> bool:
    """Return True where one of ``urns`` breaks its version in ``old`` and ``waivers`` do not accept that."""
    checked = list(urns)
    subsets = [
        Registry(
            registry.root,
            registry.settings,
            registry.contexts,
            registry.services,
            messages=tuple(registry.by_urn[urn] for urn in checked if urn in registry.by_urn),
        )
        for registry in (old, new)
    ]
    findings = check(*subsets, waivers=waivers)
    return any(finding.severity is Severity.ERROR and finding.rule in WAIVABLE for finding in findings)


def unknown_urn(registry: Registry, urn: str, before: str = "") -> UsageError:
    """Return the error that ``registry`` has no ``urn``; its fix mints the most similar one, ``before`` first."""
    near = closest(urn, registry.by_urn)
    return UsageError(
        f"the registry has no {urn}",
        fix=mint_command(registry, before + shlex.quote(near)) if near else "check the URN",
    )
