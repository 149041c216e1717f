"""Own proof of one comparison in the readings of patterns that a verdict needs, with its certificate."""

from __future__ import annotations

from typing import Any

from babelreg.breaking.containment.certificates.writer import NotExpressibleError, certificate_of
from babelreg.breaking.containment.proof.conjuncts import mentions, without_unknown_keywords
from babelreg.breaking.containment.proof.derivation import Step
from babelreg.breaking.containment.proof.subschema import derive
from babelreg.schema.dialects import Dialect
from babelreg.schema.regex.python_to_ecma import ECMA, PYTHON, PYTHON_SENDER

__all__ = ["prove", "within"]

_READINGS = {"ecma": (ECMA, ECMA), "python": (PYTHON, PYTHON), "python-reader": (PYTHON_SENDER, PYTHON)}
"""By engine, how it reads the patterns of the inner and of the outer schema."""


def within(inner: Any, outer: Any, dialect: Dialect, *, formats: bool, engine: str, steps: int | None = None) -> bool:
    """Return True if our own proof shows that ``outer`` contains ``inner``, with the patterns of ``engine``.

    The search takes ``steps`` at most; by default they grow with the schemas.
    """
    left, right = (without_unknown_keywords(schema, dialect) for schema in (inner, outer))
    return derive(left, right, dialect, formats=formats, steps=steps, readings=_READINGS[engine]).step is not None


def prove(inner: Any, outer: Any, dialect: Dialect, *, formats: bool) -> dict[str, Any]:
    """Return ``{"readings", "certificate"}``: the engines for which containment was derived, and the certificate.

    The certificate lacks the two views. It is None where an engine is missing, or the checker has no rule.
    """
    left, right = (without_unknown_keywords(schema, dialect) for schema in (inner, outer))
    derivations: dict[str, Step] = {}
    patterns = any(mentions(schema, ("pattern", "patternProperties")) for schema in (left, right))
    ecma = derive(left, right, dialect, formats=formats)
    if ecma.step is not None:
        derivations["ecma"] = ecma.step
        for engine in ("python", "python-reader") if patterns else ():
            result = ecma
            if ecma.reads_patterns:
                result = derive(left, right, dialect, formats=formats, readings=_READINGS[engine])
            if result.step is not None:
                derivations[engine] = result.step
                break
    certificate = None
    if len(derivations) == 1 + patterns:
        try:
            certificate = certificate_of(left, right, derivations, dialect, formats=formats)
        except (NotExpressibleError, RecursionError, ValueError):
            certificate = None
    return {"readings": list(derivations), "certificate": certificate}
