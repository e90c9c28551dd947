"""Who should answer? Static, dynamic and hybrid choice of a specialist, and the router pattern.

`Router` is the pattern on top of the choosers: route, let the chosen specialists answer (at once,
if they are several), and write one answer from theirs.
"""

from course.routing.choosers import (
    Chooser,
    Classifier,
    Department,
    Guess,
    HybridRouter,
    IntentClassifier,
    ModelRouter,
    NestedRouter,
    Route,
    StaticRouter,
    decide,
    descriptions,
    route,
)
from course.routing.router import Routed, Router, RouterResult

__all__ = [
    "Chooser",
    "Classifier",
    "Department",
    "Guess",
    "HybridRouter",
    "IntentClassifier",
    "ModelRouter",
    "NestedRouter",
    "Route",
    "Routed",
    "Router",
    "RouterResult",
    "StaticRouter",
    "decide",
    "descriptions",
    "route",
]
