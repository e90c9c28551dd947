"""How a case is played: agents on the wire as frameworks put them, against any Chat Completions.

The forms are those of README.md. Every loop has an end: an agent has LIMIT requests a turn, a turn
TURN in all, and colleagues call colleagues DEPTH deep.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from openai import AsyncOpenAI

import course
from course.models.names import SMALL
from course.systems import carry_out
from tests.rulers.cases import Call, Json, Played, Problem, Said, World, specified, worker

LIMIT, TURN, DEPTH = 12, 60, 3
DELEGATE = "delegate_to_agent"
ASKS_TASK = {"type": "string", "description": "Task description for the worker"}
ASKS_LIMITS = {"type": "string", "description": "Constraints the worker should respect"}


class Endless(Exception):
    """A turn had as many requests as it may have."""


async def play(program: Json, world: World, client: AsyncOpenAI) -> Played:
    """Play a program in its world, whatever the model does; what the service fails at is noted."""
    player = Player(program, world, client)
    try:
        for said in program["talk"]:
            await player.turn(said)
    except Exception as error:  # a service that fails is a case that fails
        player.played.problems.append(Problem("failed", f"{type(error).__name__}: {error}"[:200]))
    return player.played


class Player:
    """One talk with a program."""

    def __init__(self, program: Json, world: World, client: AsyncOpenAI) -> None:
        self.program, self.world, self.client = program, world, client
        self.agents: dict[str, Json] = program["agents"]
        self.style: Json = program.get("handoff_style", {})
        self.strict: bool = program.get("schema_strict", False)
        self.current: str = program["start"]
        self.history: list[Json] = []
        self.played = Played()
        self.asked = 0

    async def turn(self, said: str) -> None:
        """Say something to whoever has the conversation."""
        self.history.append({"role": "user", "content": said})
        self.played.replies.append([])
        self.asked = 0
        try:
            self.current, answer = await self.work(self.current, self.history)
        except Endless as why:
            self.note("endless", str(why))
            answer = ""
        self.played.replies[-1].append(answer)

    async def work(self, name: str, history: list[Json], depth: int = 0) -> tuple[str, str]:
        """Let an agent work until it answers; gives who answered last, with what."""
        current = name
        for _ in range(LIMIT):
            message = await self.ask(current, history)
            if message.content:
                said = Said(len(self.played.replies) - 1, current, message.content, depth)
                self.played.said.append(said)
            made = [each.to_dict() for each in message.tool_calls or ()]
            if not made:
                history.append({"role": "assistant", "content": message.content or ""})
                boss = self.program["start"]
                if self.program["idiom"] != "return" or current == boss or depth:
                    return current, message.content or ""
                self.played.replies[-1].append(message.content or "")
                history += returned(boss, len(history))
                current = boss
                continue
            history.append({"role": "assistant", "content": message.content, "tool_calls": made})
            moved = None
            for call in made:
                result, target = await self.carry_out(call["function"], current, depth)
                history.append({"role": "tool", "tool_call_id": call["id"], "content": result})
                moved = moved or target
            current = moved or current
        self.note("endless", f"no end within {LIMIT} requests")
        return current, ""

    async def ask(self, name: str, history: list[Json]) -> Any:
        """One request of an agent's; gives the message that answers it."""
        self.asked += 1
        if self.asked > TURN:
            raise Endless(f"no end within {TURN} requests of a turn")
        agent = self.agents[name]
        prompt = {"role": "system", "content": agent["instructions"]}
        body: Json = {"model": SMALL, "messages": [prompt, *history]}
        if tools := self.offered(agent):
            body["tools"] = tools
        body |= self.program.get("request", {}) | agent.get("request", {})
        completion = await self.client.chat.completions.create(**body)
        return completion.choices[0].message

    def offered(self, agent: Json) -> list[Json]:
        """The tools in an agent's requests: its own, then its colleagues in the idiom's form."""
        tools = [self.world.spec(name, strict=self.strict) for name in agent.get("tools", ())]
        if names := agent.get("handoffs", ()):
            tools += [specified(*each, strict=self.strict) for each in self.colleagues(names)]
        return tools

    def colleagues(self, names: list[str]) -> Iterable[tuple[str, Json]]:
        told = {name: self.agents[name].get("description", "") for name in names}
        listed = "; ".join(f"{name}: {about}" for name, about in told.items())
        idiom = self.program["idiom"]
        if one := self.style.get("one_tool"):
            wanted = {"type": "string", "description": "Name of the agent to transfer to"}
            description = f"Transfer the question to another agent. Agents: {listed}"
            yield one, {"description": description, "parameters": {self.style["parameter"]: wanted}}
        for name, about in told.items():
            if idiom in ("handoff", "return") and not self.style.get("one_tool"):
                description = f"Hand over to {name}. {about}".strip()
                parameters = self.style.get("parameters", {})
                prefix = self.style.get("prefix", "transfer_to_")
                yield f"{prefix}{name}", {"description": description, "parameters": parameters}
            elif idiom == "as_tool":
                parameters = {self.program.get("as_tool_parameter", "input"): {"type": "string"}}
                yield name, {"description": about, "parameters": parameters}
        if idiom == "delegate":
            description = f"Delegate a task to a worker and get its result back. Workers: {listed}"
            who = {"type": "string", "enum": names, "description": "Worker to delegate to"}
            parameters = {"worker_agent": who, "task": ASKS_TASK, "constraints": ASKS_LIMITS}
            required = ["worker_agent", "task"]
            yield DELEGATE, {"description": description, "parameters": parameters,
                             "required": required}  # fmt: skip

    async def carry_out(self, call: Json, current: str, depth: int) -> tuple[str, str | None]:
        """Do what a call wants; gives the result, and who has the conversation after a handoff."""
        name: str = call["name"]
        try:
            given = json.loads(call["arguments"] or "{}")
            arguments = {key: value for key, value in given.items() if value is not None}
        except (ValueError, AttributeError):
            self.note("silly", f"{name}: the arguments are no JSON object")
            return "arguments are not JSON", None
        there = [tool["function"]["name"] for tool in self.offered(self.agents[current])]
        if self.program.get("strict") and name not in there:
            self.note("silly", f"called {name}, which is not there")
            return "no such tool", None
        if (target := self.target(name, arguments)) in self.agents:
            result = f"Successfully transferred to {target}"
            self.called(f"transfer_to_{target}", arguments, result)
            return result, target
        who = name if self.program["idiom"] == "as_tool" else arguments.get("worker_agent")
        if who in self.agents:
            return await self.consult(name, str(who), arguments, depth), None
        if name not in self.world.tools:
            self.note("silly", f"called {name}, which is not there")
            return "no such tool", None
        result = await self.world.call(name, arguments)
        self.called(name, arguments, result)
        return result, None

    def target(self, name: str, arguments: Json) -> str | None:
        """Whom a handoff names, if the call is one."""
        if name == self.style.get("one_tool"):
            return str(arguments.get(self.style["parameter"]))
        for prefix in (self.style.get("prefix"), "transfer_to_"):
            if prefix and name.startswith(prefix):
                return name.removeprefix(prefix)
        return None

    async def consult(self, name: str, who: str, arguments: Json, depth: int) -> str:
        """Let a specialist or worker answer a task; gives its answer."""
        if parameter := self.program.get("as_tool_parameter"):
            arguments = {"input": arguments.get(parameter)}
        if self.program.get("strict") and (limits := arguments.get("constraints")):
            arguments = arguments | {"task": f"{arguments.get('task')}\nConstraints: {limits}"}
        place = len(self.played.calls)
        self.called(name, arguments, "")
        if depth == DEPTH:
            raise Endless(f"colleagues call colleagues more than {DEPTH} deep")
        asked = str(arguments.get("input") or arguments.get("task") or "")
        answer = (await self.work(who, [{"role": "user", "content": asked}], depth + 1))[1]
        made = self.played.calls[place]
        self.played.calls[place] = Call(made.name, made.arguments, made.turn, answer)
        return answer

    def called(self, name: str, arguments: Json, result: str) -> None:
        turn = len(self.played.replies) - 1
        self.played.calls.append(Call(name, arguments, turn, result))

    def note(self, kind: str, said: str) -> None:
        self.played.problems.append(Problem(kind, said))


