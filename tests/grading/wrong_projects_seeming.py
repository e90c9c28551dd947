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

SEEMING = (
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
)
