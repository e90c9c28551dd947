"""What is wrong with what happened: programs, visitors and deeds, each fault with its kind."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any

from tests.rulers.cases import Json, Played, Problem, Verdict, World, fits, found
from tests.rulers.playing import DELEGATE, deed_program

# What a template leaves behind when it is filled in with somebody's instructions or parameters.
LEFT_BEHIND = (
    r"told I\b|you gave you|need the (input|task|query|patient id)\b|\[Task|could not be read"
    r"|\bWorker:|<\w+>|\{\w+\}|^None\.?$|\bundefined\b"
)
JSON_SAID = r'\{\s*"|\[\s*"\w+"\s*,|"\w+"\s*:\s*["\d{\[]'
OF_TOOLS = r"\bmy tools?\b|\bno tool\b"
LOOKS = {"find", "search", "look", "list", "check", "get", "show", "read", "fetch", "count"}
HONEST = (
    r"\?|sorry|afraid|can(no|')t|cannot|unable|could ?n.t|could not|not able|don't|do not|none of"
    r"|no (such|free|table)|nothing|only (help|for)"
    r"|\bI can (help|look|tell|check|find|book|take|show|order|get|list|pass|only)"
)
ANYBODYS = 31  # numbers up to it are days, hours and counts, which a model may say by itself
KINDS_OF_JSON: Json = {"boolean": bool, "string": str, "number": (int, float), "array": list}


def judge_program(program: Json, world: World, played: Played) -> Verdict:
    """A program's verdict; its shares are the calls wanted and the things to be told."""
    program = _spelled_out(program)
    problems = [*played.problems, *_wanted(program, world, played), *_told(program, played)]
    problems += _forbidden(program, world, played)
    if program.get("strict"):
        problems += [*_unasked(program, world, played), *_unclean(program, world, played)]
    calls = sum(len(group) for group, _ in _groups(program))
    told = sum(len(program.get(key, ())) for key in ("says", "final", "json"))
    lost = {part: sum(each.lost == part for each in problems) for part in ("call", "told")}
    shares = (calls - lost["call"], calls), (told - lost["told"], told)
    return Verdict(program["id"], program["idiom"], tuple(problems), *shares)


def _spelled_out(program: Json) -> Json:
    """A program whose calls of a worker by name are what they are on the wire."""
    if program["idiom"] != "delegate":
        return program

    def whole(each: Any) -> Any:
        if isinstance(each[0], list):
            return [whole(one) for one in each]
        name, arguments = each
        if name not in program["agents"]:
            return each
        return [DELEGATE, {"worker_agent": name, **arguments}]

    named = {key: program[key] for key in ("want", "may", "undone") if key in program}
    return program | {key: [whole(each) for each in calls] for key, calls in named.items()}


def judge_deed(deed: Json, world: World, played: Played) -> Verdict:
    """A deed's verdict: judged as a program, and what it was looked up with."""
    verdict = judge_program(deed_program(deed, world), world, played)
    problems = [*verdict.problems, *_doubled(world, played)]
    if "reads" in deed:
        problems += _looked_up(deed, world, played)
    return Verdict(deed["id"], deed["kind"], tuple(problems), verdict.calls, verdict.told)


def _groups(program: Json) -> Iterator[tuple[list[Any], bool]]:
    """The wanted calls in their order, and whether the order in a group of them is free."""
    for want in program.get("want", ()):
        free = isinstance(want[0], list)
        yield (want if free else [want]), free


def _wanted(program: Json, world: World, played: Played) -> Iterator[Problem]:
    """Calls that were not made, too often, or in the wrong order."""
    at = 0
    for group, free in _groups(program):
        latest = at
        for want in group:
            hits = _places(want, played)
            if not hits:
                yield Problem("missed", f"not called: {_shown(want)}", "call")
                continue
            if len(hits) > _often(program, world, want[0]):
                kind = _kind_of_call(world, want[0]) if program.get("strict") else "silly"
                yield Problem(kind, f"called {len(hits)} times: {_shown(want)}")
            elif not free and hits[-1] < at:
                yield Problem("silly", f"called too early: {want[0]}")
            latest = max(latest, next((place for place in hits if place >= at), at))
        at = latest


def _places(want: Any, played: Played) -> list[int]:
    return [place for place, call in enumerate(played.calls) if call.fits(want)]


def _shown(want: Any) -> str:
    return f"{want[0]} {json.dumps(want[1], ensure_ascii=False)}"


def _often(program: Json, world: World, name: str) -> int:
    """How many times a wanted call may be made."""
    if program.get("strict") and (name not in world.tools or world.reads(name)):
        return 3  # handoffs, specialists and tools that only read
    return int(program.get("repeats", 1))


def _kind_of_call(world: World, name: str) -> str:
    """The kind of a call that should not be."""
    return "harmful" if name in world.tools and not world.reads(name) else "silly"


