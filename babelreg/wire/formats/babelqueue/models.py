"""The typed model of a BabelQueue message: the envelope as ``contract`` decodes it."""

from babelreg.contract.envelope import Envelope, EnvelopeWarning

__all__ = ["Envelope", "EnvelopeWarning"]
