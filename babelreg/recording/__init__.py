"""Brokers, as the command line uses them: their URLs, recording from them, redrive of dead letters.

It stands on the transports of ``runtime``; services import nothing of it.
"""
