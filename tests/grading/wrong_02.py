# ruff: noqa: E501 (whole answers)
"""Wrong answers to the exercises of chapter 02: what a student may well write.

Each entry is (name, source of the solution cell). Every one must lose exactly its exercise.
`RIGHT` are answers in other styles than the solution's; every one must pass.
"""

from __future__ import annotations

import inspect

from course.observability.information import unshown
from course.pipeline import fill, shown
from course.pipeline.running import InForm
from tests.grading import wrong_02_routing
from tests.grading.changing import changed

_ASKS = "        answer = await ask_in_form(stage, state, context, client=client)"
_LOOP = """
async def fill(stage, state, *, client):
    agent = stage.agent
    context = Context.of(shown(stage, state), instructions=agent.instructions)
    usage, turns, misfits, begin = Usage(), 0, 0, clock.now()
    while True:
        seconds = clock.now() - begin
        stop = reached(agent.limits, turns=turns, tokens=usage.total, seconds=seconds)
        if stop:
            return Filled(state=state, context=context, usage=usage, stop=stop)
        answer = await ask_in_form(stage, state, context, client=client)
        turns += 1
        usage += answer.usage
        context = context.add(answer.message)
        calls = answer.message.get("tool_calls")
        if calls:
            context = context.add(*await answer_calls(calls, agent.tools))
            continue
        if cut_off(answer):
            return Filled(state=state, context=context, usage=usage, stop=cut_off(answer))
        try:
            new = fitted(stage, state, answer.message["content"])
            return Filled(state=new, context=context, usage=usage)
        except Misfit as misfit:
            misfits += 1
            if misfits == stage.attempts:
                raise failed(stage, state, misfit, misfits) from misfit
            context = context.add(correction(stage, misfit))
"""
_HOOKS = "\n\n\n".join(map(inspect.getsource, (InForm, fill)))

