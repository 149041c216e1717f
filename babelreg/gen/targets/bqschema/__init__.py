"""The target ``bqschema``: the registry that BabelQueue's own tool and SDKs read."""
