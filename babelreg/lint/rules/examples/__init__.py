"""Rules about examples."""
