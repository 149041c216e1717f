"""Program of a worker process: ``python -m babelreg.lake.engine.worker``.

Its input has two messages a task: the pickled function, empty if it is that of the task before, and the pickled item.
Its output has one: the pickled result, the exception, and the traceback as text. It ends with its input, at once.
"""

from __future__ import annotations

import os
import pickle
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Any, NoReturn

from babelreg.lake.engine import frames
from babelreg.lake.engine.lean_arrow import import_arrow


def main() -> NoReturn:
    """Run tasks until the input ends."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a task prints must not get between the answers
    tasks: SimpleQueue[tuple[bytes, bytes]] = SimpleQueue()
    # A thread of its own, so that a task at work ends too when the process that wants its result is gone.
    threading.Thread(target=_read, args=(os.fdopen(os.dup(0), "rb"), tasks), daemon=True).start()
    with suppress(ImportError):  # of tasks that need no Arrow; the others say what is missing
        import_arrow()
    work: Callable[[Any], Any] = _no_work
    while True:
        function, item = tasks.get()
        try:
            work = pickle.loads(function) if function else work
            answer = pickle.dumps((work(pickle.loads(item)), None, ""))
        except BaseException as err:
            answer = pickle.dumps((None, _picklable(err), traceback.format_exc()))
        try:
            frames.write(output, answer)
        except OSError:
            os._exit(0)  # nobody reads it


def _read(stream: IO[bytes], tasks: SimpleQueue[tuple[bytes, bytes]]) -> None:
    while (function := frames.read(stream)) is not None and (item := frames.read(stream)) is not None:
        tasks.put((function, item))
    os._exit(0)


def _no_work(item: Any) -> Any:
    raise RuntimeError("the first task has no function")


def _picklable(err: BaseException) -> BaseException:
    """Return ``err``, or an exception that says the same if it cannot be sent."""
    try:
        return pickle.loads(pickle.dumps(err))  # type: ignore[no-any-return]
    except Exception:
        return RuntimeError(f"{type(err).__name__}: {err}")


if __name__ == "__main__":
    main()
