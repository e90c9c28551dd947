"""Wrong answers to the exercises of chapter 13: what a student may well write.

Each entry is (name, source of the solution cell). Every one must lose exactly its exercise.
`RIGHT` are answers in other styles than the solution's; every one must pass.
"""

from __future__ import annotations

from tests.grading.changing import changed
from tests.grading.judging import solved
from tests.notebooks import kit

CHAPTER = "13_the_switchboard_speaks"


def _own(number: str) -> str:
    """The chapter's own answer."""
    source: str = kit.by_id(solved(CHAPTER), f"ex_{number.replace('.', '_')}").source
    return source


WRONG = {
    "13.1": [
        (
            "knows no reason",
            changed(
                _own("13.1"),
                '        reason: str = Field(description="what the call is about, in your own'
                ' words")\n',
                "",
            ),
        ),
        (
            "takes any word for the urgency",
            changed(_own("13.1"), 'Literal["routine", "soon", "urgent"]', "str"),
        ),
        ("takes any hour", changed(_own("13.1"), "Field(ge=8, le=17, ", "Field(")),
        (
            "describes nothing",
            changed(
                _own("13.1"),
                ' = Field(description="what the call is about, in your own words")',
                "",
                ' = Field(description="how urgent it is")',
                "",
                ', description="the hour from 8 to 17 that suits you"',
                "",
            ),
        ),
        ("does not look at what is taken", changed(_own("13.1"), "        check=check,\n", "")),
        (
            "gives up at the first refusal",
            changed(_own("13.1"), "check=check,", "check=check, max_refusals=0,"),
        ),
        (
            "gives the type instead of the task",
            changed(
                _own("13.1"),
                "    return Task[Callback](",
                "    Task[Callback](",
                "        check=check,\n    )",
                "        check=check,\n    )\n    return Callback",
            ),
        ),
        (
            "refuses a day on which hours are taken",
            changed(
                _own("13.1"),
                "    class Callback",
                "    if taken:\n        raise ToolError('full')\n\n    class Callback",
            ),
        ),
        ("opens at nine", changed(_own("13.1"), "ge=8", "ge=9")),
        ("takes half an hour", changed(_own("13.1"), "hour: int", "hour: float")),
        ("can do without a reason", changed(_own("13.1"), "reason: str", "reason: str | None")),
        (
            "refuses a day on which no hour is left",
            changed(
                _own("13.1"),
                "    class Callback",
                "    if not set(range(8, 18)) - set(taken):\n"
                "        raise ToolError('full')\n\n"
                "    class Callback",
            ),
        ),
    ],
    "13.2": [
        (
            "hears the first text alone",
            changed(
                _own("13.2"),
                '"".join(item["content"]).strip()',
                'item["content"][0].strip()',
            ),
        ),
        (
            "makes one text of several",
            changed(
                _own("13.2"),
                "        item\n        for item in items",
                '        {**item, "content": [" ".join(item.get("content", ()))]}\n'
                "        for item in items",
            ),
        ),
        (
            "passes instructions on",
            changed(_own("13.2"), '        and item["role"] in ("user", "assistant")\n', ""),
        ),
        (
            "passes calls on",
            "def passed_on(items, *, most=6):\n"
            "    said = [\n"
            "        item for item in items\n"
            '        if item["type"].startswith("function") or item["type"] == "message"\n'
            '        and item["role"] in ("user", "assistant")\n'
            '        and "".join(item["content"]).strip()\n'
            "    ]\n"
            "    kept = said[-most:]\n"
            '    while kept and kept[0].get("role") != "user":\n'
            "        kept = kept[1:]\n"
            "    return kept\n",
        ),
        ("passes the first ones on", changed(_own("13.2"), "said[-most:]", "said[:most]")),
        (
            "passes on what nobody heard",
            changed(_own("13.2"), '        and "".join(item["content"]).strip()\n', ""),
        ),
        (
            "begins with an answer",
            changed(
                _own("13.2"),
                '    while kept and kept[0]["role"] != "user":\n        kept = kept[1:]\n',
                "",
            ),
        ),
        (
            "empties the list",
            changed(_own("13.2"), "    return kept\n", "    items.clear()\n    return kept\n"),
        ),
        ("passes everything on", "def passed_on(items, *, most=6):\n    return list(items)\n"),
        ("needs a message", changed(_own("13.2"), "while kept and kept[0]", "while kept[0]")),
        (
            "cuts before it looks",
            changed(_own("13.2"), "for item in items", "for item in items[-most:]"),
        ),
    ],
    "13.3": [
        (
            "sees no mark before a space",
            changed(
                _own("13.3"),
                'text.rstrip().endswith((".", "?", "!"))',
                'text.endswith((".", "?", "!"))',
            ),
        ),
        (
            "takes any mark for an end",
            changed(
                _own("13.3"),
                'text.rstrip().endswith((".", "?", "!"))',
                '(set(text) & set(".?!"))',
            ),
        ),
        (
            "looks at the first call of a chunk",
            changed(
                _own("13.3"),
                "for call in calls",
                "for call in calls[:1]",
            ),
        ),
        (
            "says goodbye",
            "async def without_farewell(chunks, handoffs):\n"
            "    held, waits = [], True\n"
            "    async for chunk in chunks:\n"
            "        text = (chunk.delta.content or '') if chunk.delta else ''\n"
            "        calls = chunk.delta.tool_calls if chunk.delta else ()\n"
            "        moved = any(call.name in handoffs for call in calls)\n"
            "        held.append(chunk)\n"
            "        if moved or text.rstrip().endswith(('.', '?', '!')):\n"
            "            waits = False\n"
            "        if not waits:\n"
            "            for each in held:\n"
            "                yield each\n"
            "            held = []\n"
            "        if moved:\n"
            "            async for chunk in chunks:\n"
            "                if not chunk.delta or not chunk.delta.content:\n"
            "                    yield chunk\n"
            "            return\n"
            "    for each in held:\n"
            "        yield each\n",
        ),
        (
            "lets out what it held when a move comes",
            changed(
                _own("13.3"),
                "            held = [each for each in held or () if not each.delta.content]\n",
                "",
            ),
        ),
        ("talks on after a move", changed(_own("13.3"), "if text and moved:", "if False:")),
        (
            "lets the move alone out",
            changed(_own("13.3"), "each for each in held or () if not each.delta.content", ""),
        ),
        (
            "lets the words out at once",
            "async def without_farewell(chunks, handoffs):\n"
            "    moved = False\n"
            "    async for chunk in chunks:\n"
            "        calls = chunk.delta.tool_calls if chunk.delta else ()\n"
            "        moved = moved or any(call.name in handoffs for call in calls)\n"
            "        if not (moved and chunk.delta and chunk.delta.content):\n"
            "            yield chunk\n",
        ),
        (
            "holds the whole reply",
            changed(
                _own("13.3"),
                'not moved and not text.rstrip().endswith((".", "?", "!"))',
                "not moved",
            ),
        ),
        (
            "loses a reply without an end",
            changed(
                _own("13.3"), "    for each in held or ():\n        yield each\n    ###", "    ###"
            ),
        ),
        ("trips over the last chunk", changed(_own("13.3"), ' if chunk.delta else ""', "")),
    ],
    "13.4": [
        (
            "remembers what was asked before",
            changed(
                _own("13.4"),
                "    last = questions[-asked:]\n"
                "    if len(last) == asked and len(set(last)) == 1:\n"
                '        return "stuck"\n',
                "    for place in range(len(questions) - asked + 1):\n"
                "        if len(set(questions[place : place + asked])) == 1:\n"
                '            return "stuck"\n',
            ),
        ),
        ("never gets stuck", changed(_own("13.4"), '        return "stuck"\n', "        pass\n")),
        (
            "counts over the whole task",
            changed(
                _own("13.4"),
                "    last = questions[-asked:]\n",
                "",
                "if len(last) == asked and len(set(last)) == 1:",
                "if any(questions.count(each) >= asked for each in questions):",
            ),
        ),
        (
            "compares the texts",
            changed(
                _own("13.4"),
                '"".join(letter for letter in "".join(item["content"]).lower() if'
                " letter.isalnum())",
                '"".join(item["content"])',
            ),
        ),
        ("ends one turn too early", changed(_own("13.4"), "> turns", ">= turns")),
        ("says that nothing is wrong", changed(_own("13.4"), 'else ""', 'else "fine"')),
        (
            "counts what was cut off",
            changed(_own("13.4"), ' and not item["interrupted"]', ""),
        ),
        ("never ends anything", 'def why_end(items, *, asked=3, turns=12):\n    return ""\n'),
        (
            "needs a question",
            changed(
                _own("13.4"), "    last = questions", "    questions[-1]\n    last = questions"
            ),
        ),
        ("knows one number", changed(_own("13.4"), "questions[-asked:]", "questions[-3:]")),
    ],
    "13.5": [
        (
            "finds the longest wait of all",
            changed(
                _own("13.5"),
                "sum(waits) / len(turns) for",
                "max(waits) for",
            ),
        ),
        (
            "gives the seconds of all turns",
            changed(_own("13.5"), "sum(waits) / len(turns)", "sum(waits)"),
        ),
        ("hears from the beginning", changed(_own("13.5"), "[person.end]", "[person.start]")),
        (
            "thinks as long as the model is asked",
            "def slow_stage(trace):\n"
            "    spoken = [s for s in trace.spans if s.operation == 'user_speaking']\n"
            "    turns = []\n"
            "    for number, person in enumerate(spoken):\n"
            "        until = spoken[number + 1].start if spoken[number + 1:] else 1e9\n"
            "        own = [s for s in trace.spans if person.end <= s.start < until]\n"
            "        model = [s for s in own if s.operation == 'llm_node'][:1]\n"
            "        voice = [s for s in own if s.operation == 'tts_node'][:1]\n"
            "        heard = [s for s in own if s.operation == 'agent_speaking'][:1]\n"
            "        if model and voice and heard:\n"
            "            turns.append((model[0].start - person.end,\n"
            "                          model[0].end - model[0].start,\n"
            "                          heard[0].start - voice[0].start))\n"
            "    if not turns:\n"
            "        return '', 0.0\n"
            "    means = [sum(each) / len(turns) for each in zip(*turns)]\n"
            "    return ('hearing', 'thinking', 'voice')[means.index(max(means))], max(means)\n",
        ),
        (
            "waits until all is synthesised",
            changed(
                _own("13.5"),
                "[each.start for each in trace.spans if each.operation == operation]",
                "[each.end if operation == 'agent_speaking' else each.start\n"
                "                for each in trace.spans if each.operation == operation]",
                "marks[-1] <= start < until",
                "marks[-1] <= start",
            ),
        ),
        (
            "counts what nobody answered",
            changed(
                _own("13.5"),
                "marks[-1] <= start < until",
                "marks[-1] <= start",
                "        if len(marks) == 4:\n",
                "        if len(marks) == 4 or not marks.append(0):\n",
            ),
        ),
        (
            "needs a turn",
            changed(_own("13.5"), '    if not turns:\n        return "", 0.0\n', ""),
        ),
        (
            "needs a person",
            changed(_own("13.5"), "    turns = []\n", "    spoken[0]\n    turns = []\n"),
        ),
        ("always blames the model", "def slow_stage(trace):\n    return 'thinking', 0.5\n"),
    ],
    "13.6": [
        (
            "gives nothing back",
            changed(_own("13.6"), "return await asyncio.shield(job)", "await asyncio.shield(job)"),
        ),
        ("cancels the work", changed(_own("13.6"), "asyncio.shield(job)", "job")),
        (
            "begins again what is under way",
            changed(_own("13.6"), "job is None or (", "job is None or not job.done() or ("),
        ),
        (
            "begins again what is done",
            changed(_own("13.6"), "(job.done() and job.exception())", "job.done()"),
        ),
        (
            "remembers nothing",
            changed(_own("13.6"), "job = begun[key] = ", "job = "),
        ),
        (
            "keeps a failure for ever",
            changed(_own("13.6"), " or (job.done() and job.exception())", ""),
        ),
        (
            "does not look at the key",
            changed(_own("13.6"), "begun.get(key)", 'begun.get("")', "begun[key]", 'begun[""]'),
        ),
        ("waits with the caller", "async def once(key, work, begun):\n    return await work()\n"),
    ],
}

