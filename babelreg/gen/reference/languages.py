"""The names of languages of services, as people write them."""

from __future__ import annotations

from babelreg.model.service import LANGUAGES

LANGUAGE_NAMES = dict(zip(LANGUAGES, ("PHP", "Go", "Python", "Java", ".NET", "Node.js"), strict=True))
