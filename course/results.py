"""What comes of a task: a result with its evidence, or a failure of a known kind, and the gaps."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Literal

from course.answers import Usage
from course.context import Context
from course.contradictions import Contradiction
from course.tools import Outcome, outcome_of

Kind = Literal[
    "timeout", "model", "limit", "refused", "depth", "policy", "error", "unconfirmed",
    "worker", "decomposition", "aggregation",
]  # fmt: skip
Cause = Literal["task", "unavailable", "model", "limit", "dependency"]
Status = Literal["done", "failed", "skipped"]
AnswerKind = Literal["result", "cannot", "question", "empty"]

CANNOT = "CANNOT:"
"""How an answer begins with which a worker says that it could not do its task."""
NOT_HELD = "the condition does not hold"
"""How a tool refuses what hangs on a condition: it has not failed, and is not tried again."""
_CANNOT = re.compile(r"\W*cannot\b\W*", re.IGNORECASE)  # models put it in bold, among other things


@dataclass(frozen=True)
class Failure:
    """Why something has no result. Built in chapter 04; its cause counts from chapter 08 on.

    Attributes:
        kind: of what a supervisor delegates: "timeout" (it took too long), "model" (the worker's
            model cannot be used), "limit" (the worker's or the whole run's), "refused" (by a
            person), "depth" (too many inside each other), "policy" (never allowed), "unconfirmed"
            (its own check refused it twice), "error" (anything else that broke). Of a plan:
            "timeout", "worker" (it could not do its task), "decomposition" (there is no valid
            plan), "aggregation" (no answer could be made).
        error: one line for the model that reads it, and for you.
        cause: what helps. "task": put differently it may work. "unavailable": a tool or the worker
            did not answer, so wait and ask again. "model": the call was tried again already, so
            only somebody else can help. "limit": nothing more may be spent. "dependency": what it
            builds on is missing.
    """

    kind: Kind
    error: str
    cause: Cause = "task"

    def __str__(self) -> str:
        return f"{self.kind}: {self.error}"


@dataclass(frozen=True)
class Evidence:
    """A tool call behind a result: what was asked, what came back, and how. Built in chapter 06."""

    tool: str
    arguments: str
    result: str
    outcome: Outcome = "ok"

    @property
    def failed(self) -> bool:
        """Whether there is an error instead of a result."""
        return self.outcome != "ok"


def evidence_in(context: Context) -> tuple[Evidence, ...]:
    """A conversation's tool calls with what came back. Built in chapter 08."""
    came = {m["tool_call_id"]: m for m in context.messages if m["role"] == "tool"}
    calls: list[Any] = [c for m in context.messages for c in m.get("tool_calls") or ()]
    found = []
    for call in calls:
        answer, asked = came.get(call["id"], {"content": ""}), call["function"]
        outcome, said = outcome_of(answer), str(answer["content"])
        said = said if outcome == "ok" else str(json.loads(said)["error"])
        found.append(Evidence(asked["name"], asked["arguments"], said, outcome))
    return tuple(found)


def none_worked(evidence: Collection[Evidence]) -> Failure | None:
    """Why tool calls are behind no result: every one of them failed, so that it is a guess. None
    where one worked, there was none, or one was not to be made, as a condition does not hold.
    """
    errors = [each for each in evidence if each.failed and not each.result.startswith(NOT_HELD)]
    if not errors or len(errors) < len(evidence):
        return None
    last = errors[-1]
    said = last.result.removeprefix(f"{last.tool} ").removeprefix("failed: ")
    no = all(each.outcome == "refused" for each in errors)
    return Failure("refused" if no else "error", f"{last.tool}: {said}", cause_of(last))


def cause_of(failed: Evidence) -> Cause:
    """Whether a tool refused, or broke and may work again. Built in chapter 08."""
    return "unavailable" if failed.outcome == "error" else "task"


def asks_back(words: str) -> bool:
    """Whether something that was said waits for an answer."""
    return words.rstrip().endswith("?")


def read_answer(answer: str) -> tuple[AnswerKind, str]:
    """What kind of answer a model's words are, with the reason of a "cannot" and the line of a
    "question". Nowhere else are an answer's words read for that. Used in chapter 08.
    """
    words = answer.strip()
    if refusal := _CANNOT.match(words):
        return "cannot", words[refusal.end() :].strip() or "no reason given"
    if asks_back(words):
        return "question", words.splitlines()[-1]
    return ("result" if words else "empty"), words


@dataclass(frozen=True)
class Attempt:
    """One try at a task: how it was put, why it failed (None: it worked), and how long it took on
    the loop's clock (seconds). Built in chapter 08.
    """

    worker: str
    words: str
    failure: Failure | None = None
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class TaskResult:
    """What came of one task, in a form that outlives the run. Built in chapter 06.

    Attributes:
        status: "done", "failed", or "skipped" (it was never begun).
        result: the worker's answer; after a failure, the last thing it said.
        evidence: the tool calls behind it, as they were seen, not as the worker tells them.
        usage: tokens of all tries, those of rewriting included.
        attempts: every try that came to an end, oldest first.
        rests_on, without: ids of the tasks whose results it was given, or had to do without.
        gaps, contradictions: what a team's answer lacks, and where its results disagree.
    """

    task_id: str
    worker: str
    status: Status = "done"
    result: str = ""
    evidence: tuple[Evidence, ...] = ()
    usage: Usage = field(default_factory=Usage)
    failure: Failure | None = None
    attempts: tuple[Attempt, ...] = ()
    rests_on: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    seconds: float = 0.0
    gaps: tuple[Gap, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()

    @property
    def done(self) -> bool:
        """Whether there is a result."""
        return self.status == "done"


@dataclass(frozen=True)
class Gap:
    """What the answer should rest on and does not: what a task was to find out, why it failed, and
    which tasks ran without it, or never ran because of it. Built in chapter 09.
    """

    task_id: str
    what: str
    why: str
    affects: tuple[str, ...] = ()

    def inside(self, task_id: str) -> Gap:
        """The gap in a team's answer as seen from outside, where the team did this task."""
        touched = tuple(f"{task_id}/{id}" for id in self.affects)
        return Gap(f"{task_id}/{self.task_id}", self.what, self.why, touched)

    def __str__(self) -> str:
        touched = f" It was needed for {', '.join(self.affects)}." if self.affects else ""
        return f"{self.task_id} ({self.what}): {self.why.removesuffix('.')}.{touched}"
