"""Own containment proof, for what the prover cannot decide: a proof is certain, the lack of one decides nothing.

``subschema`` is the entry. ``inclusion`` decomposes both schemas keyword by keyword; ``scalars``, ``arrays`` and
``objects`` have the rules of each JSON type, ``pattern_automata`` compares patterns.
"""
