"""What lint can mend: every comment stays, no meaning changes, and what cannot be mended stays as it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from babelreg.finding import Severity
from babelreg.lint.engine import Outcome, examine
from babelreg.lint.fixes import Mended, mend
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.load.tree import Memory
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


def mended(rule: Any, files: dict[str, str] = FILES) -> Mended:
    def judge(registry: Registry) -> Outcome:
        return examine(registry, rules={"rule": rule})

    return mend(Memory({path: text.encode() for path, text in files.items()}), "", judge)


def edited(*proposals: tuple[Edit, ...], files: dict[str, str] = FILES) -> Mended:
    return mended(Says(proposals), files)


def text_of(done: Mended, path: str = PATH) -> str:
    return done.changes[path].new.decode()


def test_what_stands_many_times_is_left_once() -> None:
    done = mended(Twice())
    expected = (
        FILES[PATH]
        .replace("[a, b, a, b, a]", "[a, b]")
        .replace("        # not again\n        - x\n", "        # not again\n")
    )
    assert text_of(done) == expected
    assert done.outcome.findings == ()
    assert len(done.fixed) == 4


def test_mending_twice_changes_nothing_more() -> None:
    once = text_of(mended(Twice()))
    assert mended(Twice(), {**FILES, PATH: once}).changes == {}


def test_a_problem_is_mended_whole_or_not_at_all() -> None:
    good = Edit(PATH, "insert", ("owner",), "team-a")
    bad = Edit("orders/_context.yaml", "remove", ("nothing",))
    done = edited((good, bad))
    assert (done.changes, done.fixed) == ({}, ())
    assert [f.message for f in done.outcome.findings] == ["problem 0"]


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
    assert len(done.outcome.findings) == 1


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
