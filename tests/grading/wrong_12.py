"""Answers to the exercises of chapter 12: wrong ones a student may well write, and right ones.

Each entry is (name, source of the solution cell). Every wrong one must lose exactly its exercise;
`RIGHT` are answers in other styles than the solution's, and every one must pass.
"""

from __future__ import annotations

from tests.grading.changing import changed

_READING = """\
def reading(low, high, *, tasks, matters):
    if math.isnan(low) or math.isnan(high) or low > high:
        raise ValueError("no interval")
    if tasks < 10:
        return "few"
    if low >= -matters and high <= matters:
        return "alike"
    if high < 0:
        return "better"
    if low > 0:
        return "worse"
    return "open"
"""
_MATH = "import math\n\n\n"
_CONFOUNDS = """\
def confounds(baseline, candidate, axis):
    if len(baseline) == 0 or len(candidate) == 0:
        raise ValueError("no runs")
    found = []
    for name in baseline[0]:
        one = sorted(str(row[name]) for row in baseline)
        other = sorted(str(row[name]) for row in candidate)
        if name != axis and one != other:
            found.append(name)
    return found
"""
_SEEDS = """\
def seeds_needed(between, within, *, tasks, effect):
    if 2.8 * math.sqrt(between / tasks) >= effect:
        raise ValueError("more tasks are needed")
    seeds = 1
    while 2.8 * math.sqrt((between + within / seeds) / tasks) > effect:
        seeds += 1
    return seeds
"""
_REVIEWED = """\
@pattern("reviewed")
def reviewed(setup):
    reviewer = replace(single(setup), name="reviewer")
    return InTurn("reviewed", (supervisor(setup), reviewer))
"""
_PAYS = """\
def pays_from(effects, *, least=0.0):
    shares = sorted({effect[0] for effect in effects})
    for share in shares:
        if all(high < -least for each, low, high in effects if each >= share):
            return share
    return None
"""
_EXTRACTED = """\
@pattern("extracted")
def extracted(setup, most=20):
    kept, out = list(setup.agents), []
    while sum(len(each.tools) for each in kept) + len(out) > most and kept:
        largest = max(kept, key=lambda each: len(each.tools))
        kept.remove(largest)
        out.append(largest)
    if not out:
        return single(setup)
    led = supervisor(replace(setup, agents=tuple(out)))
    return replace(led, tools=tuple(tool for each in kept for tool in each.tools))
"""

