"""Breaking changes between two versions of a registry: proof or witness, affected services, next versions.

``babelreg.containment`` decides whether one schema accepts what another does.
"""
