"""Who should answer: a route, and the choosers that find one.

A table of words costs nothing and knows only its words. A model reads, and costs a call. A hybrid
asks a trained classifier first, and the model where that is unsure, below a threshold that was
calibrated on held-out sentences. A tree chooses a department first and a specialist then.

Source: scikit-learn's user guide, "Working with text data" and "Logistic regression".
"""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Protocol

import snowballstemmer
from pydantic_core import from_json

from course import clock
from course.agent import Agent
from course.answers import Usage
from course.chat import complete
from course.context import Context
from course.errors import ConfigurationError, ModelError, refuse_empty, several
from course.extras import need
from course.models.names import SMALL
from course.models.wire import AsyncOpenAI
from course.tools import object_schema
from course.trace import span

if TYPE_CHECKING:
    from course.routing.sentences import Sentence


@dataclass(frozen=True)
class Guess:
    """What a classifier takes a request for, and with which probability. Being sure is not being
    right: calibration measures how the two hang together. Built in chapter 02.
    """

    label: str
    confidence: float


class Classifier(Protocol):
    """Whatever can guess an intent; another library's classifier needs no more than this."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Every label it knows."""

    def guess(self, requests: Sequence[str]) -> list[Guess]:
        """One guess for each request, in order."""


class IntentClassifier:
    """Guesses an intent from the words of a request and the letters in them. Used in chapter 02.

    Words and pairs of words carry the meaning, runs of letters what words share ("rebooking").
    It learns from the sentences with exactly one specialist, from the same ones always the same.
    ConfigurationError: fewer than two labels, or scikit-learn is not installed.
    """

    def __init__(self, sentences: Iterable[Sentence]) -> None:
        known = [each for each in sentences if len(each.agents) == 1]
        labels = [each.agents[0] for each in known]
        if len(set(labels)) < 2:
            raise ConfigurationError("a classifier needs sentences of at least two specialists")
        # Pandas would be another 60 MB, for tables that nothing here has.
        text = need("sklearn", "sklearn.feature_extraction.text", without="pandas")
        words = text.TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
        letters = text.TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True)
        regression = need("sklearn.linear_model").LogisticRegression(C=10.0, max_iter=1000)
        joined = need("sklearn.pipeline")
        pipeline = joined.make_pipeline(joined.make_union(words, letters), regression)
        self._pipeline = pipeline.fit([each.text for each in known], labels)

    @property
    def labels(self) -> tuple[str, ...]:
        """Every label it learned."""
        return tuple(map(str, self._pipeline.classes_))

    def guess(self, requests: Sequence[str]) -> list[Guess]:
        """One guess for each request, in order; a hundred at once are much cheaper than one by one.

        Sentences without a single known word get the labels' shares as confidence.
        """
        if not requests:
            return []
        table = self._pipeline.predict_proba(list(requests))
        best = zip(table, table.argmax(axis=1), strict=True)
        return [Guess(self.labels[column], float(row[column])) for row, column in best]


_STEMMER = snowballstemmer.stemmer("english")
INSTRUCTIONS = """\
You route requests to specialists:
{listed}
Name the specialists whose work the request needs, in the order in which they should act, and \
nobody else. If none of them is there for what is asked, name nobody."""


@dataclass(frozen=True, kw_only=True)
class Route:
    """Where a request goes. Built in chapter 02.

    Attributes:
        agents: the specialists in the order in which they should act; nobody's business: none.
        confidence: how sure it was, 0 to 1; None when it does not say.
        why: a remark for the reader of a trace, such as what went wrong on the way.
        usage, seconds: what the decision took, in tokens and on the loop's clock.
    """

    agents: tuple[str, ...]
    by: Literal["table", "classifier", "model"]
    confidence: float | None = None
    why: str = ""
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0


class Chooser(Protocol):
    """What can route: a table, a model, a classifier with a model behind it, a tree of them."""

    @property
    def names(self) -> Collection[str]:
        """Every specialist it may choose."""

    async def choose(self, request: str, *, client: AsyncOpenAI) -> Route:
        """Decide on one request; ModelError when that needs a model that cannot be used."""


async def route(chooser: Chooser, request: str, *, client: AsyncOpenAI) -> Route:
    """Decide where a request goes, as a timed `route` step of the trace. Used in chapter 02.

    Raises ModelError when that needs a model that cannot be used, ValueError for an empty request.
    """
    refuse_empty(request)
    begin = clock.now()
    with span("route", type(chooser).__name__) as step:
        found = await chooser.choose(request, client=client)
        step.set("switchboard.route.agents", ", ".join(found.agents) or "nobody")
        step.set("switchboard.route.by", found.by)
        step.set("switchboard.route.confidence", found.confidence)
        step.set("switchboard.route.why", found.why or None)
    return replace(found, seconds=clock.now() - begin)


