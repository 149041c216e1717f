"""Proofs of containment by one set of rules, which a search tries and a checker replays. docs/proofs.md describes them.

``checker``, ``rules`` and what these import are the checker; of babelreg they import parts of ``schema`` only, which
docs/proofs.md lists.
``proof`` searches, with ``search``, ``goal_search``, ``choices`` and ``table_search``: nothing of these is trusted.
``files`` writes and verifies the certificates of a comparison.
"""
