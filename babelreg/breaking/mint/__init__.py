"""Minting: next versions of messages and shared fragments."""
