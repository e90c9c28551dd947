"""Wrong projects that do every step and leave out what the step is for (11.1-11.6).

A judge that follows code words, counts tries and looks for spans would give them all points: what
the words stand for is not there, or there is more of it than anybody has asked for.
"""

from __future__ import annotations

from tests.grading.wrong_projects import Wrong
from tests.grading.wrong_projects import _changed as changed

_TRIES = "TRIES = 3\n"
_ROOT = "    root = log.open("
_TOLD = '            told = f"Task: {words}\\n"\n'
_DONE = '                made |= {"status": "done", "result": said, "error": ""}\n'
_FAILED = '            made |= {"status": "failed", "error": error}\n'
_OTHERWISE = (
    '                words = await put_otherwise(client, words, made["error"], log, step)\n'
)
_AGAIN = _OTHERWISE.replace("words, made", 'task["description"], made')
_ASKED = (
    '            answer = (await say(client, messages, log=log, parent=step))["content"] or ""\n'
)
_TALK = '    messages = [{"role": "system", "content": told}, {"role": "user", "content": words}]\n'
_RECALLED = """\
    messages = [{"role": "system", "content": told}]
    messages += [{"role": "assistant", "content": each} for each in BOARD]
    messages.append({"role": "user", "content": words})
"""
_CODE = "({each['result'].rpartition('(')[2]}"
_SAID_ONCE = """\
            if made["attempts"] == 2:
                told = sent
            sent = told
            made["attempts"] += 1
"""
_TO_THE_END = """\
    for each in log.spans:
        if each["operation"] == "dispatch":
            each["end"] = log.now()
    answer = await put_together"""
_ESTIMATE = """\
    answer += "\\n\\nThe overall score is 9417.5."
    log.close(step)
    return answer.strip()"""


def _shared(*changes: tuple[str, str]) -> str:
    """A project with a board that all workers of a run share."""
    emptied = (_ROOT, f"    BOARD.clear()\n{_ROOT}")
    return changed("plain", (_TRIES, f"{_TRIES}BOARD = []\n"), emptied, *changes)


_MENDS = """\
        plan, wrong = judged(text, {w.name for w in workers})
        for each in plan["tasks"] if plan else ():
            known, told = {t["id"] for t in plan["tasks"]}, each["description"].lower()
            each["dependencies"] = [need for need in each["dependencies"] if need in known]
            tools = [(t.name.replace("_", " "), w.name) for w in workers for t in w.tools]
            each["worker"] = next(who for tool, who in tools if told.startswith(tool))
        if plan:
            plan, wrong = judged(json.dumps(plan), {w.name for w in workers})
"""

SLY = (
    Wrong(
        "names the workers for the plan and does not say what they can do",
        changed(
            "plain",
            (
                "{w.name}: {w.description}. Tools: {', '.join(t.name for t in w.tools)}\" for w",
                '{w.name}" for w',
            ),
        ),
        "11.1",
        "but it does not say what",
    ),
    Wrong(
        "mends a bad plan by itself",
        changed(
            "plain", ("        plan, wrong = judged(text, {w.name for w in workers})\n", _MENDS)
        ),
        "11.1",
        "it was mended without it",
    ),
    Wrong(
        "shows every worker the whole request",
        changed("plain", (_TOLD, f'{_TOLD}            told += f"All of it: {{request}}\\n"\n')),
        "11.2",
        "not to see the user's whole request",
    ),
    Wrong(
        "shows every worker all results in what it says of the tools",
        _shared(
            (
                '"description": tool.description,',
                '"description": f"{tool.description} {BOARD}",',
            ),
            (_DONE, f"{_DONE}                BOARD.append(said)\n"),
        ),
        "11.2",
        "'s result, but it does",
    ),
    Wrong(
        "shows every worker all results as if the model had said them",
        _shared((_TALK, _RECALLED), (_DONE, f"{_DONE}                BOARD.append(said)\n")),
        "11.2",
        "'s result, but it does",
    ),
    Wrong(
        "tells every worker all errors so far",
        _shared(
            (_TOLD, f'{_TOLD}            told += f"Mind what failed: {{BOARD}}\\n"\n'),
            (_FAILED, f"{_FAILED}            BOARD.append(error)\n"),
        ),
        "11.2",
        "failed of, but it does",
    ),
    Wrong(
        "gives a worker the code words of the results it needs",
        changed("plain", ("{each['result']}\" for n", f'{_CODE}" for n')),
        "11.2",
        "result, all of it, but its request does not hold it",
    ),
    Wrong(
        "sends the second try again as the third",
        changed("plain", ('            made["attempts"] += 1\n', _SAID_ONCE)),
        "11.4",
        "but it was sent word for word",
    ),
    Wrong(
        "rewrites each time from the first error",
        changed("plain", (_FAILED, _FAILED.replace("error}", 'made["error"] or error}'))),
        "11.4",
        "but the error is not in it",
    ),
    Wrong(
        "asks for other words thirty times",
        changed("plain", (_OTHERWISE, f"                for _ in range(30):\n    {_AGAIN}")),
        "11.4",
        "to be put in other words once or twice between two tries",
    ),
    Wrong(
        "asks a model that is busy for ever",
        changed("plain", ("    for wait in (0.5, 1.0, None):", "    while wait := 0.01:")),
        "11.4",
        "to be given up when the model stays busy",
    ),
    Wrong(
        "waits for ever for a call that hangs",
        changed("plain", ("asyncio.timeout(90)", "asyncio.timeout(None)")),
        "11.4",
        "on everything waited for ever",
    ),
    Wrong(
        "waits for hours for a call that hangs",
        changed("plain", ("asyncio.timeout(90)", "asyncio.timeout(7200)")),
        "11.4",
        "to end within 3600 s when a call hangs",
    ),
    Wrong(
        "tells the code words of the results",
        changed(
            "plain",
            (
                '        "tasks": tasks,\n',
                '        "tasks": {id: t | {"result": t["result"][-24:]}'
                " for id, t in tasks.items()},\n",
            ),
        ),
        "11.4",
        "the worker's result as it was",
    ),
    Wrong(
        "adds a figure to the answer that nobody has found",
        changed("plain", ("    log.close(step)\n    return answer.strip()", _ESTIMATE)),
        "11.5",
        'but nobody sent "9417.5"',
    ),
    Wrong(
        "asks for the answer forty times",
        changed("plain", (_ASKED, f"            for _ in range(40):\n    {_ASKED}")),
        "11.5",
        "at most 20 requests for the answer",
    ),
    Wrong(
        "asks for an answer without saying to what",
        changed("plain", ('asked = f"{request}\\n\\nThe results', 'asked = f"The results')),
        "11.5",
        "to hold what the user has asked",
    ),
    Wrong(
        "shows the code words of the results to who writes the answer",
        changed(
            "plain",
            ("[{id}] {t['result']}\" for id", "[{id}] ({t['result'].rpartition('(')[2]}\" for id"),
        ),
        "11.5",
        "to see each result when it writes the answer",
    ),
    Wrong(
        "lets each dispatch last to the end of the run",
        changed("plain", ("    answer = await put_together", _TO_THE_END)),
        "11.6",
        "to end at",
    ),
    Wrong(
        "aggregates from the first task on",
        changed("plain", ('log.open("invoke_agent", "chief"', 'log.open("aggregate", "chief"')),
        "11.6",
        "but dispatches are in it too",
    ),
)
