"""Conversations in a fixed order, at a counter: a restaurant, a checkout, a booking and a form.

`steps` has their parts, `uses` the four; `course.run(restaurant(window), person=...)` holds one.
"""

from __future__ import annotations

from course.scenarios.counter.steps import Ask, Heard, Linear, ReadBack
from course.scenarios.counter.uses import booking, checkout, form, restaurant

__all__ = ["Ask", "Heard", "Linear", "ReadBack", "booking", "checkout", "form", "restaurant"]
