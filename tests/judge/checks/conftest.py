"""Property tests are bounded by their number of examples, never by a stopwatch."""

from hypothesis import settings

settings.register_profile("switchboard", deadline=None, derandomize=True)
settings.load_profile("switchboard")
