"""The target ``docs``: Markdown pages."""
