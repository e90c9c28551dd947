"""A sales copilot: one question, answered from a table of figures and from visit reports.

`Market(seed=7)` gives figures and reports of its own to each run, `Copilot(market)` answers.
"""

from __future__ import annotations

from course.scenarios.sales_copilot.copilot import Copilot
from course.scenarios.sales_copilot.market import Market

__all__ = ["Copilot", "Market"]
