"""Plain frozen data: what a registry says, with no opinion about it and no way back to files.

``load/`` builds it, every verb reads it. Values that may be wrong (a misspelt URN, an unknown kind) are kept as
written, so that a rule can point at them; properties give the checked reading (``Message.parsed`` is an ``Urn`` or
None).
"""

from babelreg.model.bounded_context import BoundedContext
from babelreg.model.commit import Commit
from babelreg.model.edit import Edit
from babelreg.model.message import Backoff, Counterexample, Delivery, Example, Message
from babelreg.model.registry import Fragment, PlainSchemas, Registry
from babelreg.model.service import Consumption, Expectation, Service
from babelreg.model.settings import Compatibility, Settings, SparkSettings
from babelreg.model.source import Source
from babelreg.model.thresholds import Thresholds
from babelreg.model.topology import Subscription, Topology, topology
from babelreg.model.urn import Urn, UrnError
from babelreg.model.waiver import Remark, Waiver
from babelreg.model.wires import Wires

__all__ = [
    "Backoff",
    "BoundedContext",
    "Commit",
    "Compatibility",
    "Consumption",
    "Counterexample",
    "Delivery",
    "Edit",
    "Example",
    "Expectation",
    "Fragment",
    "Message",
    "PlainSchemas",
    "Registry",
    "Remark",
    "Service",
    "Settings",
    "Source",
    "SparkSettings",
    "Subscription",
    "Thresholds",
    "Topology",
    "Urn",
    "UrnError",
    "Waiver",
    "Wires",
    "topology",
]
