"""Identifiers of findings, the same in every run and every machine-readable style.

They leave out the line, which every edit above a finding changes, its severity and its fix.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from babelreg.finding import Finding


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


def with_id(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Return each finding as one JSON object that begins with its ``id``."""
    return [{"id": key, **finding.as_json()} for finding, key in zip(findings, fingerprints(findings), strict=True)]
