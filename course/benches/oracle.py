"""A competent model that is blind to the pattern: what differs between two runs is the pattern.

It knows what a task needs (its errands) and who owns which tool, and nothing of how the agents are
arranged: it sees one request at a time, as any model does, and answers every kind. What it found
it shows by marks such as "[m1=48213]", what is to be done it names as "(ref m1)"; an answer is
worth the marks that reached it. Flaws make it worse on purpose, the same in every pattern.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from course.benches.outcome import mark, marks, value_of
from course.models.draws import Draws
from course.models.policy.schemas import follow
from course.models.profile import load
from course.models.wire import Call, ChatRequest, Key, Reply, ToolSpec
from course.results import CANNOT
from course.runs import COORDINATION

TRIES = 3
"""How often somebody competent tries the same thing before saying that it cannot be had."""

GIVEN = 4
"""How often an errand is given to others before somebody competent lets it be."""

_REF = re.compile(r"\(ref ([^)]*)\)")
_ONE_BY_ONE = re.compile(r"\bone (task|at a time)", re.IGNORECASE)
_REWRITE = re.compile(r"\brewrite the task\b", re.IGNORECASE)
_MOVE = re.compile(r"(?:hand|pass)[a-z_]*_to_(\w+)")
_Chance = Field(default=0.0, ge=0, le=1)


def _curve(profile: str) -> str:
    """The name of a profile, which has to be there."""
    return profile and load(profile).name


class Flaws(BaseModel):
    """How an oracle is made worse on purpose. Chances from 0 to 1, drawn for each errand.

    Attributes:
        wrong_route: whom it gives an errand to is somebody else.
        lost_result: a result that it was shown is not in what it says.
        early_end: it answers with what it has instead of going on.
        invented: an errand's result is said with another value by who finds it.
        confused: a profile whose curve says how often somebody calls another tool than the right
            one, for so many on offer, and takes what it tells for the result; and how often a
            delegation goes to another worker, which is noticed there. "" is never.
        difficulty: (a, b) of a Beta distribution. Each task draws from it, once and for all
            patterns, its chance to be read rightly; where it is not, one value is invented.

    Source: a latent difficulty for each task reproduces the published pass^k of tau-bench, which
    independent failures do not.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    wrong_route: float = _Chance
    lost_result: float = _Chance
    early_end: float = _Chance
    invented: float = _Chance
    confused: Annotated[str, AfterValidator(_curve)] = ""
    difficulty: tuple[float, float] | None = None

    def confusion(self, options: int) -> float:
        """The chance of a wrong choice among so many; ConfigurationError: no such profile."""
        return load(self.confused).error_rate(options) if self.confused else 0.0

    def __str__(self) -> str:
        told = self.model_dump(exclude_defaults=True, mode="json")
        return ", ".join(f"{name} {_short(value)}" for name, value in told.items()) or "none"


@dataclass(frozen=True, slots=True)
class Errand:
    """One thing that a task needs: a call of a tool.

    Attributes:
        id: "m1", "m2", ...
        tool: who has it can run the errand.
        arguments: of the call.
        says: what is to be done, in words.
        needs: errands whose results come before.
        given: the argument that takes the needed results' values, as a list; "" if none does.
    """

    id: str
    tool: str
    arguments: Mapping[str, Any]
    says: str
    needs: tuple[str, ...] = ()
    given: str = ""

    def is_asked(self, name: str, arguments: Mapping[str, Any]) -> bool:
        """Whether this is the errand's call, whatever values it was given."""
        return name == self.tool and self.is_meant(arguments)

    def is_meant(self, arguments: Mapping[str, Any]) -> bool:
        """Whether these are the errand's arguments, whichever tool they went to."""
        return all(arguments.get(key) == value for key, value in self.arguments.items())


@dataclass(frozen=True, slots=True)
class Door:
    """A tool that reaches a colleague, and the argument that takes what is asked; "" if none."""

    tool: str
    argument: str


