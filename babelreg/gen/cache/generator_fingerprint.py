"""The fingerprint of the generator: babelreg's code, the templates, and the packages that both depend on.

It is a digest of the code and not only of its version, so that a change of a target takes effect at once.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass

from babelreg import __version__
from babelreg.cache import fingerprint
from babelreg.gen.render import folder

PARTS = ("atomic_write.py", "breaking", "cache", "cli/gen", "cli/shared/pinned_registry.py",
         "cli/shared/registry_options.py", "containment", "contract", "errors.py", "finding.py", "gen", "git",
         "lazy_pattern.py", "load", "model", "place.py", "plural.py", "runtime", "schema", "suggest.py",
         "typed_json.py", "typemap", "wire")  # fmt: skip
"""The parts of babelreg that generated files depend on."""
BUILT_ON = (
    "datamodel_code_generator",
    "jinja2",
    "jsonschema_rs",
    "markupsafe",
    "orjson",
    "pydantic",
    "pyyaml",
)
"""The packages that generated files depend on."""
_MODEL_GENERATOR = "datamodel_code_generator"
"""The package among them whose releases change the generated text."""


@dataclass(frozen=True, slots=True)
class GeneratorFingerprint:
    """``mark`` is the same on every machine with this babelreg and is written into the list of files; ``key`` is local.

    With the same ``mark``, the same inputs give the same text. With the same ``key``, the same registry files give the
    same inputs, too.
    """

    mark: str
    key: str


def generator_fingerprint() -> GeneratorFingerprint | None:
    """Return the fingerprint of this babelreg, or None if its files or a package cannot be found."""
    try:
        code = fingerprint.code([*PARTS, str(folder())])
    except OSError:
        return None
    versions = fingerprint.versions(BUILT_ON)
    if versions is None:
        return None
    model_generator = next(version for version in versions if version.startswith(_MODEL_GENERATOR))
    mark = hashlib.blake2b(f"{__version__} {model_generator} ".encode() + code, digest_size=8)
    key = hashlib.blake2b(f"{sys.version} {versions} ".encode() + code, digest_size=20)
    return GeneratorFingerprint(mark.hexdigest(), key.hexdigest())
