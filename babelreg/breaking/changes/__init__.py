"""Pairs of published and present messages, their ids, waivers and removed fields."""
