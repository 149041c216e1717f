"""Comparison of two schemas in both directions, as written or in their producer and reader views."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Any, Literal

from babelreg.containment.bare_schema import bare
from babelreg.containment.certificates import files
from babelreg.containment.comparison import Comparison, DirectionVerdict
from babelreg.containment.compiled_schemas import CompiledSchemas
from babelreg.containment.decision import Containment
from babelreg.containment.preconditions import obstacle
from babelreg.containment.second_validator import SchemaCase, SecondValidator, second_validator
from babelreg.errors import SchemaError, UsageError
from babelreg.schema.dialects import DIALECTS, Dialect
from babelreg.schema.upgrade import in_one_dialect
from babelreg.schema.values import identical

Reader = Literal["tolerant", "strict"]
Formats = Literal["ignored", "asserted"]


def compare(
    old: Any, new: Any, *, reader: Reader = "tolerant", formats: Formats = "ignored", dialect: str | None = None
) -> Comparison:
    """Decide whether new readers accept old data (``backward``) and old readers accept new data (``forward``).

    ``old`` and ``new`` are JSON Schemas as ``json.loads`` returns them: mappings or booleans, every ``$ref`` leading
    into the same document. ``reader="tolerant"`` compares the producer view of one with the reader view of the other
    (producers send only declared properties, readers ignore unknown ones); ``"strict"`` the schemas as written.
    ``formats="asserted"`` lets a string that is not a date break ``format: date``. ``dialect`` is one of ``draft4``,
    ``draft6``, ``draft7``, ``draft2019-09``, ``draft2020-12``; by default the one in ``$schema``. Where these differ,
    both are read as 2020-12, if no keyword means anything else there.

    The same schemas and options always get the same verdict, on every machine, except in the case described in
    docs/proofs.md. A schema that cannot be used makes both directions ``unknown``; only an invalid option raises
    UsageError.
    """
    try:
        return _pair(old, new, reader, formats, dialect).comparison()
    except SchemaError as err:
        return both(DirectionVerdict("unknown", reason=err.message, fix=err.fix))


def certify(
    old: Any, new: Any, *, reader: Reader = "tolerant", formats: Formats = "ignored", dialect: str | None = None
) -> tuple[Comparison, dict[str, Any]]:
    """Return the result of :func:`compare`, and the proofs of its compatible directions for :func:`verify`.

    The proofs are JSON: ``json.dumps`` writes them. A direction that is not compatible, or for which no proof can be
    checked, has none.
    """
    certificates: dict[str, dict[str, Any] | None] = dict.fromkeys(files.DIRECTIONS)
    verdicts = dict.fromkeys(files.DIRECTIONS, DirectionVerdict("compatible"))
    try:
        pair = _pair(old, new, reader, formats, dialect)
        for direction in files.DIRECTIONS:
            containment = pair.containment(direction)
            verdict = DirectionVerdict("compatible") if pair.same else containment.verdict()
            if verdict.kind == "compatible" and (containment.certificate is not None or containment.certify()):
                verdict = replace(verdict, certified=True)
                certificates[direction] = containment.certificate
            verdicts[direction] = verdict
        comparison = Comparison(**verdicts)
    except SchemaError as err:
        comparison = both(DirectionVerdict("unknown", reason=err.message, fix=err.fix))
    return comparison, files.document(certificates, reader=reader, formats=formats == "asserted")


def verify(
    certificates: Any,
    old: Any,
    new: Any,
    *,
    reader: Reader = "tolerant",
    formats: Formats = "ignored",
    dialect: str | None = None,
) -> list[str]:
    """Return the directions (``backward``, ``forward``) that are proved for these two schemas.

    ``certificates`` is the second result of :func:`certify`, as Python objects or read back from JSON, created with the
    same options. It is untrusted: each proof is replayed without a search, and the views of the schemas are built
    again.

    Raises CertificateRefused for a proof that is invalid, missing, or about other schemas or options; SchemaError for a
    schema that cannot be used.
    """
    pair = _pair(old, new, reader, formats, dialect)
    views = {direction: pair.containment(direction).views for direction in files.DIRECTIONS}
    return files.verify(certificates, views, pair.dialect.name, reader=reader, formats=formats == "asserted")


def _pair(old: Any, new: Any, reader: Reader, formats: Formats, dialect: str | None) -> SchemaPair:
    _known("reader", reader, ("tolerant", "strict"))
    _known("formats", formats, ("ignored", "asserted"))
    if dialect is None:
        old, new, known = in_one_dialect(old, new, formats=formats == "asserted")
    else:
        _known("dialect", dialect, tuple(DIALECTS))
        known = DIALECTS[dialect]
    return SchemaPair(old, new, known, reader=reader, formats=formats == "asserted")


def both(verdict: DirectionVerdict) -> Comparison:
    """Return a comparison with the same verdict in both directions."""
    return Comparison(verdict, verdict)


@dataclass(eq=False)
class SchemaPair:
    """Two schemas and the views in which they are compared. ``shared`` is a second validator for many pairs."""

    old: Any
    new: Any
    dialect: Dialect
    _: KW_ONLY
    reader: Reader
    formats: bool
    shared: SecondValidator | None = None

    def comparison(self) -> Comparison:
        """Return the verdict in both directions. Raises SchemaError where a schema cannot be used."""
        if self.same:
            return both(DirectionVerdict("compatible"))
        return Comparison(self.containment("backward").verdict(), self.containment("forward").verdict())

    @cached_property
    def same(self) -> bool:
        """True if the two differ in annotations at most. Raises SchemaError where a schema cannot be used."""
        same = identical(self._bare["old"], self._bare["new"])
        if same:
            self._compiled(self._written, self._bare)
        return same

    @property
    def _written(self) -> dict[str, Any]:
        return {"old": self.old, "new": self.new}

    @cached_property
    def _bare(self) -> dict[str, Any]:
        """The two schemas without annotations."""
        _require_usable(self._written, self.dialect)
        options = {"formats": self.formats, "asserted": True}
        return {name: bare(schema, self.dialect, **options) for name, schema in self._written.items()}

    def containment(self, direction: str) -> Containment:
        """Return the containment question of one direction."""
        schemas = self._viewed
        inner, outer = ("old", "new") if direction == "backward" else ("new", "old")
        if self.reader == "strict":
            return Containment(schemas, inner, outer, outer)
        return Containment(schemas, f"{inner} producer's", f"{outer} reader's", outer)

    @cached_property
    def _viewed(self) -> CompiledSchemas:
        if self.reader == "strict":
            return self._compiled(self._written, self._bare)
        from babelreg.contract import views

        named: dict[str, Any] = {}
        for name, schema in self._bare.items():
            view = views.both(schema, "tolerant", self.dialect)
            named |= {f"{name} producer's": view.producer, f"{name} reader's": view.reader}
        _require_usable(named, self.dialect)
        return self._compiled(named, named)

    def _compiled(self, named: dict[str, Any], bare: dict[str, Any]) -> CompiledSchemas:
        case = SchemaCase(named, self.dialect, formats=self.formats, validator=self.shared or second_validator())
        return CompiledSchemas(case, self._written, bare)


def _require_usable(schemas: dict[str, Any], dialect: Dialect) -> None:
    for name, schema in schemas.items():
        if problem := obstacle(schema, dialect):
            raise SchemaError(f"the {name} schema {problem}")


def _known(option: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise UsageError(f"{option}={value!r} is not known", fix=f"one of {', '.join(known)}")