@cache
def stems(text: str) -> str:
    """A text's words as stems (Snowball, Porter 2): "booked" and "booking" are "book"."""
    return " ".join(_STEMMER.stemWords(re.findall(r"[a-z0-9]+", text.lower())))


@dataclass(frozen=True)
class StaticRouter:
    """Routes by a table: the specialist most of whose words (or phrases) occur in the request; none
    of them, nobody. Between equals, the upper row wins. Used in chapter 02.

    ConfigurationError: a row is empty.
    """

    table: Mapping[str, Sequence[str]]

    def __post_init__(self) -> None:
        if not self.table:
            raise ConfigurationError("a routing table needs at least one row: name: [words, ...]")
        for name, words in self.table.items():
            if isinstance(words, str) or not any(stems(each) for each in words):
                raise ConfigurationError(f"the row '{name}' needs a list of words to look for")

    @property
    def names(self) -> Collection[str]:
        """The rows."""
        return self.table.keys()

    async def choose(self, request: str, *, client: AsyncOpenAI) -> Route:
        """The row with most hits; its share of all hits is the confidence."""
        said, hits = f" {stems(request)} ", Counter[str]()
        for name, words in self.table.items():
            hits[name] = sum(f" {phrase} " in said for phrase in set(map(stems, words)))
        [(best, most)] = hits.most_common(1)
        if not most:
            return Route(agents=(), by="table", confidence=0.0)
        return Route(agents=(best,), by="table", confidence=most / hits.total())


def descriptions(agents: Iterable[Agent]) -> dict[str, str]:
    """What each agent is for, by its name, as a router reads it. Used in chapter 02.

    Raises ConfigurationError: two agents share a name, or one has no description.
    """
    found: dict[str, str] = {}
    for agent in several(agents, "agents"):
        if agent.name in found:
            raise ConfigurationError(f"two agents are called '{agent.name}': rename one of them")
        if not agent.description.strip():
            raise ConfigurationError(
                f"agent '{agent.name}' has no description: say in one line what it is for"
            )
        found[agent.name] = agent.description
    return found


@dataclass(frozen=True)
class ModelRouter:
    """Routes by one model call, whose answer can only name these choices. Used in chapter 02.

    `choices` says what each is for; ConfigurationError for none. `name` keys the simulated model's
    draws, so that two routers have a luck each.
    """

    choices: Mapping[str, str]
    model: str = SMALL
    name: str = "router"

    def __post_init__(self) -> None:
        if not self.choices:
            raise ConfigurationError("a router needs specialists to choose from: name: description")

    @property
    def names(self) -> Collection[str]:
        """Everybody it may choose."""
        return self.choices.keys()

    async def choose(self, request: str, *, client: AsyncOpenAI) -> Route:
        """Ask the model; one call. ModelError when it cannot be used, or answers with no route."""
        listed = "\n".join(f"- {name}: {about}" for name, about in self.choices.items())
        told = Context.of(request, instructions=INSTRUCTIONS.format(listed=listed))
        form = {"type": "json_schema", "json_schema": route_schema(self.names)}
        body = {"model": self.model, "messages": told.messages, "response_format": form}
        answer = await complete(client, body, agent=self.name, role="route")
        agents = named_agents(str(answer.message["content"]), self.names)
        return Route(agents=agents, by="model", usage=answer.usage)


def route_schema(names: Iterable[str]) -> dict[str, Any]:
    """A route: `{"agents": [one or more of the names]}`. Built in chapter 02."""
    agents = {"type": "array", "items": {"type": "string", "enum": list(names)}}
    return {"name": "route", "strict": True, "schema": object_schema({"agents": agents})}


def named_agents(content: str, names: Collection[str]) -> tuple[str, ...]:
    """Read a model's route: the names in it, each once, in order. Built in chapter 02.

    A schema makes a wrong answer unlikely, not impossible: some endpoints ignore it, and an answer
    that is cut off is no JSON any more. Then this raises ModelError.
    """
    try:
        agents: list[str] = from_json(content)["agents"]
        unknown = [name for name in agents if name not in names]
        whole = isinstance(agents, list)
    except (ValueError, KeyError, TypeError):
        whole = False
    if not whole:
        raise ModelError(f"the router's answer is no route: {content[:80]!r}")
    if unknown:
        raise ModelError(f"the router chose '{unknown[0]}'; there are: {', '.join(names)}")
    return tuple(dict.fromkeys(agents))


