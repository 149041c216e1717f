"""Names and places of the files of a registry: what a file declares follows from its path."""

from __future__ import annotations

import re

from babelreg.lazy_pattern import LazyPattern

SETTINGS = "babelreg.yaml"
SERVICE_REPO = "babelreg.service.yaml"
CONTEXT = "_context.yaml"
COMMON = "_common"
SERVICES = "_services"
SCHEMAS = "_schemas"

_YAML = LazyPattern(r".*\.ya?ml\Z", re.IGNORECASE | re.DOTALL)
# What an editor or a person puts behind a name to keep a copy: created.yaml.bak, created.yaml~, created.yaml.txt
_DATA_FILE = LazyPattern(r".*\.(?:ya?ml|json)(?:\.(?:txt|bak|old|orig|save|copy|tmp))*~*\Z", re.IGNORECASE | re.DOTALL)


def is_yaml(path: str) -> bool:
    """Return True for a name that ends in .yaml or .yml, in upper or lower case."""
    return _YAML.match(path) is not None


def is_data_file(path: str) -> bool:
    """Return True for a name of YAML or JSON, in upper or lower case, or of a copy of such a file."""
    return _DATA_FILE.match(path) is not None


def well_placed(path: str) -> bool:
    """Return True for the place of the settings, a fragment, a service, a context or a message."""
    folder, slash, name = path.partition("/")
    if not slash:
        return path == SETTINGS
    if "/" in name or not name.endswith(".yaml"):
        return False
    if folder.startswith("_"):
        return folder in (COMMON, SERVICES)
    return not name.startswith("_") or name == CONTEXT


def is_shared(path: str) -> bool:
    """Return True for the files that any message may depend on: those at the top, fragments and contexts."""
    return "/" not in path or path.startswith(f"{COMMON}/") or path.endswith(f"/{CONTEXT}")
