"""Certificates of containment: derivations that an independent checker replays. docs/proofs.md describes them.

``checker`` and ``pattern_tables`` are the checker; they import the resolver of references and nothing else of babelreg.
``writer`` makes a certificate from a derivation of the proof, ``files`` writes and verifies those of a comparison.
"""
