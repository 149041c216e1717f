"""Schemas of several files in one: references resolved, dialects translated, shared parts told from those of one."""
