"""Programs that use generated packages, each in a copy of a process that has imported what all of them import.

Most of the time of such a program is spent on the imports of pydantic, of the library and of the runtime, which are the
same each time. What is only true in a new interpreter (which modules a package imports, and without what it works) is
tested with new interpreters.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import generated

_TEMPORARY = tempfile.gettempdir()
_PROGRAM = """
import atexit, gc, json, os, sys, threading, traceback, types, warnings
sys.path.insert(0, sys.argv[1])
import babelqueue, jsonschema_rs, orjson, pydantic, typing_extensions
from babelreg_runtime.runtime import producer, models
from babelreg_runtime.runtime.consumer import consume
del sys.path[0]
sys.path_importer_cache.clear()
gc.collect()
gc.freeze()  # a copy that ends looks for garbage, and would copy the memory of all that is imported


def run(folder, script, words, strict):
    os.chdir(folder)
    for number, name in enumerate((os.devnull, *words)):
        os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC), number)
    sys.stdin.close()
    sys.path[0] = ""
    if strict:
        warnings.simplefilter("error")
    code = 0
    try:
        main = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(script, "<string>", "exec"), vars(main))
    except SystemExit as err:
        code = err.code if isinstance(err.code, int) else 1
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


for line in sys.stdin:
    if not (copy := os.fork()):
        run(*json.loads(line))
    print(os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]), flush=True)
"""


def run(folder: Path, script: str, *, strict: bool = False) -> subprocess.CompletedProcess[str]:
    """Run ``python -c script`` in ``folder`` to its end, with an empty input; ``strict``: a warning is an error."""
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    with tempfile.TemporaryDirectory(dir=_TEMPORARY) as output:
        paths = [os.path.join(output, name) for name in ("out", "err")]  # noqa: PTH118 -- words of a request
        print(json.dumps((os.fspath(folder), script, paths, strict)), file=server.stdin, flush=True)
        code = int(server.stdout.readline())
        return subprocess.CompletedProcess(script, code, *(Path(path).read_text("utf-8") for path in paths))


@functools.cache
def _server() -> subprocess.Popen[str]:
    """Start the process that is copied, for all programs of this process."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MYPYPATH")}
    command = [sys.executable, "-c", _PROGRAM, str(generated.runtime_folder())]
    process = subprocess.Popen(
        command, cwd=_TEMPORARY, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    atexit.register(process.communicate)
    return process
