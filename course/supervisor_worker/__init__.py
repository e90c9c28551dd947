"""A supervisor that plans."""
