"""Checks: pure functions from a log to a verdict, each made by a factory with keyword parameters.

The same log gives the same verdict, whatever it holds; a check never raises. `table.rows()` lists
them with their codes and a message of each.
"""

from graders.checks.breakers import breaker
from graders.checks.calls import called, made, not_made
from graders.checks.combine import all_of, any_of, first_failing, viewed
from graders.checks.content import built_from, gaps_named
from graders.checks.disjoint import tools_disjoint
from graders.checks.histories import history, history_grows
from graders.checks.invention import nothing_invented
from graders.checks.keys import by_argument, by_model, by_request, by_text, by_tool, did_fail
from graders.checks.leftovers import never_blocks, nothing_left, tidied
from graders.checks.limits import rate, within
from graders.checks.order import dependencies, sequence
from graders.checks.outcome import raises, returned
from graders.checks.overlap import concurrency, parallel
from graders.checks.planning import Fields
from graders.checks.plans import planned
from graders.checks.refine import refined
from graders.checks.retry import backed_off, is_transient
from graders.checks.schemas import typed
from graders.checks.senders import sent_as
from graders.checks.timeouts import partial, times_out
from graders.checks.traces import trace_agrees
from graders.checks.values import equals, fits

__all__ = [
    "Fields",
    "all_of",
    "any_of",
    "backed_off",
    "breaker",
    "built_from",
    "by_argument",
    "by_model",
    "by_request",
    "by_text",
    "by_tool",
    "called",
    "concurrency",
    "dependencies",
    "did_fail",
    "equals",
    "first_failing",
    "fits",
    "gaps_named",
    "history",
    "history_grows",
    "is_transient",
    "made",
    "never_blocks",
    "not_made",
    "nothing_invented",
    "nothing_left",
    "parallel",
    "partial",
    "planned",
    "raises",
    "rate",
    "refined",
    "returned",
    "sent_as",
    "sequence",
    "tidied",
    "times_out",
    "tools_disjoint",
    "trace_agrees",
    "typed",
    "viewed",
    "within",
]
