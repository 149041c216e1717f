"""Redrive of dead letters: validated, sent to their queue again, confirmed by the broker, then removed."""