def returned(boss: str, number: int) -> list[Json]:
    """The pair of messages that says that the conversation is the supervisor's again."""
    back = {"name": f"transfer_back_to_{boss}", "arguments": "{}"}
    call = {"id": f"call_back_{number}", "type": "function", "function": back}
    said = {"role": "assistant", "content": f"Transferring back to {boss}", "tool_calls": [call]}
    content = f"Successfully transferred back to {boss}"
    return [said, {"role": "tool", "tool_call_id": call["id"], "content": content}]


def visited(visitor: Json, world: World) -> Json:
    """A visitor's sentence as a program."""
    desk = {"instructions": world.instructions, "tools": list(world.tools)}
    return {"id": visitor["id"], "idiom": "plain", "start": "desk", "agents": {"desk": desk},
            "talk": [visitor["says"]]}  # fmt: skip


FRONTS = {
    "team": ("reception", "handoff", "You are the first contact. Find out what somebody wants and"
             " hand over to desk whatever is its business. Greet and thank in a sentence."),
    "supervisor": ("lead", "delegate", "You lead one worker, desk. Have it done what a person"
                   " wants of it, and tell the person what came out."),
}  # fmt: skip


def deed_program(deed: Json, world: World) -> Json:
    """A deed as a program, in its form; one that is planned has the desk alone."""
    tools = list(world.tools)
    desk: Json = {"instructions": world.instructions, "description": world.description}
    program: Json = {"idiom": "plain", "start": "desk", "agents": {"desk": desk | {"tools": tools}}}
    program |= {"strict": True, "talk": deed["say"]}
    program |= {key: deed[key] for key in ("id", "may", "not_before", "says") if key in deed}
    if deed.get("want"):
        program["want"] = [deed["want"]]
    form = deed.get("form", "agent")
    if form == "livekit":
        program["schema_strict"] = True
    elif form in FRONTS:
        name, idiom, told = FRONTS[form]
        front = {"instructions": told, "handoffs": ["desk"]}
        program["idiom"], program["start"] = idiom, name
        program["agents"][name] = front
        if form == "team":
            program["agents"]["desk"]["handoffs"] = [name]
    return program


async def play_deed(deed: Json, world: World, client: AsyncOpenAI) -> Played:
    """Play a deed in its form."""
    if deed.get("form") != "plan":
        return await play(deed_program(deed, world), world, client)
    played = Played(replies=[[]])
    desk = worker("desk", world, played)
    boss = course.PlanningSupervisor(name="planner", instructions="", model=SMALL, workers=(desk,))
    try:
        result = await carry_out(boss, deed["say"][0], client=client)  # which raises, unlike `run`
    except Exception as error:  # as in `play`
        played.problems.append(Problem("failed", f"{type(error).__name__}: {error}"[:200]))
        return played
    else:
        answer = result.answer
        if result.stop:
            played.problems.append(Problem("endless", f"stopped: {result.stop}"))
    played.replies[0].append(answer)  # laid out by the course: not for the judge of clean words
    return played
