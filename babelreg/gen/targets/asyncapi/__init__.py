"""The target ``asyncapi``: queues, messages and services as an AsyncAPI document."""
