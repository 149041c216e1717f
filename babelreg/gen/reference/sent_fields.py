"""Frequency of each field of a message, by the coverage of the registry."""

from __future__ import annotations

from collections.abc import Callable

from babelreg.gen.reference.text_style import TextStyle
from babelreg.model import Message, Registry
from babelreg.model.coverage import UNSEEN

_MOST = 5


def sent_fields(registry: Registry, message: Message, style: TextStyle) -> Callable[[str], str]:
    """Return a function of the path of a field, as tables show it; an empty text where nothing is known."""
    coverage = registry.coverage.messages.get(message.urn) if registry.coverage is not None else None
    if coverage is None:
        return lambda path: ""

    def sent(path: str) -> str:
        volume = coverage.fields.get(path)
        if volume is None:
            return ""
        members = coverage.enums.get(path, {}) if volume != UNSEEN else {}
        unseen = [style.code(member) for member, times in sorted(members.items()) if times == UNSEEN]
        more = f" and {len(unseen) - _MOST} more" if len(unseen) > _MOST else ""
        never = f", never {', '.join(unseen[:_MOST])}{more}" if unseen else ""
        return ("never" if volume == UNSEEN else volume) + never

    return sent
