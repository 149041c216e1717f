"""Files in, :class:`babelreg.model.Registry` out.

Nothing here raises for what a file contains: everything that cannot be read becomes a finding in
``Registry.defects`` with file, line and column, and the rest of the registry is still there. What raises
(UsageError) is a folder that is no registry at all.
"""

from babelreg.load.build import from_tree
from babelreg.load.locate import find_root, registry

__all__ = ["find_root", "from_tree", "registry"]
