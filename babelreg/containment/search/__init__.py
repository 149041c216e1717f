"""Candidate documents, which the producer side may allow and the reader side may refuse.

Candidates decide nothing; two validators check them (``witness.py``). They are generated lazily in a fixed order, so a
budget of steps always ends at the same document.
"""