RIGHT = {
    "13.1": [
        (
            "an enumeration",
            "from enum import Enum\n"
            "from typing import Annotated\n\n\n"
            "class Urgency(str, Enum):\n"
            "    ROUTINE = 'routine'\n"
            "    SOON = 'soon'\n"
            "    URGENT = 'urgent'\n\n\n"
            "def callback(taken):\n"
            "    class Wish(BaseModel):\n"
            "        reason: str = Field(description='why')\n"
            "        urgency: Urgency = Field(description='how')\n"
            "        hour: Annotated[int, Field(gt=7, lt=18, description='when')]\n\n"
            "    def free(wish):\n"
            "        if wish.hour in taken:\n"
            "            raise ToolError('taken')\n\n"
            "    return Task[Wish](instructions='Ask.', check=free)\n",
        ),
        (
            "a class of its own",
            "class Wish(BaseModel):\n"
            "    hour: int = Field(description='hour', ge=8, le=17)\n"
            "    urgency: Literal['routine', 'soon', 'urgent'] = Field(description='urgency')\n"
            "    reason: str = Field(min_length=1, description='reason')\n\n\n"
            "class CallbackTask(Task[Wish]):\n"
            "    pass\n\n\n"
            "def callback(taken):\n"
            "    def check(wish):\n"
            "        if wish.hour in set(taken):\n"
            "            raise ToolError(f'{wish.hour} is taken')\n\n"
            "    return CallbackTask(instructions='Find out.', check=check)\n",
        ),
        (
            "the hours listed",
            changed(
                _own("13.1"),
                "hour: int = Field(ge=8, le=17, ",
                "hour: Literal[8, 9, 10, 11, 12, 13, 14, 15, 16, 17] = Field(",
            ),
        ),
    ],
    "13.2": [
        (
            "a loop from the end",
            "def passed_on(items, *, most=6):\n"
            "    kept = []\n"
            "    for item in reversed(items):\n"
            "        if len(kept) == most:\n"
            "            break\n"
            "        if item['type'] != 'message' or item['role'] not in ('user', 'assistant'):\n"
            "            continue\n"
            "        if any(text.strip() for text in item['content']):\n"
            "            kept.insert(0, item)\n"
            "    while kept and kept[0]['role'] == 'assistant':\n"
            "        kept.pop(0)\n"
            "    return kept\n",
        ),
        (
            "filters and dropwhile",
            "from itertools import dropwhile\n\n\n"
            "def passed_on(items, *, most=6):\n"
            "    said = filter(lambda item: item.get('role') in {'user', 'assistant'}\n"
            "                  and ''.join(item['content']).strip(), items)\n"
            "    last = list(said)[-most:]\n"
            "    return list(dropwhile(lambda item: item['role'] != 'user', last))\n",
        ),
        (
            "copies",
            changed(
                _own("13.2"), "    return kept\n", "    return [dict(each) for each in kept]\n"
            ),
        ),
    ],
    "13.3": [
        (
            "two phases",
            "async def without_farewell(chunks, handoffs):\n"
            "    def words(chunk):\n"
            "        return chunk.delta.content if chunk.delta else None\n\n"
            "    def moves_on(chunk):\n"
            "        return bool(chunk.delta) and any(\n"
            "            call.name in handoffs for call in chunk.delta.tool_calls)\n\n"
            "    waiting, moved, begun = [], False, False\n"
            "    async for chunk in chunks:\n"
            "        moved = moved or moves_on(chunk)\n"
            "        begun = begun or moved or (words(chunk) or '').rstrip()[-1:] in\\\n"
            "            ('.', '?', '!')\n"
            "        waiting.append(chunk)\n"
            "        if begun:\n"
            "            for each in waiting:\n"
            "                if not (moved and words(each)):\n"
            "                    yield each\n"
            "            waiting.clear()\n"
            "    for each in waiting:\n"
            "        yield each\n",
        ),
        (
            "an inner generator",
            "import re\n\n\n"
            "async def without_farewell(chunks, handoffs):\n"
            "    source = aiter(chunks)\n"
            "    first, moved = [], False\n"
            "    async for chunk in source:\n"
            "        first.append(chunk)\n"
            "        delta = chunk.delta\n"
            "        if delta and any(c.name in handoffs for c in delta.tool_calls):\n"
            "            moved = True\n"
            "            break\n"
            "        if delta and re.search(r'[.?!]\\s*$', delta.content or ''):\n"
            "            break\n"
            "    for chunk in first:\n"
            "        if not (moved and chunk.delta and chunk.delta.content):\n"
            "            yield chunk\n"
            "    async for chunk in source:\n"
            "        delta = chunk.delta\n"
            "        if delta and any(c.name in handoffs for c in delta.tool_calls):\n"
            "            moved = True\n"
            "        if not (moved and delta and delta.content):\n"
            "            yield chunk\n",
        ),
        (
            "the names compared as a set",
            changed(
                _own("13.3"),
                "any(call.name in handoffs for call in calls)",
                "{call.name for call in calls} & set(handoffs)",
            ),
        ),
    ],
    "13.4": [
        (
            "a loop from the end",
            "import re\n\n\n"
            "def why_end(items, *, asked=3, turns=12):\n"
            "    same, first, spoken = 0, None, 0\n"
            "    counting = True\n"
            "    for item in reversed(items):\n"
            "        if item['type'] != 'message':\n"
            "            continue\n"
            "        if item['role'] == 'user':\n"
            "            spoken += 1\n"
            "        if item['role'] != 'assistant' or item['interrupted'] or not counting:\n"
            "            continue\n"
            "        text = re.sub(r'\\W', '', ''.join(item['content'])).casefold()\n"
            "        first = text if first is None else first\n"
            "        if text == first:\n"
            "            same += 1\n"
            "        else:\n"
            "            counting = False\n"
            "    if same >= asked:\n"
            "        return 'stuck'\n"
            "    return 'long' if spoken > turns else ''\n",
        ),
        (
            "a Counter of the last ones",
            "from collections import Counter\n\n\n"
            "def why_end(items, *, asked=3, turns=12):\n"
            "    said = [each for each in items if each.get('role')]\n"
            "    own = [each for each in said\n"
            "           if each['role'] == 'assistant' and not each['interrupted']]\n"
            "    texts = [tuple(filter(str.isalnum, ''.join(each['content']).lower()))\n"
            "             for each in own[-asked:]]\n"
            "    [(text, many)] = Counter(texts).most_common(1) or [('', 0)]\n"
            "    if many == asked:\n"
            "        return 'stuck'\n"
            "    if sum(each['role'] == 'user' for each in said) > turns:\n"
            "        return 'long'\n"
            "    return ''\n",
        ),
        (
            "early returns",
            changed(
                _own("13.4"),
                'return "long" if sum(item["role"] == "user" for item in said) > turns else ""',
                'people = [item for item in said if item["role"] == "user"]\n'
                '    return ["", "long"][len(people) > turns]',
            ),
        ),
    ],
    "13.5": [
        (
            "one pass over the spans",
            "def slow_stage(trace):\n"
            "    order = ['llm_node', 'tts_node', 'agent_speaking']\n"
            "    turns, marks = [], None\n"
            "    for each in trace.spans:\n"
            "        if each.operation == 'user_speaking':\n"
            "            marks = [each.end]\n"
            "        elif marks and len(marks) < 4 and each.operation == order[len(marks) - 1]:\n"
            "            marks.append(each.start)\n"
            "            if len(marks) == 4:\n"
            "                turns.append(marks)\n"
            "    if not turns:\n"
            "        return ('', 0.0)\n"
            "    names = ['hearing', 'thinking', 'voice']\n"
            "    means = {name: sum(m[i + 1] - m[i] for m in turns) / len(turns)\n"
            "             for i, name in enumerate(names)}\n"
            "    found = max(means, key=means.get)\n"
            "    return found, means[found]\n",
        ),
        (
            "statistics",
            "from statistics import mean\n\n\n"
            + changed(_own("13.5"), "[sum(waits) / len(turns) for", "[mean(waits) for"),
        ),
        (
            "a sorted list",
            changed(
                _own("13.5"),
                "    longest = max(means)\n"
                "    return list(stages)[means.index(longest)], longest\n",
                "    told = sorted(zip(means, stages))\n    return told[-1][1], told[-1][0]\n",
            ),
        ),
    ],
    "13.6": [
        (
            "a wait on the task",
            "import asyncio\n\n\n"
            "async def once(key, work, begun):\n"
            "    if key not in begun:\n"
            "        begun[key] = asyncio.ensure_future(work())\n"
            "    job = begun[key]\n"
            "    await asyncio.wait({job})\n"
            "    if job.exception():\n"
            "        begun.pop(key, None)\n"
            "    return job.result()\n",
        ),
        (
            "results and tasks apart",
            "import asyncio\n\n\n"
            "async def once(key, work, begun):\n"
            "    if ('done', key) in begun:\n"
            "        return begun['done', key]\n"
            "    if ('job', key) not in begun:\n"
            "        async def job():\n"
            "            try:\n"
            "                begun['done', key] = await work()\n"
            "            finally:\n"
            "                del begun['job', key]\n"
            "            return begun['done', key]\n\n"
            "        begun['job', key] = asyncio.create_task(job())\n"
            "    return await asyncio.shield(begun['job', key])\n",
        ),
        (
            "a callback that forgets",
            "import asyncio\n\n\n"
            "async def once(key, work, begun):\n"
            "    def settle(job):\n"
            "        if job.cancelled() or job.exception():\n"
            "            begun.pop(key, None)\n\n"
            "    if key not in begun:\n"
            "        begun[key] = asyncio.create_task(work())\n"
            "        begun[key].add_done_callback(settle)\n"
            "    return await asyncio.shield(begun[key])\n",
        ),
    ],
}