@dataclass
class Oracle:
    """Answers every request that a pattern makes for one task.

    Args:
        task: its id; the latent difficulty hangs on it.
        errands: what the task needs.
        owners: for each tool, the agents that have it.
        flaws: how it is worse than it could be.
        seed: of the flaws' draws.
        truth: of each errand, by which it is known in a result under whatever key.
    """

    task: str
    errands: Sequence[Errand]
    owners: Mapping[str, Sequence[str]]
    flaws: Flaws = field(default_factory=Flaws)
    seed: int = 0
    truth: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.by_id = {each.id: each for each in self.errands}
        self.bench = {each.tool for each in self.errands} | set(self.owners)
        self.people = {name: _words(name) for owners in self.owners.values() for name in owners}
        self._misread = self._difficult()

    def __call__(self, request: ChatRequest) -> Reply:
        """The answer to a request."""
        schema, seen = request.schema or {}, Seen(self, request)
        properties = schema.get("properties", {})
        if "tasks" in properties:
            task = follow(properties["tasks"]["items"], schema)["properties"]
            return Reply(json.dumps(self.plan(seen, task)))
        if "agents" in properties:
            return Reply(json.dumps(self.route(seen, properties["agents"]["items"]["enum"])))
        if seen.rewriting:
            return Reply(f"{self.words(seen.wanted, seen)} Mind what went wrong before.")
        reply = self.work(seen)
        if properties and not reply.calls:
            return Reply(json.dumps(dict.fromkeys(properties, reply.text)))
        return reply

    def plan(self, seen: Seen, fields: Mapping[str, Any]) -> dict[str, Any]:
        """A task for each errand, with the errands it needs as its dependencies."""
        workers: list[str] = fields["worker"]["enum"]
        ids = {each.id: f"t{number}" for number, each in enumerate(seen.wanted, start=1)}
        tasks = [
            {
                "id": ids[each.id],
                "description": self.words([each], seen),
                "worker": self._whom(each, workers, seen),
                "dependencies": [ids[need] for need in each.needs if need in ids],
                **({"tools": []} if "tools" in fields else {}),
            }
            for each in seen.wanted
        ]
        told = "Say what was found, each with its mark."
        return {"goal": "Run the errands.", "tasks": tasks, "final_instruction": told}

    def route(self, seen: Seen, names: Sequence[str]) -> dict[str, Any]:
        """Those who own what the request needs."""
        return {"agents": list(dict.fromkeys(self._whom(e, names, seen) for e in seen.wanted))}

    def work(self, seen: Seen) -> Reply:
        """The next step: calls of tools, something given to somebody else, or the answer."""
        goes_on = not self._strikes("early_end", "", seen.key)
        if goes_on and (calls := tuple(self._calls(seen))):
            return Reply(calls=calls)
        if goes_on and (move := self._given_away(seen)):
            return Reply(self._said_beside(move, seen), calls=tuple(move))
        text = self.answer(seen)
        if seen.returning:
            return Reply(calls=(_call(seen.returning, {"result": text}),))
        return Reply(text)

    def answer(self, seen: Seen) -> str:
        """All that was found, a line each, and what is missing; CANNOT where nothing was."""
        said = [
            self.line(id, value, seen)
            for id, value in seen.found.items()
            if seen.reports(id) and not self._strikes("lost_result", id, seen.key)
        ]
        said += [self.line(id, value, seen) for id, value in seen.own.items()]
        lost = [
            each for each in seen.wanted if each.id not in seen.known and seen.answers_for(each)
        ]
        missing = [f"Missing: {each.says} ({each.id}): {seen.error(each)}." for each in lost]
        if not said and missing:
            return f"{CANNOT} {' '.join(missing)}"
        return "\n".join([*said, *missing]) or "There is nothing to be done."

    def line(self, errand: str, value: str, seen: Seen) -> str:
        """What is reported of one errand: its words, the value, and the mark that proves it."""
        if errand in seen.own and self._invents(errand):
            value = f"{value[:-1]}{'1' if value[-1:] != '1' else '2'}"
        return f"- {self.by_id[errand].says}: {value} {mark(errand, value)}"

    def _calls(self, seen: Seen) -> Iterator[Call]:
        """Calls of the tools that are offered, for all errands that are ready."""
        offered = {tool.name for tool in seen.request.tools}
        for each in seen.ready():
            if each.tool in offered:
                values = [seen.known[need] for need in each.needs]
                given = {each.given: values} if each.given else {}
                yield _call(self._picked(each, offered, seen), {**each.arguments, **given})

    def _picked(self, errand: Errand, offered: Collection[str], seen: Seen) -> str:
        """The tool that is called for an errand; the luck is the same however many there are."""
        mine = {name for name in offered if not name.startswith(COORDINATION)}
        others = sorted(mine - seen.door_tools - {errand.tool})
        draws = Draws(self.seed, Key(self.task, matter=errand.id))
        if others and draws.chance("confused", self.flaws.confusion(len(offered))):
            return draws.choice("instead", others)
        return errand.tool

    def _given_away(self, seen: Seen) -> list[Call]:
        """Errands that are ready, given to those who can run them, by whatever way is offered."""
        names = {tool.name: tool for tool in seen.request.tools}
        if "delegate_to_agent" in names:
            fields = names["delegate_to_agent"].parameters["properties"]
            return self._delegated(seen, fields["worker_agent"]["enum"])
        for verb, argument in (("consult_", "request"), ("transfer_to_", "reason")):
            there = {name.removeprefix(verb): name for name in names if name.startswith(verb)}
            for each in seen.to_give() if there else ():
                to = self._whom(each, list(there), seen)  # without an owner: whoever knows more
                same = [e for e in seen.to_give() if to in _plain(self.owners.get(e.tool, ()))]
                return [_call(there[to], {argument: self.words(same or [each], seen)})]
        return self._by_doors(seen)

    def _said_beside(self, move: Sequence[Call], seen: Seen) -> str | None:
        """What was found, where the conversation moves by a tool that takes no text."""
        silent = {door.tool for door in seen.doors.values() if not door.argument}
        told = [self.line(id, value, seen) for id, value in seen.own.items()]
        return "\n".join(told) if told and any(call.name in silent for call in move) else None

    def _by_doors(self, seen: Seen) -> list[Call]:
        """A call of each colleague's tool who has something to do; where the tool takes no text,
        the conversation moves, so that there is one."""
        parts: dict[str, list[Errand]] = {}
        for each in seen.to_give() if seen.doors else ():
            parts.setdefault(self._whom(each, list(seen.doors), seen), []).append(each)
        calls = [
            _call(seen.doors[to].tool, {seen.doors[to].argument or "reason": self.words(e, seen)})
            for to, e in parts.items()
        ]
        moves = any(not seen.doors[to].argument for to in parts)
        return calls[:1] if moves or seen.one_by_one else calls

    def _delegated(self, seen: Seen, workers: Sequence[str]) -> list[Call]:
        """One delegation to each worker who has something to do, all at once or one by one."""
        parts: dict[str, list[Errand]] = {}
        for each in seen.to_give():
            parts.setdefault(self._whom(each, workers, seen), []).append(each)
        calls = [
            _call("delegate_to_agent", {"worker_agent": name, "task": self.words(part, seen)})
            for name, part in parts.items()
        ]
        return calls[:1] if seen.one_by_one else calls

    def words(self, errands: Iterable[Errand], seen: Seen) -> str:
        """Errands as they are put to somebody else, with the results that they rest on."""
        listed = list(errands)
        asked = " ".join(f"{each.says} (ref {each.id})." for each in listed)
        needs = dict.fromkeys(need for each in listed for need in each.needs)
        told = [mark(need, seen.known[need]) for need in needs if need in seen.known]
        return f"{asked} Known: {' '.join(told)}" if told else asked

    def _whom(self, errand: Errand, names: Sequence[str], seen: Seen) -> str:
        """Who is to run an errand, among those who are there."""
        owners = _plain(self.owners.get(errand.tool, ()))
        able = [name for name in names if name in owners or owners & _parts(name)]
        right = able[0] if able else names[0]
        others = [name for name in names if name not in able]
        lost = self._draws(errand.id, Key(call=seen.key.call)).chance(
            "confused", self.flaws.confusion(len(names))
        )
        if others and (lost or self._strikes("wrong_route", errand.id, seen.key)):
            return self._draws(errand.id, seen.key).choice("instead", others)
        return right

    def _strikes(self, flaw: str, errand: str, key: Key) -> bool:
        chance = getattr(self.flaws, flaw)
        if not chance:
            return False
        if flaw == "wrong_route":  # the same luck whoever routes
            key = Key(call=key.call)
        return self._draws(errand, key).chance(flaw, chance)

    def _draws(self, errand: str, key: Key) -> Draws:
        return Draws(
            self.seed, Key(self.task, key.agent, key.call, matter=f"{errand} {key.matter}")
        )

    def _invents(self, errand: str) -> bool:
        chance = self.flaws.invented
        draws = Draws(self.seed, Key(self.task, matter=errand))
        return errand == self._misread or bool(chance and draws.chance("invented", chance))

    def _difficult(self) -> str:
        """The errand that is misread in this run, if the task is too difficult for it."""
        if self.flaws.difficulty is None or not self.errands:
            return ""
        latent = random.Random(f"difficulty {self.task}").betavariate(*self.flaws.difficulty)
        draws = Draws(self.seed, Key(self.task))
        if draws.chance("difficulty", latent):
            return ""
        return draws.choice("misread", [each.id for each in self.errands])


