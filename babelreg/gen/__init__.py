"""Code and documents generated from a registry: targets, templates, and writing files.

Adding a target: one module or package in ``targets/``, one line in ``targets.TARGETS``, its templates in
``templates/<name>/`` and one test of the same name.
"""

from babelreg.gen.target import File, Target
from babelreg.gen.write import WriteResult, check, write

__all__ = ["File", "Target", "WriteResult", "check", "write"]
