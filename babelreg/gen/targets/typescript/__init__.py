"""The target ``typescript``: types of messages for services on Node."""
