"""Projects as students hand them in: five right ones in five styles, and wrong ones.

The right ones are whole modules in `projects/`. Wrong ones are changes to them: each loses points
in one of the six groups, for its own reason, and keeps those of the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

STYLES = Path(__file__).with_name("projects")
STYLE = {path.stem: path.read_text(encoding="utf-8") for path in sorted(STYLES.glob("[a-z]*.py"))}
"""The right ones by the names of their styles."""


@dataclass(frozen=True)
class Wrong:
    """A project with one thing wrong.

    Attributes:
        group: number of the exercise that it fails.
        reason: a part of what the judge says.
        also: other groups that fall with it, because the same thing is seen there.
    """

    name: str
    source: str
    group: str
    reason: str = ""
    also: tuple[str, ...] = ()


def _changed(style: str, *changes: tuple[str, str]) -> str:
    """A right project with something changed, each time at exactly one place."""
    source = STYLE[style]
    for old, new in changes:
        if source.count(old) != 1:
            raise ValueError(f"{style} holds {source.count(old)} times: {old}")
        source = source.replace(old, new)
    return source


def _with(style: str, definition: str) -> str:
    """A right project with a definition put in the place of its own."""
    return f"{STYLE[style]}\n\n{definition}"


_SUBMIT = """\
TRIES = 3
SUBMIT = {
    "type": "function",
    "function": {
        "name": "submit_plan",
        "description": "Hand in the plan.",
        "parameters": {
            "type": "object",
            "properties": {"tasks": {"type": "array"}, "goal": {"type": "string"}},
        },
    },
}
"""
_AS_OBJECTS = """\
def as_objects(workers):
    return [Colleague(**each) if isinstance(each, dict) else each for each in workers]


async def make_plan(request, workers, *, client):
    workers = as_objects(workers)
"""
_SPAN_A_TRY = """\
    while record.attempts < MOST_TRIES and record.status != "done":
        with span("dispatch", record.task["id"], about) as step:
            if record.error:
                words = await in_other_words(words, record.error, client)
            record.attempts += 1
            worker = staff[record.task["worker"]]
            record.result, record.error = await one_try(record, worker, words, given, client)
            record.status = "failed" if record.error else "done"
            if record.error:
                step.fail(record.error)
    record.seconds"""


def _between(style: str, first: str, last: str, new: str) -> str:
    """A right project with everything from one text to before another put differently."""
    begin = STYLE[style].index(first)
    end = STYLE[style].index(last, begin)
    return _changed(style, (STYLE[style][begin:end] + last, new))


ALSO_RIGHT = {
    "workers as dictionaries": _changed(
        "groups",
        (
            "Colleague(name, about, prompt, tuple(tools[each] for each in owned.split()))",
            '{"name": name, "description": about, "instructions": prompt,'
            ' "tools": [tools[each] for each in owned.split()]}',
        ),
        ("async def make_plan(request, workers, *, client):\n", _AS_OBJECTS),
        (
            "    staff = {each.name: each for each in workers}\n",
            "    staff = {each.name: each for each in as_objects(workers)}\n",
        ),
    ),
    "a plan through a tool": _changed(
        "plain",
        ("TRIES = 3\n", _SUBMIT),
        ("say(client, messages, log=None)", "say(client, messages, log=None, tools=[SUBMIT])"),
        (
            '        text = said["content"] or ""\n        plan, wrong',
            '        text = (said.get("tool_calls") or [{"function": {"arguments": ""}}])[0]'
            '["function"]["arguments"]\n        plan, wrong',
        ),
    ),
    "tries again in the same conversation": _changed(
        "plain",
        (
            'words, log, parent):\n    """A worker\'s',
            'words, log, parent, talk):\n    """A worker\'s',
        ),
        (
            '    messages = [{"role": "system", "content": told},'
            ' {"role": "user", "content": words}]',
            '    talk += [] if talk else [{"role": "system", "content": told}]\n'
            '    talk.append({"role": "user", "content": words})\n    messages = talk',
        ),
        (
            'staff[task["worker"]], told, log, step)',
            'staff[task["worker"]], told, log, step, talk)',
        ),
        (
            '        step = log.open("dispatch", id, root)',
            '        step, talk = log.open("dispatch", id, root), []',
        ),
    ),
    "a dispatch for each try": _between(
        "groups", '    with span("dispatch"', "    record.seconds", _SPAN_A_TRY
    ),
    "four at a time": _changed("queued", ("HANDS = 12", "HANDS = 4")),
}
"""Other ways to do one thing, beside the styles."""

