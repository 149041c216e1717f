"""Rules about producers, consumers and services."""
