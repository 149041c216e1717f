"""The child process: it may crash or hang, and costs one answer."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from babelreg.breaking.containment import prover_worker
from babelreg.breaking.containment.compiled_schemas import CompiledSchemas
from babelreg.breaking.containment.decision import Containment
from babelreg.breaking.containment.prover import (
    Prover,
    ProverCase,
    ProverLost,
    prover,
)
from babelreg.schema.dialects import DEFAULT

# jsonschema_rs 0.60.3 recurses without end on this one and takes its process down.
DEADLY = {"if": {"unevaluatedProperties": False, "if": {}, "else": {"$ref": "#"}}}
# Python's re needs exponential time to refuse forty characters.
ENDLESS = {"type": "string", "pattern": "^(a+)+$"}


@pytest.fixture
def child() -> Iterator[Prover]:
    started = Prover(hang_seconds=60)
    yield started
    started.stop()


def case(child: Prover, old: Any, new: Any) -> ProverCase:
    return ProverCase({"old": old, "new": new}, DEFAULT, formats=False, prover=child)


def test_a_crash_costs_one_answer(child: Prover) -> None:
    with pytest.raises(ProverLost, match="crashed"):
        case(child, DEADLY, {"type": "string"}).covers("old", "new")
    assert case(child, {"type": "integer"}, {"type": "number"}).covers("old", "new") == "yes"
    assert child.started == 2


def test_a_hang_costs_one_answer() -> None:
    child = Prover(hang_seconds=1)
    try:
        with pytest.raises(ProverLost, match="no answer in 1 seconds"):
            case(child, True, ENDLESS).refuted("old", "new", ["a" * 40 + "!"])
        child.hang_seconds = 60  # a loaded machine takes long to start the next one
        assert case(child, {"enum": [1]}, {"enum": [1, 2]}).covers("old", "new") == "yes"
    finally:
        child.stop()


def test_an_answer_that_takes_too_much_processor_time_is_given_up(child: Prover) -> None:
    with pytest.raises(ProverLost, match="too much processor time"):
        case(child, True, ENDLESS).refuted("old", "new", ["a" * 40 + "!"])
    assert case(child, {"enum": [1]}, {"enum": [1, 2]}).covers("old", "new") == "yes"


def test_one_child_serves_many_pairs(child: Prover) -> None:
    for bound in range(20):
        asked = case(child, {"minimum": bound}, {"minimum": bound + 1})
        assert asked.covers("old", "new") == "no"
        assert asked.covers("new", "old") == "yes"
        assert asked.refuted("old", "new", [bound, bound + 1]) == [True, False]
    assert child.started == 1


def test_a_child_that_was_started_before_it_is_asked_is_the_one_that_answers(child: Prover) -> None:
    child.start()
    child.start()
    asked = case(child, {"const": 1}, {"type": "string"})
    assert asked.refuted("old", "new", [1]) == [True]
    assert asked.covers("old", "new") == "no"
    assert child.started == 1


def test_nothing_is_left_of_a_child_that_was_stopped(child: Prover) -> None:
    assert case(child, {"const": 1}, {"type": "integer"}).covers("old", "new") == "yes"
    reader, process = child._reader, child._process
    assert reader is not None
    assert process is not None
    child.stop()
    assert not reader.is_alive()
    assert process.returncode is not None


def test_a_child_that_was_killed_is_replaced(child: Prover) -> None:
    asked = case(child, {"const": 1}, {"type": "integer"})
    assert asked.covers("old", "new") == "yes"
    assert child._process is not None
    child._process.kill()
    child._process.wait()
    assert asked.covers("old", "new") == "yes"
    assert child.started == 2


def test_the_second_validator_knows_the_formats_of_references(child: Prover) -> None:
    formats = {said: {"format": said} for said in ("uri", "uri-reference", "iri", "iri-reference")}
    documents = ["http://exämple.org/ö", "http://a.org/b", "/ö", "/b", "\\\\x"]
    asked = ProverCase({"old": True, **formats}, DEFAULT, formats=True, prover=child)
    refuted = {said: asked.refuted("old", said, documents) for said in formats}
    assert refuted == {
        "uri": [True, False, True, True, True],
        "uri-reference": [True, False, True, False, True],
        "iri": [False, False, True, True, True],
        "iri-reference": [False, False, False, False, True],
    }


def test_the_grammar_of_iris_is_built_only_when_one_is_asked_about() -> None:
    from babelreg.breaking.containment import prover_worker

    code = """
