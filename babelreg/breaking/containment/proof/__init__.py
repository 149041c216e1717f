"""Our own proof that one schema lies within another, for what the prover cannot decide.

``proof`` takes both schemas apart, keyword by keyword; ``objects``, ``arrays`` and ``scalars`` are the cases of one
type of value each, ``texts`` compares patterns as automata. A proof is sure; no proof says nothing.
"""

from babelreg.breaking.containment.proof.inclusion import lies_within

__all__ = ["lies_within"]
