"""Lint settings both in babelreg.yaml and in a pyproject.toml.

Only `babelreg.yaml` is used. The two are never merged, so that all settings are in one file; edits of the other have no
effect.

Bad::

    # file: babelreg.yaml
    version: 1
    lint: {profile: standard}
    # file: pyproject.toml
    [tool.babelreg.lint]
    profile = "minimal"

Good::

    # file: babelreg.yaml
    version: 1
    # file: pyproject.toml
    [tool.babelreg.lint]
    profile = "minimal"

Fix::

    Keep one of the two. `babelreg.yaml` goes with the registry wherever it is checked out; a `pyproject.toml` suits a
    registry that is a folder of a Python project.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.ERROR
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    settings = scope.registry.settings
    ignored, counted = settings.lint_ignored, settings.lint_source
    if ignored is not None and counted is not None:
        text = "these lint settings are ignored because babelreg.yaml has some, too"
        fix = "remove this table, or 'lint:' from babelreg.yaml"
        yield Problem(text, ignored, ("lint",), fix=fix, against=counted.place(("lint",), key=True))