WRONG = {
    "2.1": [
        (
            "shows the whole state",
            "def shown(stage, state):\n    return state.model_dump_json()\n",
        ),
        (
            "shows Python instead of JSON",
            "def shown(stage, state):\n"
            "    return str({name: getattr(state, name) for name in stage.reads})\n",
        ),
        (
            "keeps the state's order",
            "def shown(stage, state):\n"
            "    return state.model_dump_json(include=set(stage.reads))\n",
        ),
        (
            "turns everything into text",
            "import json\n\n\n"
            "def shown(stage, state):\n"
            "    return json.dumps({name: str(getattr(state, name)) for name in stage.reads})\n",
        ),
        (
            "leaves out what nobody has filled",
            "def shown(stage, state):\n"
            '    filled = state.model_dump(mode="json", exclude_unset=True)\n'
            "    seen = {name: filled[name] for name in stage.reads if name in filled}\n"
            "    return to_json(seen).decode()\n",
        ),
        (
            "shows what the stage writes as well",
            changed(
                shown,
                "for name in stage.reads})",
                "for name in (*stage.reads, *stage.writes)})",
            ).replace("include=set(stage.reads)", "include={*stage.reads, *stage.writes}"),
        ),
        (
            "gives bytes instead of text",
            changed(shown, "}).decode()", "})"),
        ),
        (
            "cannot write a date",
            "import json\n\n\n"
            "def shown(stage, state):\n"
            "    seen = state.model_dump()\n"
            "    return json.dumps({name: seen[name] for name in stage.reads})\n",
        ),
        (
            "turns what is no JSON into text",
            "import json\n\n\n"
            "def shown(stage, state):\n"
            "    seen = {name: getattr(state, name) for name in stage.reads}\n"
            "    return json.dumps(seen, default=str)\n",
        ),
    ],
    "2.2": [
        (
            "takes the first answer whatever it is",
            changed(
                _LOOP,
                "            context = context.add(correction(stage, misfit))",
                "            return Filled(state=state, context=context, usage=usage)",
            ),
        ),
        (
            "asks again without saying why",
            changed(
                _LOOP,
                "            context = context.add(correction(stage, misfit))",
                '            context = context.add({"role": "user", "content": "Try again."})',
            ),
        ),
        (
            "starts the conversation anew",
            changed(
                _LOOP,
                "            context = context.add(correction(stage, misfit))",
                "            context = Context.of(\n"
                "                shown(stage, state), instructions=agent.instructions\n"
                "            ).add(correction(stage, misfit))",
            ),
        ),
        (
            "never gives up",
            changed(_LOOP, "if misfits == stage.attempts:", "if misfits == 1000:"),
        ),
        (
            "gives up one answer too early",
            changed(_LOOP, "if misfits == stage.attempts:", "if misfits == stage.attempts - 1:"),
        ),
        (
            "counts tool turns as attempts",
            changed(
                _LOOP,
                "            context = context.add(*await answer_calls(calls, agent.tools))\n",
                "            context = context.add(*await answer_calls(calls, agent.tools))\n"
                "            misfits += 1\n",
            ),
        ),
        (
            "lets the misfit out",
            changed(
                _LOOP, "raise failed(stage, state, misfit, misfits) from misfit", "raise misfit"
            ),
        ),
        (
            "shows the agent everything",
            changed(
                _LOOP,
                "Context.of(shown(stage, state), instructions",
                "Context.of(state.model_dump_json(), instructions",
            ),
        ),
        (
            "forgets the instructions",
            changed(_LOOP, ", instructions=agent.instructions)", ")"),
        ),
        (
            "has no limits",
            changed(_LOOP, "        if stop:\n", "        if False:\n"),
        ),
        (
            "counts the last call's tokens only",
            changed(_LOOP, "usage += answer.usage", "usage = answer.usage"),
        ),
        (
            "forgets the tools' results",
            changed(
                _LOOP,
                "context = context.add(*await answer_calls(calls, agent.tools))",
                "await answer_calls(calls, agent.tools)",
            ),
        ),
        (
            "takes half an answer for a wrong one",
            changed(_LOOP, "        if cut_off(answer):\n", "        if False:\n"),
        ),
        (
            "returns the old state",
            changed(
                _LOOP,
                "Filled(state=new, context=context, usage=usage)",
                "Filled(state=state, context=context, usage=usage)",
            ),
        ),
        (
            "keeps the conversation to itself",
            changed(_LOOP, "Filled(state=new, context=context, usage", "Filled(state=new, usage"),
        ),
        (
            "gives no state when it was stopped",
            _LOOP.replace(
                "Filled(state=state, context=context", "Filled(state=None, context=context"
            ),
        ),
        (
            "does not say what stopped it",
            _LOOP.replace("usage=usage, stop=stop)", "usage=usage)").replace(
                "usage=usage, stop=cut_off(answer))", "usage=usage)"
            ),
        ),
        (
            "takes an error for a stop",
            changed(
                _LOOP,
                _ASKS,
                "        try:\n"
                f"    {_ASKS}\n"
                "        except ModelError:\n"
                "            return Filled(state=state, context=context, usage=usage)",
            ),
        ),
        (
            "forgets what did not fit once a tool has run",
            changed(
                _LOOP,
                "            context = context.add(*await answer_calls(calls, agent.tools))\n",
                "            context = context.add(*await answer_calls(calls, agent.tools))\n"
                "            misfits = 0\n",
            ),
        ),
        (
            "never corrects, in the course's loop",
            changed(_HOOKS, "context.add(message, correction(self.stage, misfit))", "context"),
        ),
        (
            "takes no look at what was cut off, in the course's loop",
            changed(_HOOKS, " or cut_off(self.answer):", ":"),
        ),
        (
            "runs no tools, in the course's loop",
            changed(_HOOKS, "await Hooks.go_on(self, agent, context, message)", "None"),
        ),
        (
            "gives the first reason again and again",
            changed(
                _HOOKS,
                "self.misfits += 1",
                "self.misfits += 1\n            self.why = getattr(self, 'why', misfit)",
                "correction(self.stage, misfit)",
                "correction(self.stage, self.why)",
            ),
        ),
        (
            "counts one answer less in its error",
            changed(_HOOKS, "misfit, self.misfits)", "misfit, self.misfits - 1)"),
        ),
        (
            "takes a call with words beside it for an answer",
            changed(
                _HOOKS,
                'if message.get("tool_calls") or',
                'if (message.get("tool_calls") and not message.get("content")) or',
            ),
        ),
    ],
    "2.3": [
        (
            "accuses every argument that was not shown",
            changed(unshown, "name in known and name not in seen", "name not in seen"),
        ),
        (
            "accuses every field of the state",
            changed(unshown, "name in known and name not in seen", "name in known"),
        ),
        (
            "knows only what was written",
            changed(unshown, "{*seen, *names_in(stage, WROTE)}", "{*names_in(stage, WROTE)}"),
        ),
        (
            "knows only what was shown",
            changed(unshown, "{*seen, *names_in(stage, WROTE)}", "{*seen}"),
        ),
        (
            "knows what the stage itself is going to write",
            changed(
                unshown,
                "        seen = names_in(stage, SHOWN)\n",
                "        seen = names_in(stage, SHOWN)\n"
                "        known |= {*names_in(stage, WROTE)}\n",
            ),
        ),
        (
            "tells the same thing twice",
            changed(unshown, " and made_up not in found", ""),
        ),
        (
            "tells each field once, in whichever stages",
            changed(
                unshown,
                "made_up not in found",
                "name not in [each.field for each in found]",
            ),
        ),
        (
            "stops at the first finding",
            changed(
                unshown,
                "                    found.append(made_up)\n",
                "                    return [made_up]\n",
            ),
        ),
        (
            "looks at all tool calls of the trace in each stage",
            changed(
                unshown,
                "calls_in(trace, stage)",
                '[s for s in trace.spans if s.operation == "execute_tool"]',
            ),
        ),
        (
            "swaps field and tool",
            changed(
                unshown,
                "Unshown(stage.name, name, call.name)",
                "Unshown(stage.name, call.name, name)",
            ),
        ),
        (
            "sorts what it finds",
            changed(
                unshown,
                "    return found",
                "    return sorted(found, key=lambda each: (each.field, each.tool))",
            ),
        ),
        (
            "reads every argument as JSON",
            "import json\n\n\n"
            + changed(
                unshown,
                "            for name in names_in(call, ARGUMENTS):\n",
                "            for name in dict(json.loads(call.attributes[ARGUMENTS])):\n",
            ),
        ),
        (
            "leaves out the calls that failed",
            changed(
                unshown,
                "for call in calls_in(trace, stage):",
                "for call in (c for c in calls_in(trace, stage) if not c.error):",
            ),
        ),
        (
            "knows only what the first stage was shown",
            changed(unshown, "known |= {*seen,", "known |= {*(() if known else seen),"),
        ),
    ],
    **wrong_02_routing.WRONG,
}

