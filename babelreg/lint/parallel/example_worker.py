"""A second process that judges the examples of a large registry, and reads ahead, while the first goes on reading it.

It is handed schemas and examples as they are read, and asked at the end what it found: :class:`Ruling` values, the very
ones that the first process would come to. Whatever goes wrong with it is no matter: what it has not said, the first
process judges by itself. It starts before there is much to share, so that two processes hold little more than one.
"""

from __future__ import annotations

import contextlib
import gc
import marshal
import os
import select
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

from babelreg.lint.parallel.example_validator import ExampleValidator, Ruling, documents_of
from babelreg.lint.parallel.prefetch import ReadAhead
from babelreg.load.files.tree import Tree
from babelreg.model import Message

__all__ = ["FEWEST_FILES", "SecondProcess", "second_process"]

FEWEST_FILES = 300
"""Below, starting it takes as long as it saves."""
_PIPE_BYTES = 1 << 20


class SecondProcess:
    """The first process's end of it."""

    def __init__(self, questions: BinaryIO, answers: BinaryIO, ahead: ReadAhead) -> None:
        self.read = ahead.read
        self._questions: BinaryIO | None = questions
        self._answers = answers
        self._asked: list[str] = []
        self._rulings: dict[str, Ruling] | None = None

    def take(self, message: Message) -> None:
        """Have the examples of ``message`` judged."""
        if self._questions is None or message.schema is None:
            return
        try:
            marshal.dump((message.schema, documents_of(message)), self._questions)
        except (OSError, ValueError):
            self._close()  # it has ended; what it was asked it has not answered
        else:
            self._asked.append(message.source.path)

    def ruling(self, message: Message) -> Ruling | None:
        """What it found, or None."""
        if self._rulings is None:
            self._close()
            self._rulings = self._answered()
        return self._rulings.get(message.source.path)

    def _close(self) -> None:
        questions, self._questions = self._questions, None
        if questions is not None:
            with contextlib.suppress(OSError):
                questions.close()

    def _answered(self) -> dict[str, Ruling]:
        with contextlib.suppress(OSError, ValueError, EOFError, TypeError):
            said = marshal.load(self._answers)
            if len(said) == len(self._asked):
                return {path: Ruling(*ruling) for path, ruling in zip(self._asked, said, strict=True)}
        return {}


@contextlib.contextmanager
def second_process(files: Tree | None) -> Iterator[SecondProcess | None]:
    """Start one for the registry in ``files``; None where it would not pay, or none is wanted.

    Only on Linux: elsewhere a process that was forked may not use what the system's own libraries hold.
    """
    if files is None or not _pays(files):
        yield None
        return
    try:
        ahead = ReadAhead(files)
    except OSError:
        yield None
        return
    # Imported here, so that both have them.
    import jsonschema_rs  # noqa: F401

    from babelreg.contract import views  # noqa: F401

    (questions_out, questions_in), (answers_out, answers_in) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(questions_in)
        os.close(answers_out)
        _judge_all(questions_out, answers_in, ahead)
    os.close(questions_out)
    os.close(answers_in)
    _widen(questions_in)
    with os.fdopen(questions_in, "wb") as questions, os.fdopen(answers_out, "rb") as answers:
        try:
            yield SecondProcess(questions, answers, ahead)
        finally:
            with contextlib.suppress(OSError):
                questions.close()
            answers.close()
            ahead.close()
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, 0)


def _pays(files: Tree) -> bool:
    if sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2:
        return False
    try:
        return len(files.paths()) >= FEWEST_FILES
    except OSError:
        return False


def _judge_all(questions: int, answers: int, ahead: ReadAhead) -> None:
    """The second process: never returns, and never says a word but its answers."""
    code = 1
    try:
        gc.freeze()  # what is shared stays shared
        gc.enable()
        with os.fdopen(questions, "rb") as given, os.fdopen(answers, "wb") as taken:
            marshal.dump([_ruled(*question) for question in _asked(given, ahead)], taken)
        code = 0
    except BaseException:  # whatever it is, the first process will meet it too, and say so
        pass
    finally:
        os._exit(code)


def _asked(given: BinaryIO, ahead: ReadAhead) -> Iterator[tuple[Any, list[Any]]]:
    """The questions; while there is none, it reads ahead: the first must never wait for it."""
    while True:
        while not select.select([given], [], [], 0)[0] and ahead.step():
            pass
        try:
            yield marshal.load(given)
        except EOFError:
            return


def _ruled(schema: Any, documents: list[Any]) -> tuple[str | None, tuple[bool, ...]]:
    ruling = ExampleValidator(schema, documents=documents).ruling
    return ruling.reason, ruling.accepted


def _widen(pipe: int) -> None:
    """Let the pipe hold some hundred messages, so that neither waits for the other."""
    import fcntl

    with contextlib.suppress(OSError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
