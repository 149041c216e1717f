"""The target ``agents``: instructions for coding agents in AGENTS.md."""
