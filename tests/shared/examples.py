"""Numbers of cases that property tests draw."""

from __future__ import annotations

from hypothesis import settings


def fewer(examples: int, otherwise: int | None = None) -> int:
    """Return ``examples`` in the suite, for a test whose cases are dear; ``make fuzz`` draws ``otherwise``.

    None stands for as many as the profile draws where a test names no number.
    """
    if settings.get_current_profile_name() == "suite":
        return examples
    return otherwise or settings.default.max_examples
