"""With a second process or without, lint says the same; and nothing that befalls it is seen."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from babelreg import lint, load
from babelreg.finding import Finding
from babelreg.lint.parallel import example_validator, example_worker
from babelreg.load.files.tree import Memory
from babelreg.model import Registry

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is a second process on Linux only")

DATA = [
    "{type: object, properties: {a: {type: integer}}}",
    "{type: object, properties: {a: {type: string}}, required: [b]}",
    "{type: objct}",
    "{anyOf: [{properties: {a: {type: integer}}}, {properties: {c: {}}}]}",
    "{type: object, properties: {a: {$ref: ../_common/word.yaml}}}",
    "{$ref: '#/$defs/none'}",
    "true",
]
EXAMPLES = [
    "[{a: 1}]",
    "[{a: x}, {b: 2}]",
    "[{a: 1, c: 2}, 1, null]",
    "[]",
    "{file: 'x.jsonl'}",
    "[{a: 123456789012345678901234567890}]",
]


def files() -> dict[str, bytes]:
    found = {"babelreg.yaml": "version: 1\n", "orders/_context.yaml": "owner: me\n", "orders/x.jsonl": '{"a": 1}\n{"a": "\\ud800"}\n', "_common/word.yaml": "type: string\n"}  # fmt: skip
    found["strict/_context.yaml"] = "owner: me\ncompatibility: {reader: strict}\n"
    for number in range(80):
        data, examples = DATA[number % len(DATA)], EXAMPLES[number % len(EXAMPLES)]
        context = "strict" if number % 10 == 0 else "orders"
        found[f"{context}/m{number}.yaml"] = (
            f"urn: urn:babel:{context}:m{number}\nkind: event\ndata: {data}\nexamples: {examples}\n"
            f"counterexamples: [{{because: no, data: {{a: {number}}}}}]\n"
        )
    return {path: text.encode() for path, text in found.items()}


def alone() -> list[Finding]:
    return lint.run(load.from_tree(Memory(files())))


@contextmanager
def helped(monkeypatch: pytest.MonkeyPatch) -> Iterator[example_worker.SecondProcess]:
    monkeypatch.setattr(example_worker, "FEWEST_FILES", 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    with example_worker.second_process(Memory(files())) as second:
        assert second is not None
        yield second


def examined(registry: Registry, second: example_worker.SecondProcess) -> list[Finding]:
    return list(lint.examine(registry, ruling=second.ruling).findings)


def test_two_processes_say_what_one_says(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = alone()
    assert {"example-invalid", "schema-invalid", "counterexample-valid"} <= {f.rule for f in expected}
    with helped(monkeypatch) as second:
        opened = load.from_tree(Memory(files()), "", second)
        found = examined(opened, second)
        rulings = {m.source.path: second.ruling(m) for m in opened.messages}
    assert found == expected
    assert all((rulings[m.source.path] is None) == (m.schema is None) for m in opened.messages)
    assert sum(ruling is not None and bool(ruling.accepted) for ruling in rulings.values()) > 30


def test_the_other_process_does_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    with helped(monkeypatch) as second:
        opened = load.from_tree(Memory(files()), "", second)
        compiled: list[object] = []
        real = example_validator.ExampleValidator._compiled
        monkeypatch.setattr(
            example_validator.ExampleValidator, "_compiled", lambda self: compiled.append(self) or real(self)
        )
        lint.examine(opened, ruling=second.ruling)
    judged = [m for m in opened.messages if m.schema is not None]
    assert len(compiled) < len(judged)


@pytest.mark.parametrize("moment", ["before it is asked", "while it is asked", "before it answers"])
def test_a_second_process_that_dies_is_no_matter(moment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    children: list[int] = []
    fork = os.fork
    monkeypatch.setattr(os, "fork", lambda: children.append(fork()) or children[-1])
    with helped(monkeypatch) as second:

        def end() -> None:
            os.kill(children[0], signal.SIGKILL)
            os.waitid(os.P_PID, children[0], os.WEXITED | os.WNOWAIT)

        class Watched:
            read = staticmethod(second.read)

            @staticmethod
            def take(message):
                if moment == "while it is asked" and message.source.path == "orders/m41.yaml":
                    end()
                second.take(message)

        if moment == "before it is asked":
            end()
        opened = load.from_tree(Memory(files()), "", Watched())
        if moment == "before it answers":
            end()
        assert examined(opened, second) == alone()


def test_it_ends_with_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped() -> None:
        with helped(monkeypatch) as second:
            load.from_tree(Memory(files()), "", second)
            raise KeyboardInterrupt

    before = open_files(), children()
    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert (open_files(), children()) == before


def children() -> set[str]:
    """The processes that this one has started; other tests leave some that go on."""
    return {pid for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()}


def open_files() -> set[str]:
    return {entry.name for entry in Path("/proc/self/fd").iterdir()}


@pytest.mark.parametrize(
    "number, processors", [pytest.param(299, 8, id="a small registry"), pytest.param(10_000, 1, id="one processor")]
)
def test_there_is_none_where_it_does_not_pay(number: int, processors: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(processors)))
    tree = Memory({f"orders/m{n}.yaml": b"" for n in range(number)})
    with example_worker.second_process(tree) as second:
        assert second is None


def test_both_ways_print_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from babelreg.cli import main

    for path, body in files().items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(body)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    shown = []
    for fewest in (1, 10_000):
        monkeypatch.setattr(example_worker, "FEWEST_FILES", fewest)
        with pytest.raises(SystemExit):
            main(["lint", "--no-cache", "--registry", str(tmp_path), "--format", "json"])
        shown.append(capsys.readouterr())
    assert shown[0] == shown[1]
