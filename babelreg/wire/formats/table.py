"""Table of the wire formats, by the name that ``--wire`` takes: a new one is a package, a line here, and a test."""

from __future__ import annotations

from babelreg.wire.format import NATIVE, Format
from babelreg.wire.formats import babelqueue, cloudevents, flowlayer, phpmq, plain_json, strata

FORMATS: dict[str, Format] = {
    NATIVE: babelqueue,
    "flowlayer": flowlayer,
    "phpmq": phpmq,
    "strata": strata,
    "cloudevents": cloudevents,
    "json": plain_json,
}