class Seen:
    """A request as the oracle reads it: what is wanted, and what is there already.

    Attributes:
        wanted: the errands that it is about: those that it names, or else all.
        own: results of this conversation's own tool calls.
        found: results that others report by marks.
        doors: colleagues by name, each with the tool that reaches them, where it has no name of
            the kit's own.
        door_tools: those tools.
        returning: the tool that gives a consultation's result back; "" outside of one.
        rewriting: whether a task is to be put differently.
    """

    def __init__(self, oracle: Oracle, request: ChatRequest) -> None:
        self.request, self.key, self._oracle = request, request.key, oracle
        self.own: dict[str, str] = {}
        self.found: dict[str, str] = {}
        self.tries: Counter[str] = Counter()
        self._given: Counter[str] = Counter()
        self._errors: dict[str, str] = {}
        names = [tool.name for tool in request.tools]
        self.doors = _doors(request.tools, oracle)
        self.door_tools = {each.tool for each in self.doors.values()}
        self.returning = next((n for n in names if n.startswith("return_to_")), "")
        self._read(request.messages)
        self.wanted = self._scope(request.messages)
        head = str(request.messages[0].get("content") or "")
        self.one_by_one = bool(_ONE_BY_ONE.search(head))
        self.rewriting = not request.tools and bool(_REWRITE.search(head))
        leads = any(name.startswith(COORDINATION) for name in names) or bool(self.doors)
        self._all_mine = leads or not names or self._named
        self._offered = frozenset(names)

    @property
    def known(self) -> dict[str, str]:
        """All results that are there, by errand."""
        return {**self.found, **self.own}

    def ready(self) -> list[Errand]:
        """What can be done now: not done yet, not tried too often, and what it needs is there."""
        return [
            each
            for each in self.wanted
            if each.id not in self.known
            and self.tries[each.id] < TRIES
            and all(need in self.known for need in each.needs)
        ]

    def to_give(self) -> list[Errand]:
        """What can be done now and was not given away too often."""
        return [each for each in self.ready() if self._given[each.id] < GIVEN]

    def reports(self, id: str) -> bool:
        """Whether a result that others found belongs into this answer: not where another was
        asked for by name."""
        asked = not (self._named and self._offered) or any(e.id == id for e in self.wanted)
        return asked and id not in self.own

    def answers_for(self, errand: Errand) -> bool:
        """Whether it is this agent's to say that an errand has no result."""
        return self._all_mine or errand.tool in self._offered

    def error(self, errand: Errand) -> str:
        """Why there is no result of an errand."""
        lost = [need for need in errand.needs if need not in self.known]
        return self._errors.get(errand.id) or (
            f"the result of {', '.join(lost)} is not known" if lost else "nobody here can do it"
        )

    def _read(self, messages: Sequence[Mapping[str, Any]]) -> None:
        calls: dict[str, Errand | None] = {}
        for message in messages:
            text = str(message.get("content") or "")
            if message["role"] == "tool":
                self._came(calls.get(message["tool_call_id"]), text)
            for call in message.get("tool_calls") or ():
                calls[call["id"]] = self._called(call["function"])
            if message["role"] != "system":
                told = marks(text).items()
                self.found.update({id: value for id, value in told if id in self._oracle.by_id})

    def _called(self, function: Mapping[str, Any]) -> Errand | None:
        """The errand that a call is, if it is one; what was given away counts as a try."""
        try:
            arguments = json.loads(function["arguments"] or "{}")
        except ValueError:
            arguments = {}
        if not isinstance(arguments, dict):
            return None
        name = function["name"]
        if name.startswith(("transfer_to_", "consult_", "delegate_to_")) or name in self.door_tools:
            self._given.update(_named(" ".join(map(str, arguments.values()))))
        errands = self._oracle.errands
        found = next((each for each in errands if each.is_asked(name, arguments)), None)
        meant = (e for e in errands if e.arguments and e.is_meant(arguments))
        return found or (next(meant, None) if self._oracle.flaws.confused else None)

    def _came(self, errand: Errand | None, text: str) -> None:
        """What came back from a call of an errand's tool."""
        if errand is None:
            return
        self.tries[errand.id] += 1
        if text.startswith('{"error":'):
            self._errors[errand.id] = text.removeprefix('{"error":').rstrip("}").strip(' "')[:160]
        else:
            self.own[errand.id] = value_of(text, self._oracle.truth.get(errand.id, ""))

    def _scope(self, messages: Sequence[Mapping[str, Any]]) -> list[Errand]:
        """What the last request names by "(ref ...)", or else everything."""
        asked = [str(m.get("content") or "") for m in messages if m["role"] == "user"]
        named = next((ids for text in reversed(asked) if (ids := _named(text))), None)
        self._named = named is not None
        return [e for e in self._oracle.errands if named is None or e.id in named]


