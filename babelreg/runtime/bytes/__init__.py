"""Edits of encoded envelopes that leave all other bytes unchanged."""
