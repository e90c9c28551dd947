"""What a request to the scripted model asks for, told by its content alone.

Nobody tells the model who asks it. A plan, a piece of work, another wording and an answer are
known by what stands in the request, in whatever prompt a student has written.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from course.models.wire import ChatRequest
from graders.checks.text import content_words, folded, leaves, share, words
from graders.exercises.ch11.errands import Errand, Job
from graders.exercises.kit import *

Kind = Literal["plan", "work", "rewrite", "answer", "unknown"]

REFERENCE = re.compile(r"(?<![^\W_])([A-Z]\d[A-Z]\d)(?![^\W_])")
RESULT = re.compile(r"(?<![^\W_])([A-Z]\d[A-Z]\d)-([0-9a-z]{6,})(?![^\W_])")
CARRIED = 0.6
"""Share of an error's words with which a text is taken to carry it."""

_REWORDS = re.compile(
    r"\b(re-?(writ|phras|word|formulat)\w*|refin\w+|revis\w+|improv\w+|restat\w+"
    r"|put\w* .{0,20}differently|(correct|chang)\w* (the )?task|new (task|wording))",
    re.IGNORECASE,
)
_COMBINES = re.compile(
    r"\b(combin\w+|merg\w+|synthes\w+|summar\w+|aggregat\w+|final answer|one answer|results?:)",
    re.IGNORECASE,
)
_CALLS_FOR_PLAN = (re.compile(r"\btasks?\b", re.I), re.compile(r"depend", re.I))


@dataclass(frozen=True)
class Reading:
    """A request as the model reads it.

    Attributes:
        request: as it was sent.
        job: what the model knows how to do.
        known: the tools that workers have.
        errors: what tools said in earlier tries, by reference.
    """

    request: ChatRequest
    job: Job
    known: frozenset[str]
    errors: Mapping[str, Sequence[str]]

    @cached_property
    def text(self) -> str:
        """All that people wrote, tool results left out."""
        said = [m for m in self.request.messages if m.get("role") != "tool"]
        return "\n".join(_content(message) for message in said)

    @cached_property
    def asked(self) -> str:
        """The same without what a model has answered in between."""
        return self._said_by("system", "developer", "user")

    def _said_by(self, *roles: str) -> str:
        said = [m for m in self.request.messages if m.get("role") in roles]
        return "\n".join(_content(message) for message in said)

    @cached_property
    def offered(self) -> frozenset[str]:
        """The workers' tools that are offered."""
        return self.known.intersection(tool.name for tool in self.request.tools)

    @cached_property
    def refs(self) -> tuple[str, ...]:
        """Tasks that are named, in order of their first mention."""
        bare = RESULT.sub(" ", self.asked)
        return tuple(r for r in dict.fromkeys(REFERENCE.findall(bare)) if r in self.job.by_ref)

    @cached_property
    def results(self) -> dict[str, str]:
        """References of tasks whose results are shown, with the code word of each."""
        return {ref: code for ref, code in RESULT.findall(self.asked) if ref in self.job.by_ref}

    @cached_property
    def kind(self) -> Kind:
        """What is asked for."""
        if self.offered:
            return "work"
        if self.plan_tool or (self._wants_plan and not self.results and not self.failed):
            return "plan"
        if self._rewords:
            return "rewrite"
        if self.results or self.failed or folded(self.job.text) in folded(self.text):
            return "answer"
        return "rewrite" if len(self.refs) == 1 else "unknown"

    @property
    def _wants_plan(self) -> bool:
        whole = f"{self.text}\n{json.dumps(self.request.schema or {})}"
        return all(each.search(whole) for each in _CALLS_FOR_PLAN)

    @property
    def _rewords(self) -> bool:
        """One task, its error, and either the wish for other words or nothing else at all."""
        troubled = self.failed or re.search(r"error|fail|refus|cannot", self.asked, re.IGNORECASE)
        if not self.refs or not troubled:
            return False
        if self.results and folded(self.job.text) in folded(self.asked):
            return False
        alone = len(self.refs) == 1 and not self.results
        if alone and folded(self.job.text) not in folded(self.asked):
            return True
        rewords, combines = (len(p.findall(self.asked)) for p in (_REWORDS, _COMBINES))
        return rewords > combines or (rewords > 0 and not self.results)

    @cached_property
    def plan_tool(self) -> str:
        """The tool through which a plan is wanted; "" where it is wanted as text."""
        wanted = (t for t in self.request.tools if "tasks" in t.parameters.get("properties", {}))
        return next((tool.name for tool in wanted), "")

    @property
    def plan_fields(self) -> frozenset[str]:
        """The names of fields that a schema, or the tool for a plan, speaks of."""
        tools = [t.parameters for t in self.request.tools if t.name == self.plan_tool]
        return frozenset(leaves([self.request.schema or {}, *tools]))

    @cached_property
    def failed(self) -> tuple[str, ...]:
        """Tasks whose error is shown; where some of them are named, these alone."""
        every = self.job.by_ref
        found = tuple(
            ref
            for ref, said in self.errors.items()
            if any(self.carries(error, every[ref]) for error in said)
        )
        return tuple(ref for ref in found if ref in self.refs) or found

    def carries(self, error: str, errand: Errand) -> bool:
        """Whether an error is told: whole, or by more than the words it has from the task."""
        return self.told_of(error, errand) >= CARRIED

    def told_of(self, error: str, errand: Errand) -> float:
        """How much of an error is told, from 0 to 1, the words left out that the task has too."""
        if folded(error) in folded(self.asked):
            return 1.0
        wanted = content_words(error) - content_words(errand.says)
        return share(wanted or set(words(error)), words(self._said_by("user")))

    @cached_property
    def task(self) -> Errand | None:
        """What a worker is to do: of several tasks the one that its tools and the rest lead to."""
        fitting = [r for r in self.refs if self.job.by_ref[r].call.tool in self.offered]
        candidates = self._most_named(fitting or list(self.refs))
        needed = {n for ref in candidates for n in self.job.by_ref[ref].needs}
        last = [ref for ref in candidates if ref not in needed and ref not in self.results]
        chosen = last or candidates
        return self.job.by_ref[chosen[0]] if chosen else None

    def _most_named(self, refs: Sequence[str]) -> list[str]:
        """Those that are named most often: one's own task stands apart from a list of all."""
        named = REFERENCE.findall(RESULT.sub(" ", self.asked))
        most = max((named.count(ref) for ref in refs), default=0)
        return [ref for ref in refs if named.count(ref) == most]

    @property
    def answered(self) -> Mapping[str, Any] | None:
        """The tool message that the request ends in, if it does."""
        last = self.request.messages[-1] if self.request.messages else {}
        return last if last.get("role") == "tool" else None


def _content(message: Mapping[str, Any]) -> str:
    return "\n".join(leaves(message.get("content"), keys=False))


def error_in(text: str) -> str:
    """What a tool message says went wrong, without the form a student has put it in."""
    try:
        said = json.loads(text)
    except ValueError:
        said = text
    while isinstance(said, dict) and said:
        said = said.get("error", said.get("message", next(iter(said.values()))))
    return " ".join(str(said).split())


def is_result(text: str, errand: Errand) -> bool:
    """Whether a tool message holds what the errand's tool gives, and not what it refuses with."""
    there = words(text)
    gives, refuses = content_words(errand.result), content_words(errand.refusal)
    if errand.refusal and share(refuses - gives, there) >= CARRIED:
        return False
    return share(gives - refuses or set(words(errand.result)), there) >= CARRIED / 2
