"""Names of tables, and the place that holds them.

``urn:babel:orders:created.v2`` is stored in ``orders_created_v2__rows``: the name of the Python module and of the views
that ``gen spark`` writes, and ``__rows``. The rule is injective over all URNs, so that a table keeps its name whatever
else the registry declares: a URN whose name would not tell it from another one, because it contains ``-`` or ``_`` or
begins with a digit, also has the first eight hex digits of its SHA-256: ``user-mail:sent`` is
``user_mail_sent__16244265__rows``. Names of other tables begin with ``babelreg__``, which no URN gives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256

from babelreg.errors import UsageError
from babelreg.model import Urn
from babelreg.typemap.python.names import module_name

QUARANTINE, COUNTS, BATCHES, DIGESTS = (
    "babelreg__quarantine",
    "babelreg__counts",
    "babelreg__batches",
    "babelreg__digests",
)

_TOLD_APART = re.compile(r"urn:babel:[a-z][a-z0-9]*:[a-z0-9.]+\Z")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")
_SCHEMA = re.compile(r"\w+(\.\w+)+\Z")


def base_name(urn: str) -> str:
    """Return the name of the views of ``urn``, from which no other URN's name can be made."""
    name = module_name(Urn.parse(urn))
    return name if _TOLD_APART.match(urn) else f"{name}__{sha256(urn.encode()).hexdigest()[:8]}"


def table_name(urn: str) -> str:
    """Return the name of the table of ``urn``."""
    return f"{base_name(urn)}__rows"


@dataclass(frozen=True, slots=True)
class TablePlace:
    """A schema of a catalog, or a folder: ``catalog.schema``, ``s3a://bucket/path``, ``/path``."""

    at: str

    @classmethod
    def of(cls, at: str) -> TablePlace:
        """Return the place that is written ``at``. Raises UsageError."""
        if cls(at).is_folder or _SCHEMA.match(at):
            return cls(at.rstrip("/") or at)
        raise UsageError(
            f"at={at!r} is neither a schema nor a folder",
            fix="name a schema (at='catalog.schema'), or a folder by its address or absolute path (at='s3a://bucket/x')",
        )

    @property
    def is_folder(self) -> bool:
        """Whether tables are folders below an address, without a catalog."""
        return self.at.startswith("/") or bool(_ADDRESS.match(self.at))

    @property
    def schema(self) -> str:
        """The schema in SQL."""
        return ".".join(f"`{part}`" for part in self.at.split("."))
