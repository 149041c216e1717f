"""Pairs of published and present messages, removed fields, waivers and change ids."""
