"""The target ``catalog``: one offline HTML file with the registry as JSON in it."""