WRONG = {
    "12.1": [
        ("trusts any number of tasks", _MATH + changed(_READING, "tasks < 10", "tasks < 1")),
        ("distrusts ten tasks", _MATH + changed(_READING, "tasks < 10", "tasks <= 10")),
        (
            "looks at the side of 0 before asking what matters",
            "def reading(low, high, *, tasks, matters):\n"
            "    if not low <= high:\n"
            "        raise ValueError('no interval')\n"
            "    if tasks < 10:\n"
            "        return 'few'\n"
            "    if high < 0:\n"
            "        return 'better'\n"
            "    if low > 0:\n"
            "        return 'worse'\n"
            "    return 'alike' if -matters <= low and high <= matters else 'open'\n",
        ),
        (
            "is content with a middle that does not matter",
            _MATH
            + changed(
                _READING, "low >= -matters and high <= matters", "abs(low + high) / 2 <= matters"
            ),
        ),
        (
            "leaves the ends out",
            _MATH
            + changed(
                _READING,
                "low >= -matters and high <= matters",
                "low > -matters and high < matters",
            ),
        ),
        (
            "takes more for better",
            _MATH
            + changed(
                _READING, '"better"', '"worse "', '"worse"', '"better"', '"worse "', '"worse"'
            ),
        ),
        ("takes an end at 0 for one above it", _MATH + changed(_READING, "low > 0", "low >= 0")),
        ("takes open for alike", _MATH + changed(_READING, '"open"', '"alike"')),
        (
            "turns the ends round",
            _MATH
            + changed(
                _READING,
                " or low > high",
                "",
                "    if tasks",
                "    low, high = min(low, high), max(low, high)\n    if tasks",
            ),
        ),
        (
            "takes NaN for a number",
            changed(_READING, "math.isnan(low) or math.isnan(high) or ", ""),
        ),
    ],
    "12.2": [
        ("names the axis, too", changed(_CONFOUNDS, "name != axis and ", "")),
        ("sorts the names", changed(_CONFOUNDS, "return found", "return sorted(found)")),
        (
            "looks at which values there are",
            changed(
                _CONFOUNDS,
                "sorted(str(row[name]) for row in baseline)",
                "{row[name] for row in baseline}",
                "sorted(str(row[name]) for row in candidate)",
                "{row[name] for row in candidate}",
            ),
        ),
        (
            "looks at the first run only",
            changed(
                _CONFOUNDS,
                "sorted(str(row[name]) for row in baseline)",
                "baseline[0][name]",
                "sorted(str(row[name]) for row in candidate)",
                "candidate[0][name]",
            ),
        ),
        (
            "compares the runs in their order",
            changed(
                _CONFOUNDS,
                "sorted(str(row[name]) for row in baseline)",
                "[row[name] for row in baseline]",
                "sorted(str(row[name]) for row in candidate)",
                "[row[name] for row in candidate]",
            ),
        ),
        (
            "compares with nothing",
            changed(
                _CONFOUNDS,
                '        raise ValueError("no runs")',
                "        return []",
            ),
        ),
        (
            "looks at the baseline alone",
            changed(_CONFOUNDS, " or len(candidate) == 0", ""),
        ),
    ],
    "12.3": [
        (
            "rounds to the nearest",
            _MATH + "def seeds_needed(between, within, *, tasks, effect):\n"
            "    room = tasks * (effect / 2.8) ** 2 - between\n"
            "    if room <= 0:\n"
            "        raise ValueError('more tasks are needed')\n"
            "    return max(1, int(within / room))\n",
        ),
        (
            "needs no seed at all",
            _MATH + "def seeds_needed(between, within, *, tasks, effect):\n"
            "    room = tasks * (effect / 2.8) ** 2 - between\n"
            "    if room <= 0:\n"
            "        raise ValueError('more tasks are needed')\n"
            "    needed = math.ceil(within / room)\n"
            "    return needed if needed > 1 else 0\n",
        ),
        (
            "takes standard deviations for variances",
            _MATH
            + changed(
                _SEEDS,
                "math.sqrt((between + within / seeds) / tasks)",
                "math.sqrt((between**2 + within**2 / seeds) / tasks)",
                "math.sqrt(between / tasks)",
                "math.sqrt(between**2 / tasks)",
            ),
        ),
        (
            "lets seeds shrink everything",
            _MATH
            + changed(
                _SEEDS, "(between + within / seeds) / tasks", "(between + within) / seeds / tasks"
            ),
        ),
        (
            "asks for less than the effect",
            _MATH + changed(_SEEDS, "/ tasks) > effect", "/ tasks) >= effect"),
        ),
        (
            "tries a thousand seeds and takes them",
            _MATH
            + changed(
                _SEEDS,
                "    if 2.8 * math.sqrt(between / tasks) >= effect:\n"
                '        raise ValueError("more tasks are needed")\n',
                "",
                "    while ",
                "    while seeds < 1000 and ",
            ),
        ),
        (
            "says only that it does not work",
            _MATH + changed(_SEEDS, "more tasks are needed", "it does not work"),
        ),
    ],
    "12.4": [
        (
            "gives the whole another name",
            changed(_REVIEWED, 'InTurn("reviewed"', 'InTurn("a review"'),
        ),
        (
            "lets the reviewer work first",
            changed(_REVIEWED, "(supervisor(setup), reviewer)", "(reviewer, supervisor(setup))"),
        ),
        (
            "keeps the single agent's name",
            changed(_REVIEWED, 'replace(single(setup), name="reviewer")', "single(setup)"),
        ),
        (
            "gives the reviewer no tools",
            changed(_REVIEWED, 'name="reviewer"', 'name="reviewer", tools=()'),
        ),
        (
            "gives the reviewer other instructions",
            changed(_REVIEWED, 'name="reviewer"', 'name="reviewer", instructions="Look."'),
        ),
        (
            "refuses a setup without a deadline",
            changed(
                _REVIEWED,
                "    reviewer =",
                "    if setup.deadline is None:\n"
                "        raise ValueError('no deadline')\n    reviewer =",
            ),
        ),
        ("is never entered", changed(_REVIEWED, '@pattern("reviewed")\n', "")),
        (
            "is entered under another name",
            changed(_REVIEWED, '@pattern("reviewed")', '@pattern("review")'),
        ),
    ],
    "12.5": [
        (
            "trusts the order in which they come",
            changed(
                _PAYS,
                "sorted({effect[0] for effect in effects})",
                "list(dict.fromkeys(effect[0] for effect in effects))",
            ),
        ),
        (
            "gives the highest share",
            changed(_PAYS, "for share in shares", "for share in reversed(shares)"),
        ),
        (
            "takes the lowest share at which it pays",
            changed(_PAYS, "if each >= share", "if each == share"),
        ),
        (
            "looks at the middle of the interval",
            changed(_PAYS, "all(high < -least", "all((low + high) / 2 < -least"),
        ),
        ("looks at the lower end", changed(_PAYS, "all(high <", "all(low <")),
        ("forgets how much it should save", changed(_PAYS, "high < -least", "high < 0")),
        (
            "believes the better of two measurements",
            "def pays_from(effects, *, least=0.0):\n"
            "    found = None\n"
            "    for share in sorted({effect[0] for effect in effects}, reverse=True):\n"
            "        if min(high for each, low, high in effects if each == share) >= -least:\n"
            "            break\n"
            "        found = share\n"
            "    return found\n",
        ),
        (
            "gives infinity where it never pays",
            changed(_PAYS, "    return None", '    return float("inf") if effects else None'),
        ),
        (
            "falls over where nothing was measured",
            changed(_PAYS, "    for share in", "    lowest = shares[0]\n    for share in"),
        ),
        (
            "pays everywhere where nothing was measured",
            changed(_PAYS, "    return None", "    return None if effects else 0.0"),
        ),
    ],
    "12.6": [
        ("counts tools alone", changed(_EXTRACTED, " + len(out) > most", " > most")),
        (
            "leads where nobody need be led",
            changed(
                _EXTRACTED, "        return single(setup)\n", "        out.append(kept.pop())\n"
            ),
        ),
        ("extracts nobody", changed(_EXTRACTED, "    if not out:\n", "    if True:\n")),
        (
            "loses the others' tools",
            changed(
                _EXTRACTED, "tools=tuple(tool for each in kept for tool in each.tools)", "tools=()"
            ),
        ),
        (
            "extracts everybody",
            changed(_EXTRACTED, "    led = ", "    kept, out = [], setup.agents\n    led = "),
        ),
        (
            "extracts in the setup's order",
            changed(_EXTRACTED, "max(kept, key=lambda each: len(each.tools))", "kept[0]"),
        ),
        (
            "extracts the last of equals",
            changed(_EXTRACTED, "max(kept, key", "max(kept[::-1], key"),
        ),
        (
            "keeps one agent where nothing is enough",
            changed(_EXTRACTED, "    if not out:\n", "    if not out or not kept:\n"),
        ),
        (
            "refuses what cannot be enough",
            changed(
                _EXTRACTED,
                "    if not out:\n",
                "    if not kept:\n        raise ValueError('too many')\n    if not out:\n",
            ),
        ),
        ("is never entered", changed(_EXTRACTED, '@pattern("extracted")\n', "")),
        (
            "is entered under another name",
            changed(_EXTRACTED, '@pattern("extracted")', '@pattern("extraction")'),
        ),
        ("extracts one too many", changed(_EXTRACTED, "most and kept:", "most - 1 and kept:")),
    ],
}