_EAGER = """\
    problem = ""
    hurry = Record({"id": "t0", "description": request, "worker": workers[0].name})
    await one_try(hurry, workers[0], f"Task: {request}", {}, client)
    told = request
"""
_INVENTED = """\
async def make_plan(request, workers, *, client):
    tasks = [
        {"id": w.name, "description": f"{w.description}: {request}", "worker": w.name,
         "dependencies": []}
        for w in workers
    ]
    return {"goal": request, "tasks": tasks, "final_instruction": ""}
"""
_TWO = """\
def my_workers(tools):
    every, half = list(tools.values()), len(tools) // 2
    return [
        Colleague("front", "the first half of the tools", "You use your tools with care.",
                  tuple(every[:half])),
        Colleague("back", "the other half of the tools", "You do what the front cannot do.",
                  tuple(every[half:])),
    ]
"""
_MADE_UP = """\
_real = execute


async def execute(request, plan, workers, *, client):
    made, trace = await _real(request, plan, workers, client=client), Trace("project")
    with trace.record(), span("invoke_agent", "chief"):
        for id, each in made["tasks"].items():
            with span("dispatch", id), span("chat", SMALL):
                await asyncio.sleep(0.5)
            if each["status"] == "failed":
                with span("execute_tool", "retry"):
                    await asyncio.sleep(0.1)
        with span("aggregate", "chief"), span("chat", SMALL):
            await asyncio.sleep(0.5)
    return made | {"trace": trace.to_json()}
"""
_TWICE = """\
        took = clock.now() - begin
        again, tasks = Chief(request, plan, chief.people, client), plan["tasks"]
        for id in chief.over:
            [task] = [each for each in tasks if each["id"] == id]
            again.over[id] = await again.carry(task)
        chief.seconds = again.seconds
"""
_KEEPS = (
    "            return plan\n",
    "            KEPT[request] = text\n            return plan\n",
)
_AS_MADE = (
    '    planned = {each["id"]: each for each in plan["tasks"]}\n',
    """\
    ids = [each["id"] for each in plan["tasks"]]
    made = json.loads(KEPT.pop(request, '{"tasks": []}'))["tasks"]
    planned = {each["id"]: each for each in [*plan["tasks"], *made] if each["id"] in ids}
    for each in planned.values():
        each["dependencies"] = [need for need in each["dependencies"] if need in ids]
""",
)

