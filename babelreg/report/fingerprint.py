"""Fingerprints that identify a finding across runs. They leave out the line, which every edit above it changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from babelreg.finding import Finding

__all__ = ["fingerprints"]


def fingerprints(findings: Sequence[Finding]) -> list[str]:
    """Return one fingerprint per finding: a hash of rule, file, pointer, direction, message and a counter."""
    from hashlib import sha256

    seen: Counter[str] = Counter()
    hashes = []
    for finding in findings:
        parts = (finding.rule, finding.place.path, finding.pointer or "", finding.direction or "", finding.message)
        key = "\0".join(parts)
        unique_key = f"{key}\0{seen[key]}" if seen[key] else key
        seen[key] += 1
        hashes.append(sha256(unique_key.encode("utf-8", "surrogatepass")).hexdigest()[:32])
    return hashes
