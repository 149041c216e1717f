"""Go code that several targets write or show: the package's name, structs of fragments, usage examples."""
