"""The child process: it may crash or hang, and costs one answer."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from babelreg.containment import second_validator_worker
from babelreg.containment.second_validator import (
    SchemaCase,
    SecondValidator,
    ValidatorLost,
    second_validator,
)
from babelreg.schema.dialects import DEFAULT

# Python's re needs exponential time to refuse forty characters.
ENDLESS = {"type": "string", "pattern": "^(a+)+$"}


@pytest.fixture
def child() -> Iterator[SecondValidator]:
    started = SecondValidator(hang_seconds=60)
    yield started
    started.stop()


def case(child: SecondValidator, old: Any, new: Any) -> SchemaCase:
    return SchemaCase({"old": old, "new": new}, DEFAULT, formats=False, validator=child)


def test_a_hang_costs_one_answer() -> None:
    child = SecondValidator(hang_seconds=1)
    try:
        with pytest.raises(ValidatorLost, match="did not answer within 1 seconds"):
            case(child, True, ENDLESS).refuted("old", "new", ["a" * 40 + "!"])
        child.hang_seconds = 60  # a loaded machine takes long to start the next one
        assert case(child, {"enum": [1, 2]}, {"enum": [1]}).refuted("old", "new", [1, 2]) == [False, True]
    finally:
        child.stop()


def test_an_answer_that_takes_too_much_processor_time_is_given_up(child: SecondValidator) -> None:
    with pytest.raises(ValidatorLost, match="too much processor time"):
        case(child, True, ENDLESS).refuted("old", "new", ["a" * 40 + "!"])
    assert case(child, {"enum": [1, 2]}, {"enum": [1]}).refuted("old", "new", [1, 2]) == [False, True]


def test_one_child_serves_many_pairs(child: SecondValidator) -> None:
    for bound in range(20):
        asked = case(child, {"minimum": bound}, {"minimum": bound + 1})
        assert asked.refuted("old", "new", [bound, bound + 1]) == [True, False]
    assert child.started == 1


def test_a_child_that_was_started_before_it_is_asked_is_the_one_that_answers(child: SecondValidator) -> None:
    child.start()
    child.start()
    asked = case(child, {"const": 1}, {"type": "string"})
    assert asked.refuted("old", "new", [1]) == [True]
    assert child.started == 1


def test_nothing_is_left_of_a_child_that_was_stopped(child: SecondValidator) -> None:
    assert case(child, {"const": 1}, {"type": "integer"}).refuted("old", "new", [1]) == [False]
    process, threads = child._process, threading.active_count()
    assert process is not None
    child.stop()
    assert threads == threading.active_count()
    assert process.returncode is not None


def test_a_child_that_was_killed_is_replaced(child: SecondValidator) -> None:
    asked = case(child, {"const": 1}, {"type": "integer"})
    assert asked.refuted("old", "new", [1]) == [False]
    assert child._process is not None
    child._process.kill()
    child._process.wait()
    assert asked.refuted("old", "new", [1]) == [False]
    assert child.started == 2


def test_the_second_validator_knows_the_formats_of_references(child: SecondValidator) -> None:
    formats = {said: {"format": said} for said in ("uri", "uri-reference", "iri", "iri-reference")}
    documents = ["http://exämple.org/ö", "http://a.org/b", "/ö", "/b", "\\\\x"]
    asked = SchemaCase({"old": True, **formats}, DEFAULT, formats=True, validator=child)
    refuted = {said: asked.refuted("old", said, documents) for said in formats}
    assert refuted == {
        "uri": [True, False, True, True, True],
        "uri-reference": [True, False, True, False, True],
        "iri": [False, False, True, True, True],
        "iri-reference": [False, False, False, False, True],
    }


NEW_PROCESS = """
import sys
sys.path.insert(0, sys.argv[1])
import second_validator_worker
def case(name):
    schemas = {"old": True, "new": {"format": name}}
    return second_validator_worker.WorkerCase(
        {"schemas": schemas, "validator": "Draft202012Validator", "formats": True}
    )
case("uri").refuted("old", "new", ["x"])
"""


def _printed_in_a_new_process(code: str) -> list[str]:
    """Return the words that ``code`` prints after the worker has answered for another format."""
    folder = str(Path(second_validator_worker.__file__).parent)
    done = subprocess.run(
        [sys.executable, "-P", "-c", NEW_PROCESS + code, folder], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_the_grammar_of_iris_is_built_only_for_schemas_that_name_them() -> None:
    code = """
before = "lark" in sys.modules, "rfc3987_syntax" in sys.modules
named = case("iri")
print(*before, "lark" in sys.modules, *named.refuted("old", "new", ["x", "a:b"]))
"""
    # It takes most of the time that a question has, so it is built before one is asked.
    assert _printed_in_a_new_process(code) == ["False", "False", "True", "True", "False"]


def test_the_library_of_durations_is_imported_only_for_schemas_that_name_them() -> None:
    code = """
before = "arrow" in sys.modules, "isoduration" in sys.modules
named = case("duration")
print(*before, "isoduration" in sys.modules, *named.refuted("old", "new", ["x", "P1D", "P", "PT0.5S", 1]))
"""
    assert _printed_in_a_new_process(code) == ["False", "False", "True", "True", "False", "True", "False", "False"]


def test_what_the_validator_cannot_read_is_lost_with_its_reason(child: SecondValidator) -> None:
    with pytest.raises(ValidatorLost, match="could not answer"):
        case(child, {"pattern": "("}, True).refuted("old", "new", ["a"])
    assert child.started == 1


def test_nothing_is_fetched(child: SecondValidator) -> None:
    remote = {"$ref": "http://127.0.0.1:9/schema.json"}
    with pytest.raises(ValidatorLost, match="could not answer"):
        case(child, remote, True).refuted("old", "new", [1])


def test_a_forked_process_gets_a_validator_of_its_own() -> None:
    ours = second_validator()
    assert second_validator() is ours
    if not hasattr(os, "fork"):
        pytest.skip("this system cannot fork")
    child = os.fork()
    if child == 0:
        os._exit(0 if second_validator() is not ours else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
