"""Dialects of JSON Schema, and the keywords of each that hold subschemas.

A registry is written in 2020-12, or draft-07 by ``$schema``. The older ones and 2019-09 are known so that two
schema files can be compared in the dialect they are written in.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from babelreg.errors import SchemaError

if TYPE_CHECKING:
    from jsonschema_rs import Validator

SENSITIVITY = "x-gdpr-sensitive"
"""The mark of personal data. It counts beside a ``$ref`` in every dialect."""


class KeywordShape(enum.Enum):
    """Shape of a keyword's value. Where it may also hold something else, only schemas count."""

    ONE = "one schema"
    LIST = "a list of schemas"
    MAP = "schemas by name"
    ONE_OR_LIST = "one schema, or a list"
    MAP_OR_NAMES = "by name, schemas or lists of names"


class Reach(enum.Enum):
    """Part of an instance that a keyword's subschemas apply to."""

    IN_PLACE = "the instance itself; to be valid it must satisfy all, one or some of them"
    CONDITION = "the instance itself; failing is not a refusal (not, if)"
    PROPERTY = "values of its properties"
    ITEM = "its items"
    NAME = "its property names"
    NOWHERE = "nothing, unless a $ref leads there"


class Keyword(NamedTuple):
    """A keyword that holds subschemas."""

    shape: KeywordShape
    reach: Reach


class Dialect(NamedTuple):
    """One version of JSON Schema.

    ``name`` is for the command line, ``uri`` for ``$schema``. ``ref_alone``: a ``$ref`` makes every keyword beside it
    void. ``booleans``: ``true`` and ``false`` are schemas.
    """

    name: str
    uri: str
    validator: str
    keywords: Mapping[str, Keyword]
    ref_alone: bool
    booleans: bool = True
    identifier: str = "$id"

    def validator_for(self, schema: Any, *, formats: bool = True) -> Validator:
        """Return a compiled validator that fetches nothing.

        Raises SchemaError when the schema cannot be compiled.
        """
        import jsonschema_rs

        from babelreg.schema.exact_bounds import compared_exactly

        compiled = getattr(jsonschema_rs, self.validator)
        with compiling():
            exact, keywords = compared_exactly(schema)
            options = {**judging(formats), **({"keywords": keywords} if keywords else {})}
            validator: Validator = compiled(exact, **options)
            return validator

    def is_named(self, uri: Any) -> bool:
        """Return True if ``uri``, the value of a ``$schema``, names this dialect; see :func:`identify`."""
        return isinstance(uri, str) and _path(uri) == _path(self.uri)

    def only_refers(self, schema: Any) -> bool:
        """Return True for a ``$ref`` beside which this dialect ignores every keyword."""
        return self.ref_alone and isinstance(schema, dict) and "$ref" in schema

    def knows(self, reference: str) -> bool:
        """Return True when the dialect has this keyword of a reference, such as ``$dynamicRef``."""
        return reference == "$ref" or _DYNAMIC[reference] == self.name

    def anchors(self, schema: Mapping[str, Any]) -> Iterator[str]:
        """Yield the names that ``schema`` gives itself, for references such as ``#name``."""
        keywords = (self.identifier,) if self.ref_alone else ("$anchor", "$dynamicAnchor")
        for keyword in keywords:
            name = schema.get(keyword)
            if not isinstance(name, str) or (keyword == "$dynamicAnchor" and not self.knows("$dynamicRef")):
                continue
            if not self.ref_alone:
                yield name
            elif name.startswith("#"):
                yield name[1:]

    def resource_id(self, schema: Any) -> str | None:
        """Return the identifier by which ``schema`` is a resource of its own; None where it has none."""
        name = schema.get(self.identifier) if isinstance(schema, dict) and not self.only_refers(schema) else None
        return name if isinstance(name, str) and not name.startswith("#") else None

    @property
    def metaschema(self) -> dict[str, str]:
        """A schema that admits the schemas of this dialect."""
        return {"$schema": self.uri, "$ref": self.uri}

    @property
    def metaschema_validator(self) -> Validator:
        """A validator of the schemas of this dialect."""
        return _metaschema_validator(self.name)

    @property
    def anything(self) -> Any:
        """The schema that admits everything."""
        return True if self.booleans else {}

    @property
    def nothing(self) -> Any:
        """The schema that admits nothing."""
        return False if self.booleans else {"not": {}}


@cache
def _metaschema_validator(name: str) -> Validator:
    dialect = DIALECTS[name]
    return dialect.validator_for(dialect.metaschema)


def judging(formats: bool) -> dict[str, Any]:
    """Return the options of every validator: ``formats`` asserted or not, and nothing fetched.

    ``Jo <jo@example.com>`` is not an email address (RFC 5321, 4.1.2, "Mailbox"), but jsonschema-rs accepts it by
    default.
    """
    import jsonschema_rs

    mailbox = jsonschema_rs.EmailOptions(allow_display_text=False)
    return {"validate_formats": formats, "email_options": mailbox, "offline": True}


