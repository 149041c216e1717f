"""Registry -> files: what a target is, how templates are filled, how files reach the disk.

Adding a target: one module in ``targets/``, one line in ``targets.TARGETS``, its templates in ``templates/<name>/``
and one test of the same name.
"""

from babelreg.gen.target import File, Target
from babelreg.gen.write import WriteResult, check, write

__all__ = ["File", "Target", "WriteResult", "check", "write"]
