"""An internet provider's support: customers, lines and their faults in SQLite, in two tiers.

`HelpDesk(seed=7)` gives a help desk of its own to each run; `tiers(desk)` are its agents;
`calls(desk, "port")` are customers with that fault, who say what a caller would say.
"""

from __future__ import annotations

from course.scenarios.support.calls import Call, calls, fault_of
from course.scenarios.support.helpdesk import HelpDesk, tiers

__all__ = ["Call", "HelpDesk", "calls", "fault_of", "tiers"]
