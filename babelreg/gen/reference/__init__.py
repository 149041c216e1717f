"""Content of reference pages: what targets docs and catalog say about a message, each in its own style of text."""
