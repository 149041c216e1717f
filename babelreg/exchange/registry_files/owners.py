"""The owner of each imported message: as its source says, by CODEOWNERS, or as given for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from babelreg.exchange.message_sources import ImportSources, SourceMessage
from babelreg.exchange.sources.codeowners import CodeOwners, owner_name


@dataclass(frozen=True, slots=True)
class Owners:
    """``names`` maps owners of the registry to their spellings in CODEOWNERS; ``default`` is the owner of the rest."""

    codeowners: CodeOwners | None = None
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    default: str | None = None

    def of(self, sources: ImportSources, message: SourceMessage) -> str | None:
        """Return the owner of a message; None where nobody is known."""
        own = message.facts.get("owner")
        if isinstance(own, str) and own:
            return own
        if self.codeowners is not None:
            path = sources.root / sources.index.files[message.target[0]].document.path
            owners = self.codeowners.owners(path)
            if owners:
                return owner_name(owners[0], self.names)
        return self.default
