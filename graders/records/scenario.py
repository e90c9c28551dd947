"""The world an exercise is judged in: what its tools and its model do, and how long they take.

A scenario is made from a seed, in the trusted process. Nothing of it but `params`, the names and
schemas of the tools, and the replies as they fall due ever reaches the judged code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from course.models import ApiError, ChatRequest, Reply
from graders.records.verdict import Check


@dataclass(frozen=True, slots=True)
class Ask:
    """A request as a behaviour sees it.

    Attributes:
        number: how many requests of this tool or model came before it.
        arguments: a tool's arguments; empty for a model.
        request: a model's request; None for a tool.
        time: virtual seconds at which it arrived.
        token: fresh text to put into the answer, so that only who asked can know it.
        running: how many requests of this tool or model are open, this one included.
    """

    number: int
    arguments: Mapping[str, Any]
    request: ChatRequest | None
    time: float
    token: str
    running: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a behaviour answers, after `seconds` of virtual time.

    `value` is a tool's result (plain JSON values or text) or a model's `Reply` or text; `error`
    instead makes the call fail: text for a tool (a ToolError), an `ApiError` for a model.
    `never` leaves it open until the caller gives up.
    """

    value: Any = None
    seconds: float = 0.0
    error: str | ApiError | None = None
    never: bool = False


ToolBehaviour = Callable[[Ask], Answer]
ModelBehaviour = Callable[[Ask], Answer | Reply | str]


@dataclass(frozen=True)
class ToolOffer:
    """A tool of the scenario: what the judged code is told of it, and what it does."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    behaviour: ToolBehaviour
    timeout: float | None = 30.0


@dataclass(frozen=True)
class Scenario:
    """One world: tools, model, and the plain values (`params`) that the stage gets to see.

    `places` are the exercise's words for what the stage gives back; see `graders.checks.places`.
    """

    tools: Sequence[ToolOffer] = ()
    model: ModelBehaviour | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)


ScenarioMaker = Callable[..., Scenario]
"""Makes a world from a `random.Random`; in an exercise with a `choice` from what was chosen too."""


@dataclass(frozen=True)
class Trial:
    """One thing that is checked: a stage, the worlds it is played in, and what must be seen.

    Attributes:
        title: as the student reads it, such as "runs the calls at the same time".
        stage: source text of `async def stage(bench, student)`: plays the student's definition on
            the bench's client, tools and params and returns what is to be looked at. It runs
            beside the student's code, so it may hold no secret.
        scenario: makes the world from a random generator, seeded by the judge.
        checks: what must hold of the log; the first that fails is the verdict.
        points: what it is worth.
    """

    title: str
    stage: str
    scenario: ScenarioMaker
    checks: Callable[[Scenario], Sequence[Check]]
    points: float = 1.0


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an exercise's contract, as the chapter says it.

    Attributes:
        text: the sentence, word for word as it stands in the exercise's heading cell or in the
            docstring of its solution cell; line breaks do not count.
        trials: titles of the trials that look at it.
        broken_by: the wrong answer that breaks it and nothing else: its name among the wrong
            answers of the exercise in `tests/answers`.
        codes: codes of verdicts, or their first halves, that mean this sentence; empty where
            every verdict of its trials does.
        given: why no answer can break it, such as that it says what is handed over; empty for
            every other sentence.
    """

    text: str
    trials: tuple[str, ...] = ()
    broken_by: str = ""
    codes: tuple[str, ...] = ()
    given: str = ""

    def is_meant(self, trial: str, code: str) -> bool:
        """Whether a verdict with this code on this trial says that the sentence was broken."""
        if trial not in self.trials:
            return False
        return not self.codes or any(f"{code}.".startswith(f"{each}.") for each in self.codes)


@dataclass(frozen=True)
class Exercise:
    """An exercise as data: what is judged, in which trials, for how many points.

    `visible_seed` is played in the notebook, `hidden_seeds` for the verdict that counts.

    Attributes:
        builds_on: finished definitions that stand in for the notebook's: name to place.
        cells: grade ids of the solution cells that solve it; empty: the one of its own number.
        choice: a name that the submission gives a text; its worlds are made for that text, which
            is "" when there is none.
        contract: what the chapter asks for, sentence by sentence: its section in `docs/contracts`.
        finished: where the package has what the exercise builds: name to "module:attribute".
            Nothing of it may stand in for an answer; it plays the right run beside one that failed.
        places: how messages name what its stages give back; see `graders.checks.places`.
    """

    number: str
    definitions: tuple[str, ...]
    trials: tuple[Trial, ...]
    visible_seed: int = 1
    hidden_seeds: tuple[int, ...] = (2, 3)
    builds_on: Mapping[str, str] = field(default_factory=dict)
    cells: tuple[str, ...] = ()
    choice: str = ""
    contract: tuple[Sentence, ...] = ()
    finished: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)

    @property
    def grade_ids(self) -> tuple[str, ...]:
        """The names of its solution cells: "1.2" is in ex_1_2, unless it says otherwise."""
        return self.cells or ("ex_" + self.number.replace(".", "_"),)

    @property
    def points(self) -> float:
        """What the exercise is worth."""
        return sum(trial.points for trial in self.trials)

    @property
    def asked(self) -> str:
        """All that its contract says, in one text."""
        return " ".join(each.text for each in self.contract)

    def sentence(self, trial: str, code: str) -> str:
        """The contract's sentence that this verdict says was broken; "" when several may be.

        One that names the code goes before those that any verdict of the trial means.
        """
        meant = [each for each in self.contract if each.is_meant(trial, code)]
        exact = [each for each in meant if each.codes] or meant
        texts = {" ".join(each.text.split()) for each in exact}
        return texts.pop() if len(texts) == 1 else ""
