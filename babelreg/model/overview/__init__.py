"""What people ask of a registry at the prompt: its messages in short, and a search over them."""

from babelreg.model.overview.changes import MessageChange, registry_changes
from babelreg.model.overview.message import MessageOverview, overviews
from babelreg.model.overview.search import Hit, SearchResult, search

__all__ = ["Hit", "MessageChange", "MessageOverview", "SearchResult", "overviews", "registry_changes", "search"]
