"""A stand-in for the child, which tries to break out of its box; copied into it, like the child."""
