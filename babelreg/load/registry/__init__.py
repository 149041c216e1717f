"""Registry folders: discovery, settings, documents, references, the model."""
