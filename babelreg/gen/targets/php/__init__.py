"""The target ``php``: classes of messages for services in PHP."""
