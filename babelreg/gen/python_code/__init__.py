"""Python code that several targets write or show: package options, models per kind, layout, usage examples."""