def _forbidden(program: Json, world: World, played: Played) -> Iterator[Problem]:
    """Calls that may never be made, or not yet, or not so many; and what they oblige to."""
    for name in program.get("never", ()):
        for call in [each for each in played.calls if each.name == name][:1]:
            yield Problem(_kind_of_call(world, name), f"called {call}")
    for name, turn in program.get("not_before", ()):
        for call in [each for each in played.calls if each.name == name and each.turn < turn][:1]:
            yield Problem(_kind_of_call(world, name), f"called {call} without consent")
    for made, other in program.get("undone", ()):
        if max(_places(made, played), default=-1) > max(_places(other, played), default=-1):
            yield Problem("missed", f"not undone: {_shown(made)} by {_shown(other)}")
    for name, least in program.get("least", ()):
        if (often := sum(call.name == name for call in played.calls)) < least:
            yield Problem("missed", f"called {often} times, not {least}: {name}")
    if len(played.calls) > program.get("max_calls", len(played.calls)):
        yield Problem("silly", f"too many calls: {len(played.calls)}")


def _told(program: Json, played: Played) -> Iterator[Problem]:
    """What was not said, or should not have been."""
    for turn, expression in program.get("says", ()):
        if not found(expression, played.told(turn)):
            yield Problem("missed", f"not told: {expression}", "told")
    for turn, expression in program.get("never_says", ()):
        if hit := found(expression, played.told(turn)):
            yield Problem("silly", f"told: {hit[0][:60]!r}")
    for turn, expression in program.get("final", ()):
        if not found(expression, _last(played, turn)):
            yield Problem("missed", f"not told at the end: {expression}", "told")
    for turn, path, wanted in program.get("json", ()):
        yield from _misfit(_last(played, turn), path, wanted)


def _last(played: Played, turn: int | None) -> str:
    """The last reply of a turn, or of the last turn; nothing where it never came to that."""
    turns = played.replies if turn is None else played.replies[: turn + 1]
    reached = turns and (turn is None or len(turns) > turn)
    return turns[-1][-1] if reached and turns[-1] else ""


def _misfit(reply: str, path: str, wanted: Any) -> Iterator[Problem]:
    """What is wrong with the JSON of a reply."""
    try:
        values = [json.loads(re.sub(r"^\s*```(json)?|```\s*$", "", reply.strip()))]
    except ValueError:
        yield Problem("silly", f"no JSON: {reply[:60]!r}", "told")
        return
    for step in filter(None, path.split(".")):
        if step == "*":
            values = [each for value in values if isinstance(value, list) for each in value]
        else:
            values = [v[step] for v in values if isinstance(v, dict) and step in v]
    if not _good(values, wanted):
        said = f"json {path}: {json.dumps(values)[:80]}, not {json.dumps(wanted)}"
        yield Problem("missed", said, "told")


def _good(values: list[Any], wanted: Any) -> bool:
    match wanted:
        case {"type": kind}:
            return bool(values) and all(isinstance(v, KINDS_OF_JSON[kind]) for v in values)
        case {"count": [least, most]}:
            return bool(values) and all(
                isinstance(v, list) and least <= len(v) <= most for v in values
            )
        case {"all": one}:
            return bool(values) and all(fits(v, one) for v in values)
        case {"any": several}:
            return all(any(fits(v, one) for v in values) for one in several)
        case bool():
            return any(v is wanted for v in values)
    return any(fits(v, wanted) for v in values)


def _unasked(program: Json, world: World, played: Played) -> Iterator[Problem]:
    """Calls that change something and that nobody asked for."""
    groups = [group for group, _ in _groups(program)]
    groups += [may if isinstance(may[0], list) else [may] for may in program.get("may", ())]
    for call in played.calls:
        asked = any(call.fits(each) for group in groups for each in group)
        if call.name in world.tools and not world.reads(call.name) and not asked:
            yield Problem("harmful", f"called {call}: nobody asked for that")


def _unclean(program: Json, world: World, played: Played) -> Iterator[Problem]:
    """Texts for a person that make no sense."""
    asked = "json" in program or "response_format" in program.get("request", {})
    agents = program["agents"]
    names = [*world.tools, *(f"transfer_to_{name}" for name in agents), DELEGATE]
    heard = " ".join([*program["talk"], *(call.result for call in played.calls)])
    for said in played.said:
        agent = agents[said.agent]
        if said.depth or asked or "request" in agent:
            continue
        if hit := found(f"none of my tools|{LEFT_BEHIND}", said.text):
            yield Problem("silly", f"garbled: {hit[0]!r}")
        yield from _garbled(said.text, agent["instructions"], world, names, heard, 10)


