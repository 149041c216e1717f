"""Overview of a registry for the prompt: its messages in short, a search over them, and their changes."""

from babelreg.model.overview.changes import MessageChange, registry_changes
from babelreg.model.overview.message import MessageOverview, overviews
from babelreg.model.overview.search import Hit, SearchResult, search

__all__ = ["Hit", "MessageChange", "MessageOverview", "SearchResult", "overviews", "registry_changes", "search"]
