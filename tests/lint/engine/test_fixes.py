"""What lint can mend: every comment stays, no meaning changes, and what cannot be mended stays as it was."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from difflib import unified_diff
from pathlib import Path
from random import Random
from typing import Any

import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.finding import Finding, Severity
from babelreg.lint.engine.fixes import FixedRegistry, fix_tree
from babelreg.lint.engine.run import LintResult, examine
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.load.files.tree import Memory
from babelreg.load.registry.builder import from_tree
from babelreg.load.registry.format import tidy
from babelreg.load.registry.overlay import Overlay
from babelreg.load.yaml.comment_tree import outline
from babelreg.model import Edit, Registry

PATH = "orders/created.yaml"
FILES = {
    "babelreg.yaml": "version: 1\n",
    "orders/_context.yaml": "owner: team-orders\n",
    PATH: """\
# an order
urn: urn:babel:orders:created
kind: event
data:
  type: object
  required: [a, b, a, b, a]  # twice
  properties:
    a: {type: string}
    b:
      enum:
        - x
        # not again
        - x
        - y  # last
""",
}


@dataclass(frozen=True)
class Says:
    """A rule that proposes what a test gives it, as long as ``where`` holds ``what``."""

    proposals: tuple[tuple[Edit, ...], ...]
    severity: Severity = Severity.ERROR
    family: str = "schema"
    profile: str = "minimal"

    def check(self, scope: Scope) -> Iterator[Problem]:
        (message,) = scope.messages
        for number, edits in enumerate(self.proposals):
            yield Problem(f"problem {number}", message.source, (), edits=edits)


class Twice:
    """A rule that wants no name twice in `required`, nor in an `enum`."""

    severity = Severity.ERROR
    family = "schema"
    profile = "minimal"

    def check(self, scope: Scope) -> Iterator[Problem]:
        for field in scope.fields:
            for key in ("required", "enum"):
                values = field.schema.get(key, [])
                for index, value in enumerate(values):
                    if value in values[:index]:
                        at = (*field.pointer, key, index)
                        edit = Edit(field.source.path, "remove", at)
                        yield Problem(f"{value!r} stands twice", field.source, at, urn=field.urn, edits=(edit,))


def mended(rule: Any, files: dict[str, str] = FILES) -> FixedRegistry:
    def judge(registry: Registry) -> LintResult:
        return examine(registry, rules={"rule": rule})

    return fix_tree(Memory({path: text.encode() for path, text in files.items()}), "", judge)


def edited(*proposals: tuple[Edit, ...], files: dict[str, str] = FILES) -> FixedRegistry:
    return mended(Says(proposals), files)


def text_of(done: FixedRegistry, path: str = PATH) -> str:
    return done.changes[path].new.decode()


def test_what_stands_many_times_is_left_once() -> None:
    done = mended(Twice())
    expected = (
        FILES[PATH]
        .replace("[a, b, a, b, a]", "[a, b]")
        .replace("        # not again\n        - x\n", "        # not again\n")
    )
    assert text_of(done) == expected
    assert done.result.findings == ()
    assert len(done.fixed) == 4


def test_mending_twice_changes_nothing_more() -> None:
    once = text_of(mended(Twice()))
    assert mended(Twice(), {**FILES, PATH: once}).changes == {}


def test_a_problem_is_mended_whole_or_not_at_all() -> None:
    good = Edit(PATH, "insert", ("owner",), "team-a")
    bad = Edit("orders/_context.yaml", "remove", ("nothing",))
    done = edited((good, bad))
    assert (done.changes, done.fixed) == ({}, ())
    assert [f.message for f in done.result.findings] == ["problem 0"]


def test_one_that_would_lose_a_comment_holds_up_no_other() -> None:
    text = FILES[PATH] + "  $defs:\n    # old\n    x: {}\n"
    loses = Edit(PATH, "remove", ("data", "$defs"))
    good = Edit(PATH, "insert", ("owner",), "team-a")
    done = edited((loses,), (good,), files={**FILES, PATH: text})
    assert "owner: team-a" in text_of(done)
    assert "# old" in text_of(done)


def test_edits_of_two_files_are_made_together() -> None:
    done = edited(
        (Edit(PATH, "insert", ("owner",), "team-a"), Edit("orders/_context.yaml", "replace", ("owner",), "b"))
    )
    assert sorted(done.changes) == ["orders/_context.yaml", PATH]


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(Edit("../secret.yaml", "replace", ("a",), 1), id="outside the registry"),
        pytest.param(Edit("README.md", "replace", ("a",), 1), id="no file of the registry"),
        pytest.param(Edit("orders/nothing.yaml", "replace", ("a",), 1), id="no file at all"),
        pytest.param(Edit(PATH, "replace", ("kind",), "event"), id="nothing changes"),
        pytest.param(Edit(PATH, "replace", ("kind",), "rumour"), id="the file would break the format"),
        pytest.param(Edit(PATH, "insert", ("colour",), "red"), id="the format has no such key"),
        pytest.param(Edit(PATH, "remove", ()), id="nothing would be left"),
    ],
)
def test_what_cannot_or_may_not_be_done_is_not(edit: Edit) -> None:
    done = edited((edit,))
    assert (done.changes, done.fixed) == ({}, ())
    assert len(done.result.findings) == 1


def test_a_waived_or_silent_finding_is_not_mended() -> None:
    settings = "version: 1\nlint: {rules: {rule: off}}\n"
    done = mended(Twice(), {**FILES, "babelreg.yaml": settings})
    assert done.changes == {}


def test_edits_that_never_end_do_end() -> None:
    class Grows(Twice):
        def check(self, scope: Scope) -> Iterator[Problem]:
            (message,) = scope.messages
            edit = Edit(PATH, "replace", ("description",), f"{message.description}x")
            yield Problem("too short", message.source, (), edits=(edit,))

    done = mended(Grows(), {**FILES, PATH: f"{FILES[PATH]}description: a\n"})
    assert text_of(done).endswith("description: axxxxxxxxxx\n")
    assert done.fixed == ()


def test_a_byte_order_mark_and_windows_line_ends_stay() -> None:
    text = "\ufeff" + FILES[PATH].replace("\n", "\r\n")
    changed = text_of(mended(Twice(), {**FILES, PATH: text}))
    assert changed.startswith("\ufeff# an order\r\n")
    assert changed.count("\n") == changed.count("\r\n")


def test_thousands_of_edits_of_one_file_are_made_at_once() -> None:
    names = ", ".join(f"n{i}, n{i}" for i in range(3000))
    done = mended(Twice(), {**FILES, PATH: FILES[PATH].replace("a, b, a, b, a", names)})
    assert len(done.fixed) == 3001
    assert text_of(done).count("n2999") == 1


EXAMPLE = Path(__file__).parents[3] / "registry.example"
ORIGINAL = {p.relative_to(EXAMPLE).as_posix(): p.read_text("utf-8") for p in sorted(EXAMPLE.rglob("*.yaml"))}


def spoiled(chance: Random) -> dict[str, str]:
    """The example registry with faults that lint can mend, spelled in many ways, among comments."""
    files = dict(ORIGINAL)
    for path, text in ORIGINAL.items():
        lines: list[str] = []
        for line in text.split("\n"):
            lines.append(_spoiled(line, chance))
            if line and chance.random() < 0.1:
                lead = " " * (len(line) - len(line.lstrip()))
                lines.append(f"{lead}# note {len(lines)}" if not line.endswith(":") else "")
        text = "\n".join(lines)
        if "/" in path and not path.startswith("_") and "\nproducers:" in text and chance.random() < 0.5:
            services = chance.sample(["warehouse", "billing-worker", "mailer", "crm"], 3)
            said = chance.choice(
                ["consumers: [{}, {}, {}]  # they", "consumers:\n  - {}\n  - {}  # this\n  # and\n  - {}"]
            )
            text = text.replace("\nproducers:", f"\n{said.format(*services)}\nproducers:")
        files[path] = text.replace("\n", "\r\n") if chance.random() < 0.2 else text
    return files


def _spoiled(line: str, chance: Random) -> str:
    if chance.random() < 0.5:
        line = re.sub(r'"(20[0-9]{2}-[0-9T:Z-]+)"', r"\1", line)  # a time that others read as one
    if (listed := re.search(r"enum: \[(.*?)\]", line)) and chance.random() < 0.7:
        values = listed[1].split(", ")
        values += chance.choices([*values, f'"{values[0]}"', f"'{values[-1]}'"], k=chance.randint(1, 3))
        chance.shuffle(values)
        line = line.replace(listed[0], f"enum: [{', '.join([*values, 'no'])}]")
    if (listed := re.search(r"required: \[(.+)\]$", line)) and chance.random() < 0.5:
        names = listed[1].split(", ")
        line = line.replace(listed[1], ", ".join([*names, *chance.choices(names, k=2)]))
    if (urn := re.match(r"  - urn: (\S+)$", line)) and chance.random() < 0.3:
        line = f"  - urn: {urn[1]}\n  # once more\n{line}"
    return f"{line}  # why" if line and not line.endswith("|") and chance.random() < 0.1 else line


def meaning(registry: Registry) -> Any:
    """What the registry says, but for what is said twice."""

    def once(value: Any) -> Any:
        if isinstance(value, dict):
            inner = {key: once(item) for key, item in value.items()}
            for key in ("enum", "required"):
                if isinstance(inner.get(key), list):
                    inner[key] = sorted({json.dumps(item) for item in inner[key]})
            return inner
        return [once(item) for item in value] if isinstance(value, list) else value

    messages = [
        (m.urn, m.kind, m.status, m.producers, m.description, once(m.schema), [e.data for e in m.examples], m.upcast)
        for m in registry.messages
    ]
    services = {name: sorted({(c.urn, c.reads) for c in s.consumes}) for name, s in registry.services.items()}
    consumers = {m.urn: sorted(set(registry.consumers(m.urn))) for m in registry.messages}
    return messages, services, consumers, once({path: f.schema for path, f in registry.fragments.items()})


def judged(registry: Registry) -> LintResult:
    return examine(registry, today=date(2026, 11, 20))


@settings(max_examples=fewer(8, 12), deadline=None)
@given(st.integers(0, 2**32))
def test_mending_loses_nothing_and_is_done_once(seed: int) -> None:
    files = spoiled(Random(seed))
    tree = Memory({path: text.encode() for path, text in files.items()})
    before = from_tree(tree)
    first = judged(before)
    proposed = {(f.rule, f.place.path, f.message) for f in first.findings if f in first.edits}
    done = fix_tree(tree, "", judged)
    after = {**files, **{path: change.new.decode() for path, change in done.changes.items()}}

    assert meaning(done.registry) == meaning(before)
    for path, change in done.changes.items():
        old, new = change.old.decode(), change.new.decode()
        assert comments(new) == comments(old)
        changed = list(unified_diff(old.splitlines(True), new.splitlines(True), n=0))[2:]
        touched = sum(line.startswith("-") for line in changed)
        assert touched <= 2 * sum(f.place.path == path or f.against is not None for f in done.fixed), path
        assert new.count("\r\n") == (new.count("\n") if "\r\n" in old else 0)
    left = {(f.rule, f.place.path, f.message) for f in done.result.findings}
    assert len(done.fixed) >= len(proposed - left)
    assert not {(f.rule, f.place.path, f.pointer, f.message) for f in done.fixed} & {
        (f.rule, f.place.path, f.pointer, f.message) for f in done.result.findings
    }
    again = fix_tree(Memory({path: text.encode() for path, text in after.items()}), "", judged)
    assert (again.changes, again.fixed) == ({}, ())


def comments(text: str) -> Counter[str]:
    return Counter(outline(text.replace("\r\n", "\n")).comments())


def test_the_property_is_about_something() -> None:
    done = [
        fix_tree(Memory({p: t.encode() for p, t in spoiled(Random(seed)).items()}), "", judged) for seed in range(5)
    ]
    rules = {finding.rule for one in done for finding in one.fixed}
    assert {"consumer-declared-twice", "enum-duplicate", "yaml-ambiguous-scalar", "schema-invalid"} <= rules


def waived(files: dict[str, str], chance: Random) -> dict[str, str]:
    """``files`` with waivers of some findings, behind their line or above it."""
    found = judged(from_tree(tree_of(files))).findings
    lasting = [f for f in found if f.place.line and f.rule != "yaml-ambiguous-scalar"]
    places = {(f.place.path, f.place.line): f.rule for f in lasting if chance.random() < 0.6}
    waived = dict(files)
    for (path, number), rule in sorted(places.items(), reverse=True):
        lines = waived[path].split("\n")
        line, remark = lines[number - 1], f"# babelreg: allow {rule} -- it is so for now"
        if "#" not in line and chance.random() < 0.5:
            lines[number - 1] = f"{line}  {remark}"
        else:
            lines.insert(number - 1, " " * (len(line) - len(line.lstrip())) + remark)
        waived[path] = "\n".join(lines)
    return waived


def tree_of(files: dict[str, str]) -> Memory:
    return Memory({path: text.encode() for path, text in files.items()})


def told(findings: tuple[Finding, ...]) -> Counter[tuple[str, str, str | None, str]]:
    """What is said, but for the lines; and without what quotes mend."""
    return Counter((f.rule, f.place.path, f.pointer, f.message) for f in findings if f.rule != "yaml-ambiguous-scalar")


@settings(max_examples=fewer(7, 10), deadline=None)
@given(st.integers(0, 2**32))
def test_the_layout_changes_no_verdict_and_no_waiver(seed: int) -> None:
    chance = Random(seed)
    files = waived({path: text.replace("\r\n", "\n") for path, text in spoiled(chance).items()}, chance)
    overlay = Overlay(tree_of(files))
    before = from_tree(overlay)
    said = judged(before)
    tidy(before, overlay, lambda path: True)
    again = judged(from_tree(overlay))
    assert told(again.findings) == told(said.findings)
    assert told(again.waived) == told(said.waived)


def test_that_property_is_about_waivers() -> None:
    files = [waived(spoiled(Random(seed)), Random(seed)) for seed in range(5)]
    assert all(judged(from_tree(tree_of(texts))).waived for texts in files)
