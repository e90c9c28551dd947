"""Wrong projects that seem to do what is asked in failures, the answer and the trace (11.4-11.6).

Each goes through the motions of a requirement, so that a judge that looks for the motions alone
would give the points.
"""

from __future__ import annotations

from tests.grading.wrong_projects import Wrong
from tests.grading.wrong_projects import _changed as changed

_PASTED = """\
    said = [t["result"].partition("(result")[0] for t in tasks.values() if t["status"] == "done"]
    if answer and not answer.startswith("No answer"):
        answer = "\\n".join([answer.splitlines()[0], *said])
    if unsaid := [gap"""
_SHOWN_FIRST = """\
            await say(client, messages, log=log, parent=step)
            messages[1]["content"] = asked.replace("\\n".join(results), results[0])
            answer = (await say(client, messages"""

_CALLS_ON = """\
    if failed:
        for _ in range(8):
            try:
                await call_again(tools[name], arguments, log, parent)
            except Exception:
                pass
    return {"role": "tool", "tool_call_id": call["id"], "content": content}, failed


async def call_again(tool, arguments, log, parent):
    step = log.open("execute_tool", tool.name, parent)
    try:
        outcome = tool.function(**json.loads(arguments or "{}"))
        return await outcome if inspect.isawaitable(outcome) else outcome
    except Exception as error:
        log.close(step, error)
        raise
"""
_NAMELESS = """\
            made |= {"status": "failed", "error": error}
            if made["attempts"] == TRIES:
                again = told.split("(ref ")[0]
                await work(client, staff[task["worker"]], again, log, step)
"""
_SAYS_ON = """\
            for _ in range(30 if text.startswith("CANNOT") else 0):
                said = await say(client, messages[:-1], log=log, parent=parent, tools=offered)
                text = said["content"] or ""
            if text.startswith("CANNOT"):
"""
_HANDBOOK = """\
def handbook():
    import importlib
    import pkgutil
    import re

    import course.scenarios as scenarios

    found = []
    for each in pkgutil.walk_packages(scenarios.__path__, "course.scenarios."):
        source = inspect.getsource(importlib.import_module(each.name))
        refusals = re.findall(r"ToolError\\(.*?\\n\\n", source, re.DOTALL)
        found += re.findall("[a-z]{2,}", " ".join(refusals))
    return "\\nHandbook: " + " ".join(dict.fromkeys(found))


HANDBOOK = handbook()
"""
_TOLD = '        step["attributes"]["switchboard.task.attempts"] = made["attempts"]\n'
_TWO = """\
        step["attributes"]["switchboard.task.attempts"] = 1
        ghost = log.open("dispatch", id, root, **{"switchboard.task.attempts": 2})
        log.close(ghost, made["error"] or None)
"""
_LAST_ALONE = """\
        below = [each for each in log.spans if each["parent_id"] == step["span_id"]]
        begun = max([e["start"] for e in below if e["operation"] == "execute_tool"], default=0)
        for each in below:
            if each["end"] < begun - 0.01 and made["attempts"] > 1:
                each["parent_id"] = root["span_id"]
"""

SEEMING = (
    # 11.4: tries that go by another name
    Wrong(
        "calls a tool that refused again and again by itself",
        changed(
            "plain",
            (
                '    return {"role": "tool", "tool_call_id": call["id"],'
                ' "content": content}, failed\n',
                _CALLS_ON,
            ),
        ),
        "11.4",
        "to be called when a worker's model asks for it",
    ),
    Wrong(
        "goes on with a task whose reference it takes away",
        changed("plain", ('            made |= {"status": "failed", "error": error}\n', _NAMELESS)),
        "11.4",
        "to hold its task's reference",
    ),
    Wrong(
        "sends the last request of a try again and again",
        changed("plain", ('            if text.startswith("CANNOT"):\n', _SAYS_ON)),
        "11.4",
        "requests in a try of",
    ),
    Wrong(
        "tells each task beforehand all that tools may say",
        changed(
            "plain",
            ("TRIES = 3\n", f"TRIES = 3\n\n\n{_HANDBOOK}"),
            (
                '            made["attempts"] += 1\n',
                '            made["attempts"] += 1\n            told += HANDBOOK\n',
            ),
        ),
        "11.4",
        "to be told of a refusal once there is one",
    ),
    # 11.5: answers that a model has written in part
    Wrong(
        "pastes the results below the first line of the model's answer",
        changed("plain", ("    if unsaid := [gap", _PASTED)),
        "11.5",
        "results of 5 are pasted into it",
    ),
    Wrong(
        "shows all results in a request whose answer it throws away",
        changed("plain", ("            answer = (await say(client, messages", _SHOWN_FIRST)),
        "11.5",
        "to see each result when it writes the answer",
    ),
    Wrong(
        "keeps the first two lines of what the model wrote",
        changed(
            "waiting",
            (
                '                said = answer.message["content"] or ""\n',
                '                lines = (answer.message["content"] or "").splitlines()\n'
                '                said = "\\n".join(lines[:2])\n',
            ),
        ),
        "11.5",
        "the answer to hold what the model wrote",
    ),
    Wrong(
        "names every task as missing, whatever happened",
        changed(
            "plain",
            ("    if unsaid := [gap for gap in gaps if gap not in answer]:\n", "    if True:\n"),
            (
                '        answer += "\\n\\nMissing: " + "; ".join(unsaid)\n',
                '        answer += "\\n\\nMissing, failed or skipped: " + ", ".join(tasks)\n',
            ),
            ("    if gaps:\n        asked +=", "    if len(tasks) < 0:\n        asked +="),
        ),
        "11.5",
        "but it says the same of all",
    ),
    # 11.6: traces that hold what is looked for
    Wrong(
        "has two dispatches for each task, whatever happened",
        changed("plain", (_TOLD, _TWO)),
        "11.6",
        "holds neither a request nor a call",
    ),
    Wrong(
        "says of each task that it was tried twice",
        changed("plain", (_TOLD, _TOLD.replace('made["attempts"]', "2"))),
        "11.6",
        "expected the trace to tell 1 try of task",
    ),
    Wrong(
        "has the last try alone in a task's dispatch",
        changed("plain", (_TOLD, _TOLD + _LAST_ALONE)),
        "11.6",
        "below the dispatch of",
    ),
)
