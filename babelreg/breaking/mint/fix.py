"""Every break that a new version mends, mended: fragments first, since one of them may break many messages."""

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

__all__ = ["fix"]

# No new version makes up for these; what was published has to come back. A waiver is mended where it stands.
_MINTED = frozenset({*CONTRACT, *NAMING, UNKNOWN}) - {"urn-removed", "kind-changed", "status-backward"}

Judge = Callable[[Registry], Sequence[Finding]]


def fix(registry: Registry, tree: Tree, baseline: Baseline, judge: Judge) -> MintPlan:
    """What to write so that ``judge`` finds as little as possible. Nothing is written.

    What cannot be mended this way has a note that says why.
    """
    run = _Run(registry, tree, baseline)
    for path in _fragments(judge(registry), baseline):
        run.take(path, run.fragment)
    for urn in _urns(judge(run.now)):
        run.take(urn, run.message)
    return MintPlan("", run.files, tuple(run.notes))


class _Run:
    """The registry as it becomes, one minted version after the other."""

    def __init__(self, registry: Registry, tree: Tree, baseline: Baseline) -> None:
        self.registry = registry
        self.below = tree
        self.baseline = baseline
        self.files: dict[str, str] = {}
        self.notes: list[str] = []
        self.now = registry

    @property
    def tree(self) -> Tree:
        return Overlay(self.below, self.files)

    def fragment(self, path: str) -> MintPlan:
        return mint_fragment(self.now, self.tree, path, baseline=self.baseline)

    def message(self, urn: str) -> MintPlan:
        return mint(self.now, self.tree, urn, baseline=self.baseline, breaks=True)

    def take(self, what: str, minted: Callable[[str], MintPlan]) -> None:
        try:
            done = minted(what)
            files = {**self.files, **done.files}
            if any(path.startswith("_common/") for path in done.files):
                # What others refer to has changed; a message is nobody's but its own, and thousands are slow to read.
                self.now = load_planned(self.registry, self.below, files)
        except BabelregError as err:
            self.notes.append(f"{what}: not mended: {err.message}" + (f"; {err.fix}" if err.fix else ""))
            return
        self.files = files
        self.notes += done.notes


def _fragments(findings: Iterable[Finding], baseline: Baseline) -> list[str]:
    paths = [f.place.path for f in findings if f.messages and _mendable(f)]
    return [path for path in dict.fromkeys(paths) if path in baseline.registry.fragments]


def _urns(findings: Iterable[Finding]) -> list[str]:
    urns: dict[str, None] = {}
    for finding in findings:
        if _mendable(finding):
            urns |= dict.fromkeys([finding.urn] if finding.urn else [use.urn for use in finding.messages])
    return list(urns)


def _mendable(finding: Finding) -> bool:
    return finding.severity is Severity.ERROR and finding.rule in _MINTED
