"""What a typed voice session costs: `python -m tests.benchmarks.voice`.

CPU milliseconds a model call and a turn, over the twenty seeded callers in one process, warm: a
first call is not counted. Everything is in them: LiveKit's session, tasks and spans, the client,
the simulated model, the clinic's database. The client with a wire and the one without take turns,
call by call, so that a busy machine slows both.
"""

from __future__ import annotations

import json
import time


def main() -> None:
    from course import connect
    from tests.voice.twenty import KINDS, SEEDS, Called, twenty

    clients = {
        "wired": connect(profile="instant"),
        "direct": connect(profile="instant", wire=False),
    }
    lanes = {lane: twenty(client) for lane, client in clients.items()}
    made: dict[str, list[Called]] = {lane: [] for lane in lanes}
    spent: dict[str, list[float]] = {lane: [] for lane in lanes}
    for _ in range(len(SEEDS) * len(KINDS)):
        for lane, calls in lanes.items():
            begin = time.process_time()
            made[lane].append(next(calls))
            spent[lane].append((time.process_time() - begin) * 1000)
    for lane, warm in ((lane, calls[1:]) for lane, calls in made.items()):
        took = sum(spent[lane][1:])
        print(
            json.dumps(
                {
                    "lane": lane,
                    "right": sum(each.right for each in made[lane]),
                    "cpu_ms_a_model_call": round(took / sum(each.calls for each in warm), 1),
                    "cpu_ms_a_turn": round(took / sum(each.turns for each in warm), 1),
                }
            )
        )


if __name__ == "__main__":
    main()
