"""The table of targets: the name a user types, and the module that writes it."""

from __future__ import annotations

from babelreg.gen.target import Target
from babelreg.gen.targets.agents import target as agents
from babelreg.gen.targets.asyncapi import target as asyncapi
from babelreg.gen.targets.bqschema import target as bqschema
from babelreg.gen.targets.catalog import target as catalog
from babelreg.gen.targets.codeowners import target as codeowners
from babelreg.gen.targets.docs import target as docs
from babelreg.gen.targets.go import target as go
from babelreg.gen.targets.jsonschema import target as jsonschema
from babelreg.gen.targets.php import target as php
from babelreg.gen.targets.python import target as python
from babelreg.gen.targets.spark import target as spark
from babelreg.gen.targets.typescript import target as typescript

__all__ = ["TARGETS", "target_for_language", "target_named"]

TARGETS: dict[str, Target] = {
    "python": python,
    "typescript": typescript,
    "go": go,
    "php": php,
    "spark": spark,
    "docs": docs,
    "jsonschema": jsonschema,
    "asyncapi": asyncapi,
    "bqschema": bqschema,
    "codeowners": codeowners,
    "agents": agents,
    "catalog": catalog,
}
_ANY_LANGUAGE = "jsonschema"
"""The target for languages without one of their own: generators of other tools read its files."""


def target_for_language(lang: str) -> str:
    """Return the name of the target that generates code for services with this ``lang``."""
    return next((name for name, target in TARGETS.items() if lang in target.hooks.languages), _ANY_LANGUAGE)


def target_named(word: str) -> str | None:
    """Return the name of the target that ``word``, which is not a name, is another word for; None for no target."""
    return next((name for name, target in TARGETS.items() if word.lower() in target.hooks.aliases), None)
