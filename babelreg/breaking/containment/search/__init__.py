"""Candidate documents: what the writing side may allow and the reading side may refuse.

Nothing here decides anything. Candidates only suggest; two validators judge them (``witness.py``). Everything is
generated in one fixed order, lazily, so a budget of steps always cuts at the same document.
"""
