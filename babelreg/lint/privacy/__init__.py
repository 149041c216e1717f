"""Detection of personal data by names, values and marks."""
