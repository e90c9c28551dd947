"""The box that a student's code is judged in, and the choice of what it is made of."""

from __future__ import annotations

from graders.box.choice import choose
from graders.box.limits import Limits
from graders.box.warm import Box, BoxError, Ending, Lent, Parent, Used, warm

__all__ = ["Box", "BoxError", "Ending", "Lent", "Limits", "Parent", "Used", "choose", "warm"]
