"""Proofs as tests ask for them: searched, and replayed as they would be read from a file."""

from __future__ import annotations

import json
from typing import Any

from babelreg.containment.certificates.checker import check
from babelreg.containment.certificates.proof import Proof, prove
from babelreg.schema.dialects import DEFAULT, Dialect


def certificate_of(proof: Proof, inner: Any, outer: Any) -> dict[str, Any]:
    """The certificate of a proof, as it is read from a file."""
    return dict(json.loads(json.dumps({**proof.content(), "inner": inner, "outer": outer})))


def certificate(inner: Any, outer: Any, dialect: Dialect = DEFAULT, *, formats: bool = False) -> dict[str, Any] | None:
    """The certificate of a containment; None without a proof in the readings of patterns that a verdict needs."""
    proof = prove(inner, outer, dialect.name, formats=formats)
    return certificate_of(proof, inner, outer) if proof is not None and proof.complete else None


def is_subschema(
    inner: Any, outer: Any, dialect: Dialect = DEFAULT, *, formats: bool = False, steps: int | None = None
) -> bool:
    """True if a search finds that ``outer`` contains ``inner``, with patterns of ECMA-262. A replay must agree."""
    proof = prove(inner, outer, dialect.name, formats=formats, steps=steps)
    if proof is None:
        return False
    if proof.complete:
        check(certificate_of(proof, inner, outer))
    return "ecma" in proof.readings
