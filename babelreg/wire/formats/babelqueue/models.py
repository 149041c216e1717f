"""The typed model of a BabelQueue message: the envelope as ``contract`` decodes it."""

from babelreg.contract.envelope import Envelope, Warned

__all__ = ["Envelope", "Warned"]
