"""The registry of BabelQueue's own tool: a manifest, a draft-07 schema per message, and what is not enforced.

    registry.json                      read by `bqschema` and by DirProvider of the SDKs
    schemas/orders.created.v2.json     the data of a message
    NOT-ENFORCED.md                    the keywords that the SDKs ignore, and those that draft-07 lacks

References are replaced by what they refer to, because the SDKs follow none. Source: BabelQueue/babelqueue-registry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from babelreg.gen.hooks import TargetHooks
from babelreg.gen.option import CLOSED_ENUMS

if TYPE_CHECKING:
    from babelreg.gen.target import File
    from babelreg.model import Registry

summary = "A registry.json with draft-07 schemas, for bqschema and BabelQueue's SDKs"
options = (CLOSED_ENUMS,)
hooks = TargetHooks()


def files(registry: Registry, options: Mapping[str, Any]) -> Iterator[File]:
    """Yield the manifest, the schemas and the list of what is not enforced."""
    from babelreg.gen.targets.bqschema import manifest

    return manifest.files(registry, closed_enums=CLOSED_ENUMS.value(options, "bqschema"))
