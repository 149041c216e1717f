"""Is the registry in order? ``lint.run(registry)`` returns findings.

``engine`` runs the rules of ``rules/``, one module each, over a ``Scope``. A rule's docstring is its page in the
manual (``manual``, ``page``); the defects that ``load`` reports have their pages in ``defects``.
"""

from babelreg.lint.config import Config
from babelreg.lint.engine import run

__all__ = ["Config", "run"]
