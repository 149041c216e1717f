"""The lake folder: manifests, tables, ids, locks."""
