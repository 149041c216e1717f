"""Fixes of breaks by new versions: fragments first, as one fragment may break many messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from babelreg.breaking.baseline.against import Baseline
from babelreg.breaking.mint.fragment import mint_fragment
from babelreg.breaking.mint.message import mint
from babelreg.breaking.mint.plan import MintPlan, load_planned
from babelreg.breaking.rules import CONTRACT, NAMING, UNKNOWN
from babelreg.errors import BabelregError
from babelreg.finding import Finding, Severity
from babelreg.load.files.tree import Tree
from babelreg.load.registry.overlay import Overlay
from babelreg.model import Registry

# A new version does not fix these: the published declaration must be restored. Waivers are edited in the settings.
_FIXED_BY_MINTING = frozenset({*CONTRACT, *NAMING, UNKNOWN}) - {"urn-removed", "kind-changed", "status-backward"}

Check = Callable[[Registry], Sequence[Finding]]


def fix(registry: Registry, tree: Tree, baseline: Baseline, check: Check) -> MintPlan:
    """Return the files that fix the findings of ``check``, as far as possible. Nothing is written.

    Breaks that a new version cannot fix have a note with the reason.
    """
    run = _FixRun(registry, tree, baseline)
    for path in _fragments(check(registry), baseline):
        run.take(path, run.fragment)
    for urn in _urns(check(run.registry)):
        run.take(urn, run.message)
    return MintPlan("", run.files, tuple(run.notes))


class _FixRun:
    """The registry with each minted version added in turn."""

    def __init__(self, registry: Registry, tree: Tree, baseline: Baseline) -> None:
        self._start = registry
        self._tree = tree
        self.baseline = baseline
        self.files: dict[str, str] = {}
        self.notes: list[str] = []
        self.registry = registry

    @property
    def tree(self) -> Tree:
        return Overlay(self._tree, self.files)

    def fragment(self, path: str) -> MintPlan:
        return mint_fragment(self.registry, self.tree, path, baseline=self.baseline)

    def message(self, urn: str) -> MintPlan:
        return mint(self.registry, self.tree, urn, baseline=self.baseline, breaks=True)

    def take(self, what: str, minted: Callable[[str], MintPlan]) -> None:
        try:
            plan = minted(what)
            files = {**self.files, **plan.files}
            if any(path.startswith("_common/") for path in plan.files):
                # Only fragments are used by other files; reading the registry again after each message would be slow.
                self.registry = load_planned(self._start, self._tree, files)
        except BabelregError as err:
            self.notes.append(f"{what}: not fixed: {err.message}" + (f"; {err.fix}" if err.fix else ""))
            return
        self.files = files
        self.notes += plan.notes


def _fragments(findings: Iterable[Finding], baseline: Baseline) -> list[str]:
    paths = [f.place.path for f in findings if f.messages and _is_fixable(f)]
    return [path for path in dict.fromkeys(paths) if path in baseline.registry.fragments]


def _urns(findings: Iterable[Finding]) -> list[str]:
    urns: dict[str, None] = {}
    for finding in findings:
        if _is_fixable(finding):
            urns |= dict.fromkeys([finding.urn] if finding.urn else [use.urn for use in finding.messages])
    return list(urns)


def _is_fixable(finding: Finding) -> bool:
    return finding.severity is Severity.ERROR and finding.rule in _FIXED_BY_MINTING
