"""The package ``babelreg_runtime``: the runtime of generated code with ``runtime: package``.

It contains everything that any generated package may import: the runtime, the wire formats, the contract, and what
these import. It shares no file with babelreg, so that both can be installed together, in different versions.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg import __version__
from babelreg.gen.targets.python import runtime_source

__all__ = ["PACKAGE", "package_files"]

PACKAGE = "babelreg_runtime"
_PARTS = ("runtime", "wire", "contract")

_INIT = f'''\
"""The runtime of Python packages that babelreg {__version__} generates: producers, consumers and the contract.

It offers the names of ``{PACKAGE}.runtime``; packages that run on it share them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "{__version__}"

if TYPE_CHECKING:
    from .runtime import *


def require_runtime(generated: str, package: str) -> None:
    """See ``runtime.version_floor``, which is imported only where the versions differ: every service starts here."""
    if generated != __version__:
        from .runtime.version_floor import require_runtime as refuse

        refuse(generated, package)


def __getattr__(name: str) -> Any:
    from importlib import import_module

    runtime = import_module(".runtime", __name__)
    if name not in runtime.__all__:
        raise AttributeError(f"module {{__name__!r}} has no attribute {{name!r}}")
    return getattr(runtime, name)
'''


def package_files() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each file.

    A module keeps its lines, so a traceback names the same lines as in babelreg.
    """
    yield f"{PACKAGE}/__init__.py", _INIT
    yield f"{PACKAGE}/py.typed", ""
    reached = runtime_source.reachable(runtime_source.below(*_PARTS))
    for path in sorted(reached.files):
        yield f"{PACKAGE}/{path}", runtime_source.relative(path)
    for path in sorted(reached.parents):
        yield f"{PACKAGE}/{path}", runtime_source.docstring_of(path)
