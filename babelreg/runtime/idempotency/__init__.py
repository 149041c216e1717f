"""Ledgers of handled messages."""
