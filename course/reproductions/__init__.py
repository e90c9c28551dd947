"""Published figures, measured again: `python -m course lab reproduce` prints docs/reproductions.md.

`published` has all of them; `call_counts` and `routing_curves` are two that take a module.
"""