import sys
sys.path.insert(0, sys.argv[1])
import prover_worker
schemas = {"old": True, "uri": {"format": "uri"}, "iri": {"format": "iri"}}
about = {"schemas": schemas, "draft": 20, "dialect": "", "peer": "Draft202012Validator", "formats": True, "stripped": False}
case = prover_worker.WorkerCase(about)
case.refuted("old", "uri", ["x"])
before = "lark" in sys.modules, "rfc3987_syntax" in sys.modules
limits = []
prover_worker.signal.getitimer = lambda which: (1.5, 0.0)
prover_worker._limit_time = lambda seconds: limits.append((seconds, "lark" in sys.modules))
said = case.refuted("old", "iri", ["x", "a:b"])
print(*before, *said, "lark" in sys.modules)
print(limits)
"""
    folder = str(Path(prover_worker.__file__).parent)
    done = subprocess.run([sys.executable, "-P", "-c", code, folder], capture_output=True, text=True, check=True)
    built, limits = done.stdout.splitlines()
    assert built == "False False True False True"
    # It takes most of the time that a question has, so it is built without a limit.
    assert limits == "[(0, False), (1.5, True)]"


def test_what_the_prover_cannot_read_is_lost_with_its_reason(child: Prover) -> None:
    with pytest.raises(ProverLost, match="could not answer"):
        case(child, {"pattern": "("}, True).covers("old", "new")
    assert child.started == 1


def test_the_difference_is_a_schema(child: Prover) -> None:
    difference = case(child, {"type": ["string", "null"]}, {"type": "string"}).difference("old", "new")
    assert difference["type"] == "null"


def test_nothing_is_fetched(child: Prover) -> None:
    remote = {"$ref": "http://127.0.0.1:9/schema.json"}
    with pytest.raises(ProverLost, match="could not answer"):
        case(child, remote, True).refuted("old", "new", [1])


def test_a_prover_that_crashes_leaves_the_verdict_unknown(child: Prover, monkeypatch: pytest.MonkeyPatch) -> None:
    covers = ProverCase.covers

    def crashed(self: ProverCase, inner: str, outer: str, engine: str = "ecma") -> str:
        return covers(case(child, DEADLY, {"type": "string"}), "old", "new")

    monkeypatch.setattr(ProverCase, "covers", crashed)
    monkeypatch.setattr(ProverCase, "difference", crashed)
    # Look-ahead is what our own proof does not read.
    schemas = CompiledSchemas({"old": {"pattern": "^(?=ab)"}, "new": {"pattern": "^(?=a)"}}, DEFAULT, False, child)
    verdict = Containment(schemas, "old", "new", "new").verdict()
    assert verdict.kind == "unknown"
    assert "the prover crashed" in (verdict.reason or "")


def test_a_forked_process_gets_a_prover_of_its_own() -> None:
    ours = prover()
    assert prover() is ours
    if not hasattr(os, "fork"):
        pytest.skip("this system cannot fork")
    child = os.fork()
    if child == 0:
        os._exit(0 if prover() is not ours else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_difference_that_is_too_large_is_not_sent(child: Prover, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {"type": "object", "properties": {name: {"type": ["string", "null"]} for name in "abcdef"}}
    part = {"type": "object", "properties": {name: {"type": "string"} for name in "abcdef"}}
    worker = prover_worker.WorkerCase(case(child, whole, part).as_json())
    assert worker.difference("old", "new")
    monkeypatch.setattr(prover_worker, "_MOST_OF_A_DIFFERENCE", 3)
    with pytest.raises(ValueError, match="more than 3 mappings"):
        worker.difference("old", "new")
