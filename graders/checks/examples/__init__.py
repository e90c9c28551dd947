"""For every code of every check a small log that earns it, and logs that pass.

Documentation prints them and tests hold them to their word.
"""
