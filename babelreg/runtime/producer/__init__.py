"""Producers: encoding, sending, the transactional outbox."""
