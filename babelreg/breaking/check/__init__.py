"""The check of a registry against its baseline: findings, their grouping and their impact."""
