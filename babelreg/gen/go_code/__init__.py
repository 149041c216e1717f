"""Go code that several targets write or show: structs of fragments, usage examples."""
