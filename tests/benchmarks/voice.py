"""What a typed voice session costs: `python -m tests.benchmarks.voice`.

CPU milliseconds a model call and a turn, over the twenty seeded callers in one process, warm: a
first call is not counted. Everything is in them: LiveKit's session, tasks and spans, the client,
the simulated model, the clinic's database.
"""

from __future__ import annotations

import json
import time


def main() -> None:
    from tests.voice.twenty import twenty

    calls = twenty()
    next(calls)
    begin = time.process_time()
    made = list(calls)
    spent = (time.process_time() - begin) * 1000
    print(
        json.dumps(
            {
                "right": sum(each.right for each in made) + 1,
                "cpu_ms_a_model_call": round(spent / sum(each.calls for each in made), 1),
                "cpu_ms_a_turn": round(spent / sum(each.turns for each in made), 1),
            }
        )
    )


if __name__ == "__main__":
    main()
