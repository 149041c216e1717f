"""Service repositories: settings, lock and registry source."""
