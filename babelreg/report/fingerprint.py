"""What makes two findings of two runs the same finding: not the line it stands on, which every edit above it moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from babelreg.finding import Finding

__all__ = ["fingerprints"]


def fingerprints(findings: Sequence[Finding]) -> list[str]:
    """One for each finding: of its rule, file, pointer and message, and of which of several alike it is."""
    from hashlib import sha256

    seen: Counter[str] = Counter()
    found = []
    for finding in findings:
        parts = (finding.rule, finding.place.path, finding.pointer or "", finding.direction or "", finding.message)
        same = "\0".join(parts)
        whole = f"{same}\0{seen[same]}" if seen[same] else same
        seen[same] += 1
        found.append(sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:32])
    return found
