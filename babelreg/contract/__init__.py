"""What a message must satisfy: one parser, one set of envelope rules, one pair of views, one verdict.

``validate``, generated consumers and Spark use this, and so cannot disagree. It takes ``{urn: bundled schema}``; it
knows no registry and no YAML, for it is copied into generated packages.
"""

from babelreg.contract.envelope import Envelope
from babelreg.contract.verdict import Contract, Verdict

__all__ = ["Contract", "Envelope", "Verdict"]
