"""``babelreg redrive``: dead letters back to their queues."""
