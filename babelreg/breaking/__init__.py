"""Breaking changes between two versions of a registry: proof or witness, affected services, next versions.

``compare`` decides containment of two schemas alone. Source: design, decision 3.
"""

from babelreg.breaking.containment.compare import compare
from babelreg.model.comparison import Comparison, DirectionVerdict

__all__ = ["Comparison", "DirectionVerdict", "compare"]
