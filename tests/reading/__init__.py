"""The simulated model's ruler: requests of generated businesses, each with its right answer."""
