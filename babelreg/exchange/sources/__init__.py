"""Source files of an import: where they are, what they hold, who owns them."""
