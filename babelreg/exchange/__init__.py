"""Formats of other tools, brought into the registry: folders of JSON Schemas, AsyncAPI, registry.json of bqschema."""
