"""Commands that show a registry at the prompt."""
