"""The model names of the course, in one place.

The simulated model serves both. At a real endpoint they stand for whatever COURSE_MODEL and
COURSE_MODEL_SMALL name, so no chapter ever spells out a vendor's model.
"""

from __future__ import annotations

SMALL = "switchboard-small"
LARGE = "switchboard-large"
NAMES = (SMALL, LARGE)
