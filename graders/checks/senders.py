"""In whose name a model is asked: the run, the agent and the turn that a request's headers name."""

from __future__ import annotations

from itertools import pairwise

from graders.checks.keys import Key, by_model, keyed
from graders.records.log import Log
from graders.records.verdict import Check, Verdict, passed
from graders.records.wording import bars, clip, fail, sealed

CODES = {
    "sent.other_run": "a request went out under another run id",
    "sent.other_agent": "a request went out in another agent's name",
    "sent.same_turn": "a request has the turn's number of the one before it, or a lower one",
}


def sent_as(
    *, run: str | None = None, agent: str | None = None, turns: bool = False, key: Key | None = None
) -> Check:
    """Requests to a model say who is asking. None means that it does not matter.

    Args:
        run: the run id under which all of them go out.
        agent: the agent in whose name.
        turns: each has a higher number than the one before it.
        key: count only requests with a label; all requests to models by default.
    """

    @sealed
    def check(log: Log) -> Verdict:
        asked = [each for each in keyed(log, key or by_model()) if each.kind == "model"]
        for kind, came, wanted in (("run", "run id", run), ("agent", "agent", agent)):
            for each in asked:
                said = getattr(each.key, kind)
                if wanted not in (None, said):
                    return fail(
                        f"sent.other_{kind}",
                        expected=f"every model call to go out under the {came} {clip(wanted, 40)}",
                        got=f'got "{clip(said, 40)}"',
                        look="look at what you pass on",
                        evidence=bars(asked, [each.number]),
                    )
        for one, following in pairwise(asked if turns else ()):
            if following.key.call <= one.key.call:
                return fail(
                    "sent.same_turn",
                    expected="every model call to go out under the number of its turn",
                    got=f"got {following.key.call} after {one.key.call}",
                    look="look at what you count, and at what you pass on",
                    evidence=bars(asked, [following.number]),
                )
        return passed()

    return check
