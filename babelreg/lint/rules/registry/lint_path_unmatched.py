"""A path in the lint settings that matches no file of the registry.

Settings for a folder that was renamed, or misspelt from the start, change nothing: the rules apply there as they do
everywhere, but the author of the entry believes otherwise.

Bad::

    # file: babelreg.yaml
    version: 1
    lint:
      paths:
        - path: order/
          profile: minimal
    # file: orders/created.yaml
    urn: urn:babel:orders:created

Good::

    # file: babelreg.yaml
    version: 1
    lint:
      paths:
        - path: orders/
          profile: minimal
    # file: orders/created.yaml
    urn: urn:babel:orders:created

Fix::

    Write the path as it is now, relative to the registry folder, or remove the entry. `orders/` is a folder and all
    below it, `*.v1.yaml` every file of such a name, `*` and `?` match letters of one name, and `**` for any
    folders. There are no other wildcards.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.path_glob import matches
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "minimal"


def check(scope: Scope) -> Iterator[Problem]:
    settings = scope.registry.settings
    entries = settings.lint.get("paths", ())
    if settings.lint_source is None or not entries:
        return
    for i, entry in enumerate(entries):
        pattern = entry["path"]
        if any(matches(pattern, path) for path in scope.paths):
            continue
        folders = {f"{path.partition('/')[0]}/" for path in scope.paths if "/" in path}
        suggestion = scope.nearest(pattern, folders | scope.paths)
        fix = "remove this entry, or name a file or folder of the registry"
        if suggestion:
            fix = f"did you mean '{suggestion}'?"
        yield Problem(
            f"the path '{pattern}' matches no file", settings.lint_source, ("lint", "paths", i, "path"), fix=fix
        )
