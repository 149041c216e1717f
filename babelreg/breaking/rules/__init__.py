"""Table of the rules of ``breaking``, by id and kind.

Contract rules decide by themselves; naming rules explain what containment has shown; noting rules report changes that
break nothing but deserve a review; waiver rules check the waivers in the settings. Naming rules are tried in the order
of the table; the last one always applies. The rule of replaced schemas names an edit that several findings come from.
Those of expectations are decided for each consumer apart.
"""

from babelreg.breaking.rules import (
    alias_removed,
    breaking_waiver_expired,
    breaking_waiver_invalid,
    breaking_waiver_lasting,
    breaking_waiver_unused,
    containment_unknown,
    data_incompatible,
    description_changed,
    enum_value_added,
    enum_value_removed,
    expectation_broken,
    expectation_removed,
    format_changed,
    item_count_changed,
    kind_changed,
    number_range_changed,
    pattern_changed,
    property_declared,
    property_names_changed,
    property_optional,
    property_removed,
    property_renamed,
    property_required,
    schema_replaced,
    sensitivity_removed,
    spark_type_changed,
    status_backward,
    text_length_changed,
    type_changed,
    union_changed,
    unit_changed,
    urn_removed,
    value_changed,
)
from babelreg.breaking.rules.rule import ContractRule, NamingRule, WaiverRule
from babelreg.finding import Severity

__all__ = [
    "CONTRACT",
    "EXPECTATION_BROKEN",
    "EXPECTATION_REMOVED",
    "NAMING",
    "NOTING",
    "PAGES",
    "REPLACED",
    "SEVERITIES",
    "UNKNOWN",
    "WAIVABLE",
    "WAIVING",
]

CONTRACT: dict[str, ContractRule] = {
    "urn-removed": urn_removed,
    "alias-removed": alias_removed,
    "kind-changed": kind_changed,
    "status-backward": status_backward,
    "property-renamed": property_renamed,
    "property-removed": property_removed,
    "sensitivity-removed": sensitivity_removed,
    "unit-changed": unit_changed,
    "spark-type-changed": spark_type_changed,
}
NOTING: dict[str, ContractRule] = {"description-changed": description_changed}
NAMING: dict[str, NamingRule] = {
    "property-declared": property_declared,
    "property-required": property_required,
    "property-optional": property_optional,
    "type-changed": type_changed,
    "value-changed": value_changed,
    "enum-value-removed": enum_value_removed,
    "enum-value-added": enum_value_added,
    "number-range-changed": number_range_changed,
    "text-length-changed": text_length_changed,
    "pattern-changed": pattern_changed,
    "format-changed": format_changed,
    "item-count-changed": item_count_changed,
    "property-names-changed": property_names_changed,
    "union-changed": union_changed,
    "data-incompatible": data_incompatible,
}
UNKNOWN = "containment-unknown"
EXPECTATION_BROKEN = "expectation-broken"
EXPECTATION_REMOVED = "expectation-removed"
REPLACED = "schema-replaced"
"""The rule of a replaced subschema, whose findings are those of other rules."""
WAIVING: dict[str, WaiverRule] = {
    "breaking-waiver-invalid": breaking_waiver_invalid,
    "breaking-waiver-expired": breaking_waiver_expired,
    "breaking-waiver-unused": breaking_waiver_unused,
    "breaking-waiver-lasting": breaking_waiver_lasting,
}
WAIVABLE = frozenset({*CONTRACT, *NAMING, *NOTING, EXPECTATION_BROKEN, EXPECTATION_REMOVED, REPLACED, UNKNOWN})
"""Rules that a waiver may name: all but the rules about waivers."""
SEVERITIES: dict[str, Severity] = {
    **{rule: module.severity for rule, module in CONTRACT.items()},
    **{rule: module.severity for rule, module in NAMING.items()},
    **{rule: module.severity for rule, module in NOTING.items()},
    EXPECTATION_BROKEN: expectation_broken.severity,
    EXPECTATION_REMOVED: expectation_removed.severity,
    REPLACED: schema_replaced.severity,
    UNKNOWN: containment_unknown.severity,
    **{rule: module.severity for rule, module in WAIVING.items()},
}
PAGES: dict[str, str] = {
    **{rule: module.__doc__ or "" for rule, module in CONTRACT.items()},
    **{rule: module.__doc__ or "" for rule, module in NAMING.items()},
    **{rule: module.__doc__ or "" for rule, module in NOTING.items()},
    EXPECTATION_BROKEN: expectation_broken.__doc__ or "",
    EXPECTATION_REMOVED: expectation_removed.__doc__ or "",
    REPLACED: schema_replaced.__doc__ or "",
    UNKNOWN: containment_unknown.__doc__ or "",
    **{rule: module.__doc__ or "" for rule, module in WAIVING.items()},
}
"""The page of each rule in the manual."""
