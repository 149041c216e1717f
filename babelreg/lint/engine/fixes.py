"""Automatic fixes, in memory: apply the edits that rules propose, lint again, until no edit is left.

All edits of one problem are applied, or none. An edit that would damage a file is taken back, and the problem stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from babelreg import load
from babelreg.finding import Finding
from babelreg.lint.engine.run import LintResult, examine
from babelreg.lint.engine.selection import RuleSelection
from babelreg.load.files.defect import Defect
from babelreg.load.files.tree import Tree
from babelreg.load.registry.builder import from_tree
from babelreg.load.registry.format import roles
from babelreg.load.registry.overlay import FileChange, Overlay
from babelreg.load.registry.path_arguments import check_members
from babelreg.load.yaml.comment_tree import outline
from babelreg.load.yaml.editor import Draft, Splice
from babelreg.load.yaml.emitter import EditError
from babelreg.load.yaml.key_order import neighbour
from babelreg.model import Edit, Registry
from babelreg.schema.pointer import Pointer

MOST_ROUNDS = 10
_MOST_TRIES = 20
Lint = Callable[[Registry], LintResult]
Key = tuple[str, str, str | None, str]


@dataclass(frozen=True, slots=True)
class FixedRegistry:
    """A registry after fixes: ``changes`` to save, the findings ``fixed`` by them, and the ``result`` of lint then."""

    registry: Registry
    changes: Mapping[str, FileChange]
    fixed: tuple[Finding, ...]
    result: LintResult


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """Edits of one finding and the text that they replace, by file."""

    key: Key
    edits: Mapping[str, Sequence[Edit]]
    splices: Mapping[str, Sequence[Splice]]


def fix_folder(root: Path, *, paths: tuple[str, ...] | None, selection: RuleSelection, today: date) -> FixedRegistry:
    """Fix the registry in the folder ``root``, in memory: see :func:`fix_tree`, and for the options ``lint_folder``.

    Raises UsageError for a path that is not of the registry.
    """

    def lint(registry: Registry) -> LintResult:
        return examine(registry, paths=paths, config=selection.config(registry.settings), today=today)

    fixed = fix_tree(load.folder(root), str(root), lint)
    check_members(fixed.registry, paths)
    return fixed


def fix_tree(tree: Tree, root: str, lint: Lint) -> FixedRegistry:
    """Return the registry in ``tree`` with the edits that ``lint`` proposes. Nothing is written."""
    overlay = Overlay(tree)
    registry = from_tree(overlay, root)
    result = lint(registry)
    proposed: dict[Key, Finding] = {}
    refused: set[Key] = set()
    for _ in range(MOST_ROUNDS):
        fixable = [f for f in result.findings if result.edits.get(f) and _key(f) not in refused]
        proposed |= {_key(f): f for f in fixable}
        refused_before = len(refused)
        texts = _Round(overlay, roles(registry), refused).texts(fixable, result.edits)
        if not texts and len(refused) > refused_before:
            continue  # the edits that are refused now may have blocked others
        if not texts:
            break
        before = {path: overlay.text(path) for path in texts}
        for path, text in texts.items():
            overlay.put(path, text)
        edited = from_tree(overlay, root)
        if len(edited.defects) > len(registry.defects):
            # An edit that is valid YAML but breaks the registry format is a mistake of its rule: take all of it back.
            for path, text in before.items():
                overlay.put(path, text)
            refused |= {_key(f) for f in fixable if any(edit.path in texts for edit in result.edits[f])}
            continue
        registry, result = edited, lint(edited)
    remaining = {_key(finding) for finding in result.findings}
    fixed = tuple(finding for key, finding in proposed.items() if key not in remaining)
    return FixedRegistry(registry, overlay.changes(), fixed, result)


class _Round:
    """One round of edits: a new text for each edited file, with as many problems fixed as do not overlap."""

    def __init__(self, overlay: Overlay, roles: Mapping[str, str], refused: set[Key]) -> None:
        self.overlay = overlay
        self.roles = roles
        self.refused = refused
        self.drafts: dict[str, Draft] = {}
        self.made: dict[tuple[str, tuple[_Plan, ...]], str] = {}

    def texts(self, fixable: Iterable[Finding], edits: Mapping[Finding, Sequence[Edit]]) -> dict[str, str]:
        """Return the new texts by path. A finding whose edits cannot be applied is added to ``refused``."""
        plans = [plan for finding in fixable if (plan := self.plan(finding, edits[finding]))]
        for tries in range(_MOST_TRIES):
            accepted = self.apply(plans)
            texts, broken = self.results(accepted)
            if broken is None:
                return texts
            suspects = [plan for plan in accepted if broken in plan.splices]
            if len(suspects) == 1 or tries == _MOST_TRIES - 2:
                self.refused |= {plan.key for plan in suspects}
                dropped = set(suspects)
            else:
                dropped = set(suspects[len(suspects) // 2 :])  # tried again in the next round
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
            raise EditError(f"{path} is not a file of the registry")
        if path not in self.drafts:

            def key_before(at: Pointer, keys: Sequence[str]) -> str | None:
                return neighbour(self.roles[path], at[:-1], keys, str(at[-1]))

            self.drafts[path] = Draft(self.overlay.text(path), key_before)
        return self.drafts[path]

    def apply(self, plans: Iterable[_Plan]) -> list[_Plan]:
        for draft in self.drafts.values():
            draft.clear()
        accepted = []
        for plan in plans:
            if all(self.drafts[path].fits(splices) for path, splices in plan.splices.items()):
                for path, splices in plan.splices.items():
                    self.drafts[path].take(plan.edits[path], splices)
                accepted.append(plan)
        return accepted

    def results(self, accepted: Sequence[_Plan]) -> tuple[dict[str, str], str | None]:
        """Return the new texts, or the first file whose text would not have the intended value."""
        by_file: dict[str, list[_Plan]] = {}
        for plan in accepted:
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
    """Identify a finding when its line has moved."""
    return finding.rule, finding.place.path, finding.pointer, finding.message


def _with_comments(draft: Draft) -> str:
    """Return the new text. Raises EditError also where a comment would be removed: a person may want it."""
    text = draft.result()
    if "#" in draft.text and _comments(draft.text) - _comments(text):
        raise EditError("a comment would be lost", fix="edit the file by hand")
    return text


def _comments(text: str) -> Counter[str]:
    return Counter(outline(text.replace("\r\n", "\n")).comments())
