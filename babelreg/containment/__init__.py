"""Containment of one JSON Schema in another: proof, search for a witness, verdict.

``compare`` decides it for two schemas in both directions, ``certify`` also returns the proofs of the compatible
directions, and ``verify`` replays them without a search. Built on ``schema`` and ``contract`` alone. Source: design,
decision 3.
"""

from babelreg.containment.certificates.checker import CertificateRefused
from babelreg.containment.comparison import Comparison, DirectionVerdict
from babelreg.containment.schema_pair import certify, compare, verify

__all__ = ["CertificateRefused", "Comparison", "DirectionVerdict", "certify", "compare", "verify"]
