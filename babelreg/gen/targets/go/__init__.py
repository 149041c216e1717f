"""The target ``go``: types of messages for services in Go."""
