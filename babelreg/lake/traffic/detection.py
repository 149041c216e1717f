"""Detectors of personal data and secrets for sketches: those of lint."""

from __future__ import annotations

from babelreg.analysis.sketch.text_detection import Detectors
from babelreg.lint.privacy.pii_values import personal_value
from babelreg.lint.privacy.publishable import is_data_name, is_publishable

_CATEGORIES = {"e-mail address": "email", "bank account": "bank_account", "card number": "card_number"}


def detectors() -> Detectors:
    """Return the detectors of lint's rules on privacy. They can be pickled."""
    return Detectors(is_data_name, _has_public_texts, is_publishable, _category_of_text)


def _has_public_texts(names: tuple[str, ...]) -> bool:
    return is_publishable(names, "a")


def _category_of_text(text: str) -> str | None:
    value = personal_value(text, ("card",))
    return _CATEGORIES[value.what] if value else None
