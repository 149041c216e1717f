"""Names of an import: URNs for sources, file names for fragments, and the plan that holds them."""