@dataclass(frozen=True, kw_only=True)
class HybridRouter:
    """Routes by a classifier first, and by another router where the classifier is unsure: below
    `threshold`, which is calibrated, not chosen. Where `otherwise` is out of order, a guess still
    counts from `floor` on. Used in chapter 02.
    """

    classifier: Classifier
    threshold: float
    otherwise: Chooser
    floor: float = 0.3

    def __post_init__(self) -> None:
        if not (0 <= self.threshold <= 1 or self.threshold == math.inf):
            raise ConfigurationError(
                f"the threshold is a share between 0 and 1, not {self.threshold:g}; infinity"
                " trusts no guess"
            )

    @property
    def names(self) -> Collection[str]:
        """Everybody that either of the two may choose."""
        return dict.fromkeys((*self.classifier.labels, *self.otherwise.names)).keys()

    async def choose(self, request: str, *, client: AsyncOpenAI) -> Route:
        """Guess, and ask when unsure; a model out of order costs accuracy, not the service."""
        [guess] = self.classifier.guess([request])
        return await decide(
            request,
            guess=guess,
            threshold=self.threshold,
            floor=self.floor,
            otherwise=self.otherwise,
            client=client,
        )


async def decide(
    request: str,
    *,
    guess: Guess,
    threshold: float,
    floor: float,
    otherwise: Chooser,
    client: AsyncOpenAI,
) -> Route:
    """Take the classifier's guess or ask further: one decision of a hybrid router.
    Built in chapter 02, exercise 2.6.

    Args:
        request: what the user says.
        guess: what the classifier takes it for.
        threshold: from this confidence on the guess is taken and nobody else is asked.
        floor: from this confidence on the guess is taken when the other router fails.
        otherwise: asked where the guess is not sure enough; its word stands, even "nobody".
        client: reaches the model.

    Returns:
        The guess as a route by "classifier" with its confidence, or the other router's route. When
        that one raises ModelError: the guess if it is at least at the floor, else nobody; `why` is
        then the error's text.
    """
    guessed = Route(agents=(guess.label,), by="classifier", confidence=guess.confidence)
    if guess.confidence >= threshold:
        return guessed
    try:
        return await otherwise.choose(request, client=client)
    except ModelError as error:
        agents = guessed.agents if guess.confidence >= floor else ()
        return Route(agents=agents, by="classifier", confidence=guess.confidence, why=str(error))


@dataclass(frozen=True)
class Department:
    """Some specialists (what each is for) under one name and description. Used in chapter 02."""

    name: str
    description: str
    choices: Mapping[str, str]


@dataclass(frozen=True)
class NestedRouter:
    """Routes in two steps: a model chooses departments, then specialists. Used in chapter 02.

    Short lists are read rightly more often, for a second call where there is a choice. Raises
    ConfigurationError: a name is used twice, or a department has nobody in it.
    """

    departments: tuple[Department, ...]
    model: str = SMALL

    def __post_init__(self) -> None:
        specialists = [name for each in self.departments for name in each.choices]
        names = [each.name for each in self.departments]
        for kind, used in (("department", names), ("specialist", specialists)):
            if twice := [name for name, times in Counter(used).items() if times > 1]:
                raise ConfigurationError(f"two are called {kind} '{twice[0]}': rename one of them")
        if not names:
            raise ConfigurationError("a nested router needs departments: add some")
        if empty := [each.name for each in self.departments if not each.choices]:
            raise ConfigurationError(f"department '{empty[0]}' has no specialists: add some")

    @property
    def names(self) -> Collection[str]:
        """Every specialist of every department."""
        return dict.fromkeys(n for each in self.departments for n in each.choices).keys()

    async def choose(self, request: str, *, client: AsyncOpenAI) -> Route:
        """Ask for the departments, then ask each of them at once; ModelError as `ModelRouter`."""

        async def step(choices: Mapping[str, str], name: str) -> Route:
            if len(choices) == 1:  # nothing to choose
                return Route(agents=tuple(choices), by="model")
            return await ModelRouter(choices, self.model, name).choose(request, client=client)

        top = await step({each.name: each.description for each in self.departments}, "router")
        inner = {each.name: each.choices for each in self.departments}
        asked = (step(inner[name], f"router {name}") for name in top.agents)
        found = await asyncio.gather(*asked)
        agents = tuple(dict.fromkeys(name for each in found for name in each.agents))
        return Route(agents=agents, by="model", usage=sum((e.usage for e in found), top.usage))
