"""The target ``codeowners``: who reviews which file of the registry."""