RIGHT = {
    "12.1": [
        ("step by step", _MATH + _READING),
        (
            "as a match",
            "def reading(low, high, *, tasks, matters):\n"
            "    match low <= high, tasks >= 10:\n"
            "        case False, _:\n"
            "            raise ValueError((low, high))\n"
            "        case _, False:\n"
            "            return 'few'\n"
            "    if max(-low, high) <= matters:\n"
            "        return 'alike'\n"
            "    return 'worse' if low > 0 else 'better' if high < 0 else 'open'\n",
        ),
        (
            "from a table",
            "def reading(low, high, *, tasks, matters):\n"
            "    if not (low <= high):\n"
            "        raise ValueError('no interval')\n"
            "    table = [('few', tasks < 10), ('alike', -matters <= low <= high <= matters),\n"
            "             ('better', high < 0), ('worse', low > 0), ('open', True)]\n"
            "    return next(word for word, fits in table if fits)\n",
        ),
    ],
    "12.2": [
        ("sorted values", _CONFOUNDS),
        (
            "with pandas",
            "import pandas as pd\n\n\n"
            "def confounds(baseline, candidate, axis):\n"
            "    if not baseline or not candidate:\n"
            "        raise ValueError('no runs')\n"
            "    one, other = pd.DataFrame(baseline), pd.DataFrame(candidate)\n"
            "    return [\n"
            "        str(name)\n"
            "        for name in one.columns.drop(axis)\n"
            "        if dict(one[name].value_counts()) != dict(other[name].value_counts())\n"
            "    ]\n",
        ),
        (
            "counted by hand",
            "def confounds(baseline, candidate, axis):\n"
            "    if min(len(baseline), len(candidate)) == 0:\n"
            "        raise ValueError('no runs')\n"
            "    found = {}\n"
            "    for arm, step in ((baseline, 1), (candidate, -1)):\n"
            "        for row in arm:\n"
            "            for name, value in row.items():\n"
            "                counts = found.setdefault(name, {})\n"
            "                counts[value] = counts.get(value, 0) + step\n"
            "    return [name for name, counts in found.items()\n"
            "            if name != axis and any(counts.values())]\n",
        ),
    ],
    "12.3": [
        ("counts up", _MATH + _SEEDS),
        (
            "rounds up in whole numbers",
            "def seeds_needed(between, within, *, tasks, effect):\n"
            "    allowed = tasks * effect**2 / 2.8**2\n"
            "    if allowed <= between:\n"
            "        raise ValueError(f'{tasks} tasks are too few')\n"
            "    return int(-(-within // (allowed - between))) or 1\n",
        ),
        (
            "doubles, then halves",
            "def seeds_needed(between, within, *, tasks, effect):\n"
            "    def enough(seeds):\n"
            "        return 2.8 * ((between + within / seeds) / tasks) ** 0.5 <= effect\n"
            "    if not enough(1e15):\n"
            "        raise ValueError('take more tasks')\n"
            "    high = 1\n"
            "    while not enough(high):\n"
            "        high *= 2\n"
            "    low = high // 2\n"
            "    while high - low > 1:\n"
            "        middle = (low + high) // 2\n"
            "        low, high = (low, middle) if enough(middle) else (middle, high)\n"
            "    return high\n",
        ),
    ],
    "12.4": [
        ("with the decorator", _REVIEWED),
        (
            "in one expression",
            '@pattern("reviewed")\n'
            "def reviewed(setup):\n"
            "    return InTurn(name='reviewed', systems=(\n"
            "        supervisor(setup), replace(single(setup), name='reviewer')))\n",
        ),
        (
            "an agent made by hand",
            "from course.agent import Agent\n\n\n"
            '@pattern("reviewed")\n'
            "def reviewed(setup):\n"
            "    tools = {tool.name: tool for each in setup.agents for tool in each.tools}\n"
            "    told = '\\n'.join(each.instructions for each in setup.agents)\n"
            "    agent = Agent(name='reviewer', instructions=told, tools=tuple(tools.values()))\n"
            "    return InTurn('reviewed', (supervisor(setup), agent))\n",
        ),
    ],
    "12.5": [
        ("each share and all above it", _PAYS),
        (
            "from the highest down",
            "def pays_from(effects, *, least=0.0):\n"
            "    tops = {}\n"
            "    for share, _, high in effects:\n"
            "        tops[share] = max(high, tops.get(share, high))\n"
            "    found = None\n"
            "    for share in sorted(tops)[::-1]:\n"
            "        if tops[share] >= -least:\n"
            "            return found\n"
            "        found = share\n"
            "    return found\n",
        ),
        (
            "above the last that does not pay",
            "def pays_from(effects, *, least=0.0):\n"
            "    bad = max((s for s, _, high in effects if not high < -least), default=-1)\n"
            "    return min((s for s, _, _ in effects if s > bad), default=None)\n",
        ),
    ],
    "12.6": [
        ("the largest goes until it is enough", _EXTRACTED),
        (
            "every number of workers is tried",
            """\
@pattern("extracted")
def extracted(setup, most=20):
    ranked = sorted(setup.agents, key=lambda each: len(each.tools), reverse=True)
    sizes = [len(each.tools) for each in ranked]
    enough = [n for n in range(len(ranked)) if n + sum(sizes[n:]) <= most]
    many = min(enough, default=len(ranked))
    if many == 0:
        return single(setup)
    own = tuple(tool for each in ranked[many:] for tool in each.tools)
    return replace(supervisor(replace(setup, agents=tuple(ranked[:many]))), tools=own)
""",
        ),
        (
            "a supervisor made by hand",
            """\
from course import Supervisor


@pattern("extracted")
def extracted(setup, most=20):
    own = {each.name: each.tools for each in setup.agents}
    if sum(map(len, own.values())) <= most:
        return single(setup)
    workers = []
    for each in sorted(setup.agents, key=lambda agent: -len(agent.tools)):
        if len(workers) + sum(map(len, own.values())) > most:
            workers.append(each)
            del own[each.name]
    tools = tuple(tool for some in own.values() for tool in some)
    return Supervisor(name="boss", workers=tuple(workers), tools=tools)
""",
        ),
    ],
}