@contextmanager
def compiling() -> Iterator[None]:
    """Raise SchemaError for a schema that jsonschema-rs refuses to compile, and for one on which it panics."""
    import jsonschema_rs

    try:
        yield
    except (ValueError, jsonschema_rs.ReferencingError) as err:
        raise SchemaError(f"the schema cannot be used: {_first_line(err)}") from err
    except BaseException as err:  # a panic of Rust is no Exception, and no module exports its class
        if type(err).__name__ != "PanicException":
            raise
        raise SchemaError(
            f"the schema cannot be used: jsonschema-rs fails on it ({_first_line(err)}); an $id may occur twice",
            fix="use each $id for only one subschema, or refer to definitions by path: #/$defs/NAME",
        ) from err


def _first_line(err: BaseException) -> str:
    return str(err).partition("\n")[0][:300]


_BASE = {
    "allOf": Keyword(KeywordShape.LIST, Reach.IN_PLACE),
    "anyOf": Keyword(KeywordShape.LIST, Reach.IN_PLACE),
    "oneOf": Keyword(KeywordShape.LIST, Reach.IN_PLACE),
    "not": Keyword(KeywordShape.ONE, Reach.CONDITION),
    # 2019-09 split it, and validators still apply it
    "dependencies": Keyword(KeywordShape.MAP_OR_NAMES, Reach.IN_PLACE),
    "properties": Keyword(KeywordShape.MAP, Reach.PROPERTY),
    "patternProperties": Keyword(KeywordShape.MAP, Reach.PROPERTY),
    "additionalProperties": Keyword(KeywordShape.ONE, Reach.PROPERTY),
    "items": Keyword(KeywordShape.ONE_OR_LIST, Reach.ITEM),
    "additionalItems": Keyword(KeywordShape.ONE, Reach.ITEM),
    "definitions": Keyword(KeywordShape.MAP, Reach.NOWHERE),
}
_SIX = {
    **_BASE,
    "contains": Keyword(KeywordShape.ONE, Reach.ITEM),
    "propertyNames": Keyword(KeywordShape.ONE, Reach.NAME),
}
_SEVEN = {
    **_SIX,
    "if": Keyword(KeywordShape.ONE, Reach.CONDITION),
    "then": Keyword(KeywordShape.ONE, Reach.IN_PLACE),
    "else": Keyword(KeywordShape.ONE, Reach.IN_PLACE),
}
_2019 = {
    **_SEVEN,
    "dependentSchemas": Keyword(KeywordShape.MAP, Reach.IN_PLACE),
    "unevaluatedProperties": Keyword(KeywordShape.ONE, Reach.PROPERTY),
    "unevaluatedItems": Keyword(KeywordShape.ONE, Reach.ITEM),
    "contentSchema": Keyword(KeywordShape.ONE, Reach.NOWHERE),
    "$defs": Keyword(KeywordShape.MAP, Reach.NOWHERE),
}
_2020 = {
    **_2019,
    "items": Keyword(KeywordShape.ONE, Reach.ITEM),
    "prefixItems": Keyword(KeywordShape.LIST, Reach.ITEM),
}
del _2020["additionalItems"]

_ALL = (
    Dialect("draft4", "http://json-schema.org/draft-04/schema#", "Draft4Validator", _BASE, True, False, "id"),
    Dialect("draft6", "http://json-schema.org/draft-06/schema#", "Draft6Validator", _SIX, True),
    Dialect("draft7", "http://json-schema.org/draft-07/schema#", "Draft7Validator", _SEVEN, True),
    Dialect("draft2019-09", "https://json-schema.org/draft/2019-09/schema", "Draft201909Validator", _2019, False),
    Dialect("draft2020-12", "https://json-schema.org/draft/2020-12/schema", "Draft202012Validator", _2020, False),
)
DIALECTS: Mapping[str, Dialect] = MappingProxyType({dialect.name: dialect for dialect in _ALL})
DEFAULT = DIALECTS["draft2020-12"]
_DYNAMIC = {"$dynamicRef": "draft2020-12", "$recursiveRef": "draft2019-09"}
_BY_PATH = {dialect.uri.partition("://")[2].rstrip("#"): dialect for dialect in _ALL}


def identify(schema: Any) -> Dialect:
    """Return the dialect that ``$schema`` names; 2020-12 where it is absent.

    Spellings that people mix up name the same dialect: http and https, with and without ``#``.

    Raises SchemaError when the dialect is not known.
    """
    uri = schema.get("$schema") if isinstance(schema, dict) else None
    if uri is None:
        return DEFAULT
    found = _BY_PATH.get(_path(uri)) if isinstance(uri, str) else None
    if found is None:
        raise SchemaError(
            f"$schema {str(uri)[:100]!r} is not a known dialect of JSON Schema",
            fix=f"remove $schema for 2020-12, or write {DIALECTS['draft7'].uri}",
        )
    return found


def _path(uri: str) -> str:
    """Return ``uri`` without its scheme and without what may be left out at its end."""
    scheme, _, rest = uri.partition("://")
    return rest.removeprefix("www.").rstrip("#/") if scheme in ("http", "https") else uri


def is_valid_schema(schema: Any) -> bool:
    """Return True for a schema of a known dialect that its metaschema accepts."""
    try:
        return identify(schema).metaschema_validator.is_valid(schema)
    except SchemaError:
        return False


def dialect_of(schema: Any) -> Dialect:
    """Return the dialect that ``$schema`` names; 2020-12 where it is absent or not known."""
    try:
        return identify(schema)
    except SchemaError:
        return DEFAULT