def _doors(tools: Iterable[ToolSpec], oracle: Oracle) -> dict[str, Door]:
    """Colleagues whom a tool names, in its own name or else in its description.

    Frameworks call such a tool what they like ("ask_billing", "billing" with an `input`, a handoff
    without arguments), so that its schema is read: one text at most. A move may name anybody.
    """
    found: dict[str, Door] = {}
    for tool in tools:
        if tool.name in oracle.bench or tool.name.startswith(COORDINATION):
            continue
        fields = tool.parameters.get("properties", {})
        needed = tool.parameters.get("required", ())
        texts = [name for name in needed if fields.get(name, {}).get("type") == "string"]
        if len(texts) > 1:
            continue
        for said in (tool.name, tool.description):
            words = _words(said)
            named = [name for name, own in oracle.people.items() if own in words]
            if len(named) == 1:
                found.setdefault(named[0], Door(tool.name, texts[0] if texts else ""))
                break
        else:
            if (moved := _MOVE.fullmatch(tool.name)) and not texts:
                found.setdefault(moved[1], Door(tool.name, ""))
    return found


def _words(text: str) -> str:
    """The words of a text with a blank on each side, so that "in" finds whole words only."""
    return f" {' '.join(re.split(r'[^a-z0-9]+', text.lower()))} "


def _named(text: str) -> list[str]:
    return [id.strip() for ids in _REF.findall(text) for id in ids.split(",")]


def _plain(names: Collection[str]) -> set[str]:
    """Names as tools write them: "Front desk" may be "front_desk" in "transfer_to_front_desk"."""
    forms = {re.sub(r"[^a-zA-Z0-9_-]+", "_", name) for name in names}
    return {*names, *forms, *(form.lower() for form in forms)}


def _parts(name: str) -> set[str]:
    """Who stands behind a group's name such as "billing+records"."""
    return set(name.split("+"))


def _call(name: str, arguments: Mapping[str, Any]) -> Call:
    return Call(name, json.dumps(dict(arguments), ensure_ascii=False))


def _short(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "/".join(f"{each:g}" for each in value) if isinstance(value, list) else f"{value:g}"
