"""Formatting of registry files, each by its role: message, context, service, shared schema or settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from babelreg.finding import Finding, Place, Severity
from babelreg.load.files.tree import MAX_BYTES
from babelreg.load.registry.overlay import Overlay
from babelreg.load.yaml.formatter import LayoutError, formatted
from babelreg.model import Registry


def roles(registry: Registry) -> Mapping[str, str]:
    """Return the role of each readable file of the registry by path: a name of ``key_order``."""
    role_of = {}
    if registry.settings.source is not None:
        role_of[registry.settings.source.path] = "settings"
    for role, declared in (
        ("context", registry.contexts.values()),
        ("service", registry.services.values()),
        ("schema", registry.fragments.values()),
        ("message", registry.messages),
    ):
        role_of |= {entry.source.path: role for entry in declared}
    return role_of


def tidy(registry: Registry, overlay: Overlay, wanted: Callable[[str], bool]) -> tuple[int, list[Finding]]:
    """Lay out the files that are ``wanted``, in ``overlay``, from which ``registry`` was read.

    Returns how many are laid out now, and the defects of those that were not touched.
    """
    looked = 0
    findings = [defect for defect in registry.defects if wanted(defect.place.path)]
    defective = {defect.place.path for defect in registry.defects}
    for path, role in sorted(roles(registry).items()):
        if not wanted(path) or path in defective:
            continue
        try:
            text = formatted(overlay.text(path), role)
            if len(text.encode()) > MAX_BYTES:
                fix = "move parts of it below _common/, or examples into a .jsonl file"
                raise LayoutError("the formatted file would exceed the size limit", fix=fix)
            overlay.put(path, text)
            looked += 1
        except LayoutError as err:
            place = Place(path, err.line, err.column)
            findings.append(Finding("layout-refused", Severity.ERROR, err.message, place, fix=err.fix))
    return looked, sorted(findings, key=lambda finding: finding.sort_key)