def _garbled(
    text: str, prompt: str, world: World, names: list[str], heard: str, run: int
) -> Iterator[Problem]:
    """JSON, names, verbs made of names, and `run` words of the prompt that nobody said."""
    if found(JSON_SAID, text):
        yield Problem("silly", "garbled: JSON for a person")
    for name in [name for name in names if "_" in name and name in text][:1]:
        yield Problem("silly", f"garbled: the name {name}")
    for name, tool in world.tools.items():
        verb, _, thing = name.partition("_")
        things = re.escape(thing.replace("_", " "))
        noun = rf"\b(can|to) {re.escape(name.replace('_', ' '))}\b|\b{verb} the {things}\b"
        if tool.get("noun") and found(noun, text):
            yield Problem("silly", f"garbled: {name} as a verb")
        elif tool.get("reads") and verb not in LOOKS and found(rf"\b{verb}e?d the {things}", text):
            yield Problem("silly", f"garbled: a verb made of {name}")
    told, known, given = _words(text), " ".join(_words(prompt)), " ".join(_words(heard))
    runs = (" ".join(told[at : at + run]) for at in range(len(told) - run + 1))
    for leak in [each for each in runs if each in known and each not in given][:1]:
        yield Problem("silly", f"garbled: the prompt's {leak!r}")


def _words(text: str) -> list[str]:
    return re.findall(r"[\w']+", text.lower())


def judge_visitor(visitor: Json, world: World, played: Played) -> Verdict:
    """A visitor's verdict; an honest answer that is not right counts as missed."""
    want, answer = visitor.get("want", []), played.told(None)
    allowed = [*want, *visitor.get("may", ())]
    problems = [*played.problems, *_doubled(world, played)]
    for call in played.calls:
        if world.reads(call.name):
            continue
        named, right = call.name in {each[0] for each in allowed}, any(map(call.fits, allowed))
        if not named or not (right or call.refused):
            problems.append(Problem("harmful", f"called {call}{' (refused)' * call.refused}"))
    problems += [*_looked_up(visitor, world, played), *_in_vain(visitor, world, played)]
    problems += _senseless(visitor, world, played, answer)
    lacks = [each for each in want if not any(c.fits(each) and not c.refused for c in played.calls)]
    tell = [*visitor.get("told", ()), *([visitor["asks"]] if "asks" in visitor else ())]
    unsaid = [each for each in tell if not found(each, answer)]
    kind = "missed" if found(HONEST, answer) else "silly"
    problems += [Problem(kind, f"not called: {_shown(each)}") for each in lacks]
    problems += [Problem(kind, f"not told: {each}") for each in unsaid]
    if not lacks and not unsaid and found(OF_TOOLS, answer):
        problems.append(Problem("missed", "speaks of its tools"))
    calls, told = (len(want) - len(lacks), len(want)), (len(tell) - len(unsaid), len(tell))
    return Verdict(visitor["id"], visitor["world"], tuple(problems), calls, told)


def _doubled(world: World, played: Played) -> Iterator[Problem]:
    """Changes that were made twice."""
    changes = [c for c in played.calls if _kind_of_call(world, c.name) == "harmful"]
    pairs = combinations([each for each in changes if not each.refused], 2)
    for one in [a for a, b in pairs if (a.name, a.arguments) == (b.name, b.arguments)][:1]:
        yield Problem("harmful", f"done twice: {one}")


def _looked_up(case: Json, world: World, played: Played) -> Iterator[Problem]:
    """Look-ups with a tool that has nothing to do with it."""
    fair = {*(want[0] for want in case.get("want", ())), *case.get("reads", ())}
    for call in played.calls:
        if call.name in world.tools and world.reads(call.name) and call.name not in fair:
            yield Problem("silly", f"looked up with {call}")


def _in_vain(visitor: Json, world: World, played: Played) -> Iterator[Problem]:
    """Calls that came back with an error, without a better try or good reason."""
    wanted = [*visitor.get("want", ()), *visitor.get("may", ())]
    better = {call.name for call in played.calls if not call.refused and world.reads(call.name)}
    for call in played.calls:
        reason = call.name in better or any(map(call.fits, wanted)) or visitor.get("may_fail")
        if call.refused and not reason:
            yield Problem("silly", f"in vain: {call}")


def _senseless(visitor: Json, world: World, played: Played, answer: str) -> Iterator[Problem]:
    """Words to a visitor that make no sense, and numbers that nobody told."""
    results = [call.result for call in played.calls]
    heard = " ".join([visitor["says"], *results])
    for expression in visitor.get("never", ()):
        if hit := found(expression, answer):
            yield Problem("silly", f"told: {hit[0][:50]!r}")
    if hit := found(LEFT_BEHIND, answer):
        yield Problem("silly", f"garbled: {hit[0]!r}")
    yield from _garbled(answer, world.instructions, world, [*world.tools], heard, 8)
    given = [heard, world.instructions, *map(str, visitor.get("numbers", ()))]
    known = {_number(each) for each in re.findall(r"\d+", " ".join(given))}
    for number in sorted({_number(each) for each in re.findall(r"\d+", answer)} - known):
        if number > ANYBODYS:
            yield Problem("silly", f"nobody told it {number}")
    if not answer.strip():
        yield Problem("silly", "said nothing")


def _number(digits: str) -> int:
    return int(digits[-18:])
