"""Subscriptions: queues that brokers copy each message of a URN to, and the consumers that read them."""
