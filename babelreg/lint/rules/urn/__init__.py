"""Rules about URNs."""
