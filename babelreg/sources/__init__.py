"""Inputs of a batch: folders of message files and the quarantine."""
