"""Mends what rules know how to mend, in memory: edits are made, lint runs again, until no edit is left.

All edits of one problem are made, or none of them. What would damage a file is taken back and the problem stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from babelreg.finding import Finding
from babelreg.lint.engine.run import LintResult
from babelreg.load.files.defect import Defect
from babelreg.load.files.tree import Tree
from babelreg.load.registry.builder import from_tree
from babelreg.load.registry.format import roles
from babelreg.load.registry.overlay import FileChange, Overlay
from babelreg.load.yaml.comment_tree import outline
from babelreg.load.yaml.editor import Draft, Splice
from babelreg.load.yaml.emitter import EditError
from babelreg.load.yaml.key_order import neighbour
from babelreg.model import Edit, Registry
from babelreg.schema.pointer import Pointer

__all__ = ["Mended", "mend"]

MOST_ROUNDS = 10
_MOST_TRIES = 20
Judge = Callable[[Registry], LintResult]
Key = tuple[str, str, str | None, str]


@dataclass(frozen=True, slots=True)
class Mended:
    """``changes`` are to be saved; ``fixed`` are the findings that they mend, ``outcome`` is what then remains."""

    registry: Registry
    changes: Mapping[str, FileChange]
    fixed: tuple[Finding, ...]
    outcome: LintResult


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """The edits of one finding and what they replace, by file."""

    key: Key
    edits: Mapping[str, Sequence[Edit]]
    splices: Mapping[str, Sequence[Splice]]


def mend(tree: Tree, root: str, judge: Judge) -> Mended:
    """The registry in ``tree``, mended as far as ``judge`` proposes edits. Nothing is written."""
    overlay = Overlay(tree)
    registry = from_tree(overlay, root)
    outcome = judge(registry)
    proposed: dict[Key, Finding] = {}
    refused: set[Key] = set()
    for _ in range(MOST_ROUNDS):
        wishes = [f for f in outcome.findings if outcome.edits.get(f) and _key(f) not in refused]
        proposed |= {_key(f): f for f in wishes}
        known = len(refused)
        texts = _Round(overlay, roles(registry), refused).texts(wishes, outcome.edits)
        if not texts and len(refused) > known:
            continue  # what is refused now may have held up the others
        if not texts:
            break
        before = {path: overlay.text(path) for path in texts}
        for path, text in texts.items():
            overlay.put(path, text)
        edited = from_tree(overlay, root)
        if _defects(edited) > _defects(registry):
            # An edit that reads well and yet breaks the format is a mistake of its rule: nothing of it stays.
            for path, text in before.items():
                overlay.put(path, text)
            refused |= {_key(f) for f in wishes if any(edit.path in texts for edit in outcome.edits[f])}
            continue
        registry, outcome = edited, judge(edited)
    left = {_key(finding) for finding in outcome.findings}
    fixed = tuple(finding for key, finding in proposed.items() if key not in left)
    return Mended(registry, overlay.changes(), fixed, outcome)


class _Round:
    """One text for each file that is edited, with as many problems mended as do not get in each other's way."""

    def __init__(self, overlay: Overlay, roles: Mapping[str, str], refused: set[Key]) -> None:
        self.overlay = overlay
        self.roles = roles
        self.refused = refused
        self.drafts: dict[str, Draft] = {}
        self.made: dict[tuple[str, tuple[_Plan, ...]], str] = {}

    def texts(self, wishes: Iterable[Finding], edits: Mapping[Finding, Sequence[Edit]]) -> dict[str, str]:
        """The new texts by path. A finding whose edits cannot be made is put into ``refused``."""
        plans = [plan for finding in wishes if (plan := self.plan(finding, edits[finding]))]
        for tries in range(_MOST_TRIES):
            taken = self.take(plans)
            texts, bad = self.results(taken)
            if bad is None:
                return texts
            guilty = [plan for plan in taken if bad in plan.splices]
            if len(guilty) == 1 or tries == _MOST_TRIES - 2:
                self.refused |= {plan.key for plan in guilty}
                dropped = set(guilty)
            else:
                dropped = set(guilty[len(guilty) // 2 :])  # their turn comes in the next round
            plans = [plan for plan in plans if plan not in dropped]
        return {}

    def plan(self, finding: Finding, edits: Sequence[Edit]) -> _Plan | None:
        by_file: dict[str, list[Edit]] = {}
        for edit in edits:
            by_file.setdefault(edit.path, []).append(edit)
        try:
            splices = {path: self.draft(path).plan(below) for path, below in by_file.items()}
        except (EditError, Defect, FileNotFoundError):
            splices = {}
        changes = any(self.drafts[path].text[s.start : s.end] != s.text for path in splices for s in splices[path])
        if not changes:
            self.refused.add(_key(finding))
            return None
        return _Plan(_key(finding), by_file, splices)

    def draft(self, path: str) -> Draft:
        if path not in self.roles:
            raise EditError(f"{path} is no file of the registry")
        if path not in self.drafts:

            def behind(at: Pointer, keys: Sequence[str]) -> str | None:
                return neighbour(self.roles[path], at[:-1], keys, str(at[-1]))

            self.drafts[path] = Draft(self.overlay.text(path), behind)
        return self.drafts[path]

    def take(self, plans: Iterable[_Plan]) -> list[_Plan]:
        for draft in self.drafts.values():
            draft.clear()
        taken = []
        for plan in plans:
            if all(self.drafts[path].fits(splices) for path, splices in plan.splices.items()):
                for path, splices in plan.splices.items():
                    self.drafts[path].take(plan.edits[path], splices)
                taken.append(plan)
        return taken

    def results(self, taken: Sequence[_Plan]) -> tuple[dict[str, str], str | None]:
        """The texts; or the first file whose text would not say what it should."""
        by_file: dict[str, list[_Plan]] = {}
        for plan in taken:
            for path in plan.splices:
                by_file.setdefault(path, []).append(plan)
        texts = {}
        for path, plans in by_file.items():
            at = (path, tuple(plans))
            try:
                texts[path] = self.made.get(at) or _with_comments(self.drafts[path])
            except EditError:
                return {}, path
            self.made[at] = texts[path]
        return texts, None


def _key(finding: Finding) -> Key:
    """What a finding is about, wherever its line has moved to."""
    return finding.rule, finding.place.path, finding.pointer, finding.message


def _with_comments(draft: Draft) -> str:
    """The new text. Raises EditError also where a comment went with what was removed: a person may want it."""
    text = draft.result()
    if "#" in draft.text and _comments(draft.text) - _comments(text):
        raise EditError("a comment would be lost", fix="edit the file by hand")
    return text


def _comments(text: str) -> Counter[str]:
    return Counter(outline(text.replace("\r\n", "\n")).comments())


def _defects(registry: Registry) -> int:
    return len(registry.defects)
