"""Breaking changes: whether two versions of a schema are compatible, proved where it can be, and whom a break hurts.

``compare`` answers containment alone. Source: design, decision 3.
"""

from babelreg.breaking.containment.compare import compare
from babelreg.model.comparison import Comparison, DirectionVerdict

__all__ = ["Comparison", "DirectionVerdict", "compare"]
