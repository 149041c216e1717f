"""Containment of one schema in another: proof, search for a witness, verdict."""
