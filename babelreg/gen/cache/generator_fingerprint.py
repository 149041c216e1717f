"""What generated files come from besides the registry: our own code, the templates, and what both are built on.

The code itself is digested and not only its version, so that whoever works on a target sees what it writes now.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass

from babelreg import __version__
from babelreg.cache import fingerprint
from babelreg.gen.render import folder

__all__ = ["BUILT_ON", "PARTS", "Maker", "maker"]

PARTS = ("atomic_write.py", "cache", "cli/gen.py", "cli/shared/gen_unsupported.py", "cli/shared/gen_run.py",
         "cli/shared/gen_service.py", "cli/shared/options.py", "cli/shared/service_repo.py", "contract", "errors.py",
         "finding.py", "gen", "git", "load", "model", "runtime", "schema", "suggest.py", "typemap")  # fmt: skip
"""The parts of babelreg that a generated file comes from."""
BUILT_ON = ("datamodel_code_generator", "jinja2", "jsonschema_rs", "markupsafe", "orjson", "pydantic", "pyyaml")
"""The packages that a generated file comes from."""
_SPELLS = "datamodel_code_generator"
"""The one of them whose releases write other text from the same input."""


@dataclass(frozen=True, slots=True)
class Maker:
    """``mark`` is the same wherever this babelreg is installed, and stands beside generated files; ``key`` is not.

    Same ``mark``, same inputs: same text. Same ``key``, same files of a registry: same inputs too.
    """

    mark: str
    key: str


def maker() -> Maker | None:
    """What makes files here and now; None where that cannot be told."""
    try:
        code = fingerprint.code([*PARTS, str(folder())])
    except OSError:
        return None
    versions = fingerprint.versions(BUILT_ON)
    if versions is None:
        return None
    spells = next(version for version in versions if version.startswith(_SPELLS))
    mark = hashlib.blake2b(f"{__version__} {spells} ".encode() + code, digest_size=8)
    key = hashlib.blake2b(f"{sys.version} {versions} ".encode() + code, digest_size=20)
    return Maker(mark.hexdigest(), key.hexdigest())