RIGHT = {
    "2.1": [
        (
            "builds it field by field",
            "import json\n\n\n"
            "def shown(stage, state):\n"
            '    everything = state.model_dump(mode="json")\n'
            "    seen = {}\n"
            "    for name in stage.reads:\n"
            "        seen[name] = everything[name]\n"
            "    return json.dumps(seen, ensure_ascii=False, indent=2)\n",
        ),
        (
            "lets pydantic write each field",
            "def shown(stage, state):\n"
            "    fields = {name: getattr(state, name) for name in stage.reads}\n"
            "    return to_json(fields).decode()\n",
        ),
        (
            "makes a model of its own",
            "import pydantic\n\n\n"
            "def shown(stage, state):\n"
            "    fields = {\n"
            "        name: (type(state).model_fields[name].annotation, getattr(state, name))\n"
            "        for name in stage.reads\n"
            "    }\n"
            '    return pydantic.create_model("Seen", **fields)().model_dump_json()\n',
        ),
        (
            "an object that is called, and a match",
            "import datetime\n"
            "import json\n\n\n"
            "class Shower:\n"
            "    def plain(self, value):\n"
            "        match value:\n"
            "            case datetime.date():\n"
            "                return value.isoformat()\n"
            "            case BaseModel():\n"
            "                return {n: self.plain(v) for n, v in value}\n"
            "            case list() | tuple():\n"
            "                return [self.plain(each) for each in value]\n"
            "        return value\n\n"
            "    def __call__(self, stage, state):\n"
            "        return json.dumps({n: self.plain(getattr(state, n)) for n in stage.reads})\n\n\n"
            "shown = Shower()\n",
        ),
        (
            "reads its own JSON again",
            "import json\n"
            "from operator import itemgetter\n\n\n"
            "def shown(stage, state):\n"
            "    known = json.loads(state.model_dump_json())\n"
            "    return json.dumps(dict(map(lambda n: (n, itemgetter(n)(known)), stage.reads)))\n",
        ),
        (
            "writes the JSON by hand",
            "def shown(stage, state):\n"
            "    def parts():\n"
            "        for name in stage.reads:\n"
            "            text = to_json(getattr(state, name)).decode()\n"
            "            yield f'\"{name}\": {text}'\n\n"
            "    return '{' + ', '.join(parts()) + '}'\n",
        ),
    ],
    "2.2": [
        ("writes the loop itself", _LOOP),
        (
            "keeps a list of messages",
            """
async def fill(stage, state, *, client):
    agent, used, left, turn, begin = stage.agent, Usage(), stage.attempts, 0, clock.now()
    said = [
        {"role": "system", "content": agent.instructions},
        {"role": "user", "content": shown(stage, state)},
    ]
    while True:
        talk = Context(tuple(said))
        stop = reached(agent.limits, turns=turn, tokens=used.total, seconds=clock.now() - begin)
        if stop is not None:
            break
        answer = await ask_in_form(stage, state, talk, client=client)
        turn, used = turn + 1, used + answer.usage
        said.append(answer.message)
        talk = Context(tuple(said))
        if answer.message.get("tool_calls"):
            said += await answer_calls(answer.message["tool_calls"], agent.tools)
        elif (stop := cut_off(answer)) is not None:
            break
        else:
            try:
                state = fitted(stage, state, answer.message["content"])
                break
            except Misfit as misfit:
                left -= 1
                if not left:
                    raise failed(stage, state, misfit, stage.attempts) from None
                said.append(correction(stage, misfit))
    return Filled(state=state, context=talk, usage=used, stop=stop)
""",
        ),
        (
            "calls itself",
            """
async def fill(stage, state, *, client):
    agent, begin = stage.agent, clock.now()

    async def go_on(context, usage, turns, misfits):
        spent = {"turns": turns, "tokens": usage.total, "seconds": clock.now() - begin}
        if stop := reached(agent.limits, **spent):
            return Filled(state=state, context=context, usage=usage, stop=stop)
        answer = await ask_in_form(
            stage, state, context, client=client
        )
        usage, context = usage + answer.usage, context.add(answer.message)
        if calls := answer.message.get("tool_calls"):
            results = await answer_calls(calls, agent.tools)
            return await go_on(context.add(*results), usage, turns + 1, misfits)
        if stop := cut_off(answer):
            return Filled(state=state, context=context, usage=usage, stop=stop)
        try:
            new = fitted(stage, state, answer.message["content"])
        except Misfit as misfit:
            if misfits + 1 >= stage.attempts:
                raise failed(stage, state, misfit, misfits + 1) from misfit
            told = context.add(correction(stage, misfit))
            return await go_on(told, usage, turns + 1, misfits + 1)
        return Filled(state=new, context=context, usage=usage)

    opening = Context.of(shown(stage, state), instructions=agent.instructions)
    return await go_on(opening, Usage(), 0, 0)
""",
        ),
        (
            "in two loops",
            """
async def fill(stage, state, *, client):
    agent, begin, turns, usage = stage.agent, clock.now(), 0, Usage()
    context = Context.of(shown(stage, state), instructions=agent.instructions)
    for attempt in range(1, stage.attempts + 1):
        while True:
            stop = reached(
                agent.limits, turns=turns, tokens=usage.total, seconds=clock.now() - begin
            )
            if stop:
                return Filled(state=state, context=context, usage=usage, stop=stop)
            answer = await ask_in_form(
                stage, state, context, client=client
            )
            turns += 1
            usage = usage + answer.usage
            context = context.add(answer.message)
            if "tool_calls" not in answer.message:
                break
            results = await answer_calls(answer.message["tool_calls"], agent.tools)
            context = context.add(*results)
        if cut_off(answer):
            return Filled(state=state, context=context, usage=usage, stop=cut_off(answer))
        try:
            state = fitted(stage, state, answer.message["content"])
            return Filled(state=state, context=context, usage=usage)
        except Misfit as trouble:
            reason = trouble
            context = context.add(correction(stage, trouble))
    raise failed(stage, state, reason, stage.attempts)
""",
        ),
        (
            "an object with a state",
            "from dataclasses import dataclass\n\n\n"
            "@dataclass\n"
            "class Filling:\n"
            "    stage: Stage\n"
            "    state: BaseModel\n"
            "    misfits: int = 0\n"
            "    turns: int = 0\n\n"
            "    def __post_init__(self):\n"
            "        about = self.stage.agent.instructions\n"
            "        self.context = Context.of(shown(self.stage, self.state), instructions=about)\n"
            "        self.usage, self.begin = Usage(), clock.now()\n\n"
            "    def over(self, **more):\n"
            "        told = dict(state=self.state, context=self.context, usage=self.usage)\n"
            "        return Filled(**(told | more))\n\n"
            "    def stop(self):\n"
            "        gone = clock.now() - self.begin\n"
            "        limits, spent = self.stage.agent.limits, self.usage.total\n"
            "        return reached(limits, turns=self.turns, tokens=spent, seconds=gone)\n\n"
            "    async def turn(self, **how):\n"
            "        answer = await ask_in_form(\n"
            "            self.stage, self.state, self.context, **how\n"
            "        )\n"
            "        self.turns += 1\n"
            "        self.usage = self.usage + answer.usage\n"
            "        self.context = self.context.add(answer.message)\n"
            "        match answer.message:\n"
            "            case {'tool_calls': [*calls]} if calls:\n"
            "                said = await answer_calls(calls, self.stage.agent.tools)\n"
            "                self.context = self.context.add(*said)\n"
            "                return None\n"
            "        if (cut := cut_off(answer)) is not None:\n"
            "            return self.over(stop=cut)\n"
            "        return self.judged(answer.message['content'])\n\n"
            "    def judged(self, text):\n"
            "        try:\n"
            "            return self.over(state=fitted(self.stage, self.state, text))\n"
            "        except Misfit as misfit:\n"
            "            self.misfits += 1\n"
            "            if self.misfits >= self.stage.attempts:\n"
            "                raise failed(self.stage, self.state, misfit, self.misfits) from None\n"
            "            self.context = self.context.add(correction(self.stage, misfit))\n\n\n"
            "async def fill(stage, state, *, client):\n"
            "    filling = Filling(stage, state)\n"
            "    while not (stop := filling.stop()):\n"
            "        if done := await filling.turn(client=client):\n"
            "            return done\n"
            "    return filling.over(stop=stop)\n",
        ),
        (
            "answers as a stream",
            "import contextlib\n"
            "import itertools\n\n\n"
            "async def fill(stage, state, *, client):\n"
            "    agent, spent, begin = stage.agent, [], clock.now()\n"
            "    talk = [Context.of(shown(stage, state), instructions=agent.instructions)]\n\n"
            "    def filled(state, stop=None):\n"
            "        spent_ = sum(spent, Usage())\n"
            "        return Filled(state=state, context=talk[-1], usage=spent_, stop=stop)\n\n"
            "    async def answers():\n"
            "        for turn in itertools.count():\n"
            "            used = sum(spent, Usage()).total\n"
            "            gone = clock.now() - begin\n"
            "            if stop := reached(agent.limits, turns=turn, tokens=used, seconds=gone):\n"
            "                yield stop\n"
            "                return\n"
            "            answer = await ask_in_form(\n"
            "                stage, state, talk[-1], client=client\n"
            "            )\n"
            "            spent.append(answer.usage)\n"
            "            talk.append(talk[-1].add(answer.message))\n"
            "            if calls := answer.message.get('tool_calls'):\n"
            "                talk.append(talk[-1].add(*await answer_calls(calls, agent.tools)))\n"
            "            else:\n"
            "                yield cut_off(answer) or answer\n\n"
            "    wrong = 0\n"
            "    async with contextlib.aclosing(answers()) as stream:\n"
            "        async for each in stream:\n"
            "            if isinstance(each, Stop):\n"
            "                return filled(state, each)\n"
            "            try:\n"
            "                return filled(fitted(stage, state, each.message['content']))\n"
            "            except Misfit as misfit:\n"
            "                if (wrong := wrong + 1) == stage.attempts:\n"
            "                    raise failed(stage, state, misfit, wrong)\n"
            "                talk.append(talk[-1].add(correction(stage, misfit)))\n",
        ),
        (
            "exceptions for every way out",
            "class Done(Exception):\n"
            "    pass\n\n\n"
            "async def fill(stage, state, *, client):\n"
            "    context = Context.of(shown(stage, state), instructions=stage.agent.instructions)\n"
            "    begin, usage, turn, left = clock.now(), Usage(), 0, stage.attempts\n"
            "    try:\n"
            "        while True:\n"
            "            if stop := reached(\n"
            "                stage.agent.limits,\n"
            "                turns=turn,\n"
            "                tokens=usage.total,\n"
            "                seconds=clock.now() - begin,\n"
            "            ):\n"
            "                raise Done(state, stop)\n"
            "            answer = await ask_in_form(\n"
            "                stage, state, context, client=client\n"
            "            )\n"
            "            turn, usage = turn + 1, usage + answer.usage\n"
            "            context = context.add(answer.message)\n"
            "            calls = answer.message.get('tool_calls') or ()\n"
            "            if calls:\n"
            "                context = context.add(*await answer_calls(calls, stage.agent.tools))\n"
            "            elif cut_off(answer):\n"
            "                raise Done(state, cut_off(answer))\n"
            "            else:\n"
            "                try:\n"
            "                    raise Done(fitted(stage, state, answer.message['content']), None)\n"
            "                except Misfit as misfit:\n"
            "                    left -= 1\n"
            "                    if not left:\n"
            "                        raise failed(stage, state, misfit, stage.attempts)\n"
            "                    context = context.add(correction(stage, misfit))\n"
            "    except Done as done:\n"
            "        new, stop = done.args\n"
            "        return Filled(state=new, context=context, usage=usage, stop=stop)\n",
        ),
    ],
    "2.3": [
        (
            "collects the findings in a dictionary",
            """
def unshown(trace):
    known, found = set(), {}
    for stage in [each for each in trace.spans if each.operation == "stage"]:
        seen = set(names_in(stage, SHOWN))
        for call in calls_in(trace, stage):
            for name in names_in(call, ARGUMENTS):
                if name in known - seen:
                    found[Unshown(stage.name, name, call.name)] = True
        known = known | seen | set(names_in(stage, WROTE))
    return list(found)
""",
        ),
        (
            "works out what was known before each stage",
            """
def unshown(trace):
    stages = [span for span in trace.spans if span.operation == "stage"]

    def known_before(place):
        names = set()
        for stage in stages[:place]:
            names.update(names_in(stage, SHOWN), names_in(stage, WROTE))
        return names

    told = []
    for place, stage in enumerate(stages):
        missing = known_before(place) - set(names_in(stage, SHOWN))
        for call in calls_in(trace, stage):
            told += [
                Unshown(stage.name, name, call.name)
                for name in names_in(call, ARGUMENTS)
                if name in missing
            ]
    return list(dict.fromkeys(told))
""",
        ),
        (
            "reads the JSON by itself",
            """
import json


def unshown(trace):
    def names(span, attribute):
        try:
            value = json.loads(span.attributes.get(attribute, "{}"))
        except ValueError:
            return []
        return list(value) if isinstance(value, dict) else []

    parents = {span.span_id: span for span in trace.spans}

    def stage_of(span):
        while span is not None and span.operation != "stage":
            span = parents.get(span.parent_id)
        return span

    known, before, found = set(), None, []
    for span in trace.spans:
        if span.operation == "stage":
            if before is not None:
                known |= {*names(before, SHOWN), *names(before, WROTE)}
            before = span
        if span.operation == "execute_tool" and stage_of(span) is not None:
            stage = stage_of(span)
            for name in names(span, ARGUMENTS):
                finding = Unshown(stage.name, name, span.name)
                unseen = name in known and name not in names(stage, SHOWN)
                if unseen and finding not in found:
                    found.append(finding)
    return found
""",
        ),
        (
            "a generator, and a dictionary that keeps the first",
            "def unshown(trace):\n"
            "    def findings():\n"
            "        known = set()\n"
            "        for stage in filter(lambda s: s.operation == 'stage', trace.spans):\n"
            "            seen = set(names_in(stage, SHOWN))\n"
            "            for call in calls_in(trace, stage):\n"
            "                yield from (\n"
            "                    Unshown(stage.name, name, call.name)\n"
            "                    for name in names_in(call, ARGUMENTS)\n"
            "                    if name in known - seen\n"
            "                )\n"
            "            known.update(seen, names_in(stage, WROTE))\n\n"
            "    return list(dict.fromkeys(findings()))\n",
        ),
        (
            "accumulates what is known first",
            "from itertools import accumulate, product\n\n\n"
            "def unshown(trace):\n"
            "    stages = [s for s in trace.spans if s.operation == 'stage']\n"
            "    told = [{*names_in(s, SHOWN), *names_in(s, WROTE)} for s in stages]\n"
            "    before = [set(), *accumulate(told, set.union)]\n"
            "    every = [\n"
            "        Unshown(stage.name, name, call.name)\n"
            "        for stage, known in zip(stages, before)\n"
            "        for call in calls_in(trace, stage)\n"
            "        for name in names_in(call, ARGUMENTS)\n"
            "        if name in known and name not in names_in(stage, SHOWN)\n"
            "    ]\n"
            "    return [each for n, each in enumerate(every) if each not in every[:n]]\n",
        ),
        (
            "by recursion over the stages",
            "def unshown(trace):\n"
            "    def rest(stages, known, found):\n"
            "        match stages:\n"
            "            case []:\n"
            "                return list(found)\n"
            "            case [stage, *later]:\n"
            "                seen = frozenset(names_in(stage, SHOWN))\n"
            "                new = {\n"
            "                    Unshown(stage.name, name, call.name): None\n"
            "                    for call in calls_in(trace, stage)\n"
            "                    for name in names_in(call, ARGUMENTS)\n"
            "                    if name in known and name not in seen\n"
            "                }\n"
            "                known = known | seen | set(names_in(stage, WROTE))\n"
            "                return rest(later, known, found | new)\n\n"
            "    return rest([s for s in trace.spans if s.operation == 'stage'], frozenset(), {})\n",
        ),
    ],
    **wrong_02_routing.RIGHT,
}