WRONG = (
    # 11.1: a plan as JSON before anything is done
    Wrong(
        "works before there is a plan",
        _changed("groups", ('    told, problem = request, ""\n', _EAGER)),
        "11.1",
        "but it asked a worker",
    ),
    Wrong(
        "leaves a worker's task running beside the plan",
        _changed(
            "plain",
            (
                "        if not wrong:\n            return plan",
                "        if not wrong:\n"
                "            hurry = work(client, workers[0], request, Log(request), None)\n"
                "            KEPT.append(asyncio.ensure_future(hurry))\n"
                "            return plan",
            ),
            ("TRIES = 3\n", "TRIES = 3\nKEPT = []\n"),
        ),
        "11.1",
        "running",
    ),
    Wrong(
        "makes a plan up without a model",
        _with("groups", _INVENTED),
        "11.1",
        "none of 0 requests asked for one",
        also=("11.2", "11.3", "11.4", "11.5", "11.6"),
    ),
    Wrong(
        "takes any plan that can be read",
        _changed(
            "groups",
            (
                'problem = "; ".join(faults(plan, [w.name for w in workers]))',
                'problem = "" if plan["tasks"] else "no tasks"',
            ),
        ),
        "11.1",
        'goes to "the night porter"',
    ),
    Wrong(
        "says that the plan is wrong, and not why",
        _changed("groups", ("Put this right: {problem}", "This is wrong. Think again.")),
        "11.1",
        "to hear what is wrong with its plan",
    ),
    Wrong(
        "asks for a plan for ever",
        _changed(
            "plain",
            (
                "    for _ in range(3):\n        said = await say",
                "    while True:\n        said = await say",
            ),
        ),
        "11.1",
        "at most 5 requests for a plan",
    ),
    Wrong(
        "plans anew instead of carrying out what it is given",
        _changed(
            "waiting",
            (
                "    chief = Chief(request, plan, {",
                "    plan = await make_plan(request, workers, client=client)\n"
                "    chief = Chief(request, plan, {",
            ),
        ),
        "11.1",
        "does execute read the plan that it gets",
        also=("11.4", "11.6"),
    ),
    Wrong(
        "puts its own plan back in the place of the edited one",
        _changed(
            "plain",
            ("TRIES = 3\n", "TRIES = 3\nKEPT = {}\n"),
            _KEEPS,
            (
                "    loop = asyncio.get_running_loop()\n    begin = loop.time()",
                "    if request in KEPT:\n        plan.clear()\n"
                "        plan.update(json.loads(KEPT[request]))\n"
                "    loop = asyncio.get_running_loop()\n    begin = loop.time()",
            ),
        ),
        "11.1",
        "of the plan as it was handed over, all of them",
    ),
    Wrong(
        "heeds of an edited plan only which tasks there are",
        _changed("plain", ("TRIES = 3\n", "TRIES = 3\nKEPT = {}\n"), _KEEPS, _AS_MADE),
        "11.1",
        "which it needs, but it began",
    ),
    Wrong(
        "asks for a plan without saying for what",
        _changed(
            "plain",
            ('{"role": "user", "content": request},', '{"role": "user", "content": "Now."},'),
        ),
        "11.1",
        "but the request is not in it",
    ),
    Wrong(
        "takes the dependencies out of the plan",
        _changed(
            "plain",
            (
                "        if not wrong:\n            return plan",
                "        if not wrong:\n"
                '            for each in plan["tasks"]:\n'
                '                each["dependencies"] = []\n'
                "            return plan",
            ),
        ),
        "11.1",
        "waits for other tasks than",
    ),
    Wrong(
        "sends a bad plan back with nothing but the plan",
        _changed("plain", ('\\n" + "\\n".join(wrong)', '\\n" + text.replace(",", ",\\n")')),
        "11.1",
        "to hear what is wrong with its plan",
    ),
    # 11.2: three or more workers with prompts and tools of their own
    Wrong("has two workers", _with("groups", _TWO), "11.2", "at least 3 workers with tools, got 2"),
    Wrong(
        "gives two workers the same tool",
        _changed(
            "groups", ('"find_patient list_stays', '"search_documents find_patient list_stays')
        ),
        "11.2",
        '"registrar" and "reader" both have search_documents',
    ),
    Wrong(
        "gives every worker the same prompt",
        _changed(
            "groups",
            (
                "Colleague(name, about, prompt,",
                'Colleague(name, about, "You are a helpful and careful assistant.",',
            ),
        ),
        "11.2",
        "are told the same",
    ),
    Wrong(
        "offers every worker the tools of all",
        _changed(
            "waiting",
            (
                "            tools=tuple(person.tools),",
                "            tools=tuple(t for p in self.people.values() for t in p.tools),",
            ),
        ),
        "11.2",
        "was offered",
    ),
    Wrong(
        "leaves the workers' prompts out",
        _changed("plain", ('told = f"{worker.instructions}\\nIf you', 'told = f"If you')),
        "11.2",
        "to hold its worker's instructions",
    ),
    Wrong(
        "shows every worker all results so far",
        _changed(
            "waiting",
            (
                "        for id, each in needs.items():",
                "        for id, each in self.over.items():",
            ),
        ),
        "11.2",
        "'s result, but it does",
    ),
    Wrong(
        "tells every worker the whole plan",
        _changed(
            "plain",
            (
                '            told = f"Task: {words}\\n"\n',
                '            told = f"The plan: {json.dumps(plan)}\\nTask: {words}\\n"\n',
            ),
        ),
        "11.2",
        "not to see another task",
    ),
    Wrong(
        "tells every worker all that there is, without references",
        _changed(
            "plain",
            ("import openai\n", "import re\n\nimport openai\n"),
            (
                '            made["attempts"] += 1\n',
                '            leak = " ".join(t["description"] for t in plan["tasks"])\n'
                '            told += re.sub(r"\\(ref .*?\\)", "", leak)\n'
                '            made["attempts"] += 1\n',
            ),
        ),
        "11.2",
        "not to see another task",
    ),
    Wrong(
        "tells every worker the instructions of all",
        _changed(
            "plain",
            ('told = f"{worker.instructions}\\nIf you', 'told = f"{EVERY[0]}\\nIf you'),
            ("TRIES = 3\n", "TRIES = 3\nEVERY = []\n"),
            (
                "    staff = {w.name: w for w in workers}\n",
                "    staff = {w.name: w for w in workers}\n"
                '    EVERY[:] = [" ".join(w.instructions for w in workers)]\n',
            ),
        ),
        "11.2",
        "instructions alone",
    ),
    Wrong(
        "gives everybody the same tool under names of their own",
        _changed(
            "plain",
            ("import openai\n", "import dataclasses\n\nimport openai\n"),
            (
                "            tools=[tools[each] for each in owned],",
                "            tools=[\n"
                "                *(tools[each] for each in owned),\n"
                '                dataclasses.replace(tools["check_clauses"], name=name + "_c"),\n'
                "            ],",
            ),
        ),
        "11.2",
        "both have check_clauses",
    ),
    # 11.3: independent tasks at the same time, the gain measured
    Wrong(
        "does one task after the other",
        _changed("queued", ("HANDS = 12", "HANDS = 1")),
        "11.3",
        "only one ran at a time",
    ),
    Wrong(
        "asks for all at once and does one after the other",
        _changed(
            "plain",
            (
                '        outcome = tools[name].function(**json.loads(arguments or "{}"))\n'
                "        outcome = await outcome if inspect.isawaitable(outcome) else outcome\n",
                "        async with LOCKS.setdefault(asyncio.get_running_loop(), asyncio.Lock()):\n"
                '            outcome = tools[name].function(**json.loads(arguments or "{}"))\n'
                "            outcome = await outcome if inspect.isawaitable(outcome)"
                " else outcome\n",
            ),
            ("TRIES = 3\n", "TRIES = 3\nLOCKS = {}\n"),
        ),
        "11.3",
        "to go on once it has begun",
        also=("11.4", "11.6"),  # a call that hangs keeps all others waiting
    ),
    Wrong(
        "waits for whole waves",
        _changed("waiting", ("asyncio.FIRST_COMPLETED", "asyncio.ALL_COMPLETED")),
        "11.3",
        "which it does not need",
    ),
    Wrong(
        "claims a gain",
        _changed(
            "assembled",
            (
                '"sequential_seconds": sum(each.seconds for each in results.values()),',
                '"sequential_seconds": 3 * seconds,',
            ),
        ),
        "11.3",
        "sequential_seconds of",
    ),
    Wrong(
        "measures with another clock",
        _changed(
            "plain",
            (
                "    loop = asyncio.get_running_loop()\n    begin = loop.time()",
                "    loop = asyncio.get_running_loop()\n    begin = time.perf_counter()",
            ),
            ('"seconds": loop.time() - begin', '"seconds": time.perf_counter() - begin'),
        ),
        "11.3",
        "time.perf_counter does not see its waits",
    ),
    Wrong(
        "does everything a second time to measure it",
        _changed("waiting", ("        took = clock.now() - begin\n", _TWICE)),
        "11.3",
        "but it was sent again",
        also=("11.4", "11.6"),
    ),
    # 11.4: tried again in other words, three times at the most; nothing else is lost
    Wrong(
        "pastes the error in front of the same words",
        _changed(
            "queued",
            (
                "f\"{task['description']} This way it failed: {error}. So do it differently.\"",
                "f\"The last try failed: {error}\\n{task['description']}\"",
            ),
        ),
        "11.4",
        "the same words with the error beside them",
    ),
    Wrong(
        "sends the same words again",
        _changed(
            "groups",
            ("words = await in_other_words(words, record.error, client)", "pass"),
            (
                '    if record.error:\n        told.append(f"What went wrong the last time: '
                '{record.error}")\n',
                "",
            ),
        ),
        "11.4",
        "word for word",
    ),
    Wrong(
        "never tries again",
        _changed("groups", ("MOST_TRIES = 3", "MOST_TRIES = 1")),
        "11.4",
        "given up after 1",
    ),
    Wrong(
        "tries without end",
        _changed("groups", ("MOST_TRIES = 3", "MOST_TRIES = 60")),
        "11.4",
        "at most 3 tries",
    ),
    Wrong(
        "rewrites without the error",
        _changed(
            "queued",
            (
                "This way it failed: {error}. So do it differently.",
                "Think step by step, and do try {attempt} better than the last.",
            ),
        ),
        "11.4",
        "but the error is not in it",
    ),
    Wrong(
        "ends with the first task that fails",
        _changed(
            "assembled",
            (
                "        return TaskResult(\n",
                "        if failure:\n            raise RuntimeError(failure.error)\n"
                "        return TaskResult(\n",
            ),
        ),
        "11.4",
        "your code raised RuntimeError",
        also=("11.5", "11.6"),
    ),
    Wrong(
        "loses what was under way when a task fails",
        _changed(
            "groups",
            (
                "        async with asyncio.TaskGroup() as group:\n"
                "            for record in records.values():\n"
                "                group.create_task(do(record, records, staff, client))\n",
                "        try:\n"
                "            async with asyncio.TaskGroup() as group:\n"
                "                for record in records.values():\n"
                "                    group.create_task(do(record, records, staff, client))\n"
                "        except* RuntimeError:\n"
                "            pass\n",
            ),
            (
                "    record.seconds = clock.now() - begin\n",
                "    record.seconds = clock.now() - begin\n"
                "    if record.error:\n        raise RuntimeError(record.error)\n",
            ),
        ),
        "11.4",
        "which builds on nothing that failed",
    ),
    Wrong(
        "begins nothing any more after a failure",
        _changed(
            "plain",
            (
                '[need for need, each in given.items() if each["status"] != "done"]\n        made',
                '[n for n, f in running.items() if f.done() and f.result()["error"]]\n        made',
            ),
        ),
        "11.4",
        "which builds on nothing that failed",
    ),
    # 11.5: one answer, also when something is missing
    Wrong(
        "puts the results one below the other",
        _changed(
            "groups",
            (
                'answer = await ask(client, system, "\\n".join(told))',
                'answer = "\\n\\n".join(each.result for each in done.values())',
            ),
        ),
        "11.5",
        "5 results of 5 are pasted into it",
    ),
    Wrong(
        "asks for an answer and hands in the results",
        _changed(
            "waiting",
            (
                '                said = answer.message["content"] or ""\n',
                '                said = answer.message["content"] or ""\n'
                '                said = "\\n".join(e["result"] for e in self.over.values())\n',
            ),
        ),
        "11.5",
        "5 results of 5 are pasted into it",
    ),
    Wrong(
        "does not say what is missing",
        _changed(
            "groups",
            (
                '    told += [f"[{id}] FAILED: {each.error}" for id, each in lost.items()]\n',
                "",
            ),
            (
                "        if id not in answer or each.error not in answer:\n"
                "            answer += f\"\\nMissing is {id} ({each.task['description']}): "
                '{each.error}"\n',
                "        each.over.clear()\n",
            ),
        ),
        "11.5",
        "to name what has no result",
    ),
    Wrong(
        "makes up a result for a task that failed",
        _changed(
            "groups",
            (
                "    record.seconds = clock.now() - begin\n",
                "    record.seconds = clock.now() - begin\n"
                "    if record.error:\n"
                '        record.status, record.error = "done", ""\n'
                "        record.result = f\"All is well: {record.task['description']}\"\n",
            ),
        ),
        "11.4",
        "look at what decides that a task is done",
    ),
    Wrong(
        "answers from the last result alone",
        _changed(
            "groups",
            (
                'told += [f"[{id}] {each.result}" for id, each in done.items()]',
                'told += [f"[{id}] {each.result}" for id, each in list(done.items())[-1:]]',
            ),
        ),
        "11.5",
        "to see each result when it writes the answer",
    ),
    Wrong(
        "breaks when no answer can be had",
        _changed(
            "queued",
            (
                '    except Exception:\n        answer = "The results could not be put together;'
                ' here they are:\\n" + material\n',
                "    except ZeroDivisionError:\n        answer = material\n",
            ),
        ),
        "11.5",
        "the answer cannot be written",
    ),
    # 11.6: a whole trace of what really happened
    Wrong(
        "exports an empty trace",
        _changed("groups", ('"trace": trace.to_json()', '"trace": Trace("project").to_json()')),
        "11.6",
        "but the trace has none",
    ),
    Wrong(
        "leaves the tool calls out of the trace",
        _changed(
            "plain",
            (
                '    step = log.open("execute_tool", name, parent,'
                ' **{"gen_ai.tool.call.arguments": arguments})\n',
                "    step = {}\n    log = Log(name)\n",
            ),
        ),
        "11.6",
        "but the trace has none",
    ),
    Wrong(
        "makes the trace up afterwards", _with("groups", _MADE_UP), "11.6", "but the trace has none"
    ),
    Wrong(
        "shows failed calls as if all were well",
        _changed(
            "plain",
            (
                "    except Exception as error:\n        log.close(step, error)\n",
                "    except Exception as error:\n        log.close(step)\n",
            ),
        ),
        "11.6",
        "has not the status error",
    ),
    Wrong(
        "does not say which call belongs to which task",
        _changed(
            "plain",
            (
                'said, error = await work(client, staff[task["worker"]], told, log, step)',
                'said, error = await work(client, staff[task["worker"]], told, log, root)',
            ),
        ),
        "11.6",
        "below the dispatch of",
    ),
    Wrong(
        "leaves the tries out of the trace",
        _changed(
            "groups",
            ('        step.set("switchboard.task.attempts", record.attempts)\n', ""),
        ),
        "11.6",
        "expected the trace to tell 2 tries of task",
    ),
    Wrong(
        "leaves the aggregation out of the trace",
        _changed(
            "groups",
            ('    with span("aggregate", "chief"):\n', '    with span("thinking", "chief"):\n'),
        ),
        "11.6",
        "expected an `aggregate` span",
    ),
)
