"""Consumers: routes, dispatch, attempts, acknowledgement."""
