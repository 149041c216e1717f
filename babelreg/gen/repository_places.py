"""The places of CODEOWNERS and AGENTS.md in the repository of a registry, and the place of the registry in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from babelreg.gen.hooks import RunPlace
from babelreg.gen.option import REGISTRY_FOLDER

_FOLDERS = (".github", ".", "docs", ".gitlab")
"""Where code hosts look for the file, in the order of GitHub."""


def codeowners_folder(root: Path) -> Path:
    """Return the folder of the CODEOWNERS that exists, else that of a new one. ``root`` is the registry."""
    repository = _repository(root)
    places = [repository / folder for folder in _FOLDERS]
    existing = next((place for place in places if (place / "CODEOWNERS").is_file()), None)
    default = repository / ".gitlab" if (repository / ".gitlab-ci.yml").is_file() else repository / ".github"
    return _shown(existing or default)


def repository_folder(root: Path) -> Path:
    """Return the folder of the repository that holds the registry ``root``; ``root`` itself outside of one."""
    return _shown(_repository(root))


def with_registry_folder(options: Mapping[str, Any], place: RunPlace) -> dict[str, Any]:
    """Return ``options`` with the path of the registry in its repository, where no user gave it.

    The path has forward slashes; "." is the repository itself.
    """
    root = place.registry
    return {REGISTRY_FOLDER.key: root.resolve().relative_to(_repository(root)).as_posix(), **options}


def unread_note(folder: Path, root: Path) -> str | None:
    """Return why no code host reads the CODEOWNERS in ``folder``; None where hosts do. ``root`` is the registry."""
    repository = _repository(root)
    file = (folder / "CODEOWNERS").as_posix()
    if not (repository / ".git").exists():
        return f"{file} is not read by code hosts: {_shown(root.resolve())} is not in a git repository"
    if folder.resolve() not in {repository / place for place in _FOLDERS}:
        places = f"{', '.join(_FOLDERS[:-1])} and {_FOLDERS[-1]}"
        return f"{file} is not read by code hosts: hosts look in {places} of the repository"
    return None


def _repository(root: Path) -> Path:
    resolved = root.resolve()
    return next((folder for folder in (resolved, *resolved.parents) if (folder / ".git").exists()), resolved)


def _shown(folder: Path) -> Path:
    return Path(os.path.relpath(folder))
