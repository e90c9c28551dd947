"""Answers to the exercises of chapter 09: wrong ones a student may well write, and right ones.

Each entry is (name, source of the solution cell). Every wrong one must lose exactly its exercise;
`RIGHT` are answers in other styles than the solution's, and every one must pass.
"""

from __future__ import annotations

from course.contradictions import contradictions
from course.supervisor_worker.aggregate import completed, gaps
from tests.grading.changing import changed

_DIAGNOSE = """\
from statistics import median

from course.observability.diagnosis import SLOW


def diagnose(trace):
    found = []
    runs, answer = task_runs(trace), answer_in(trace)
    if runs:
        usual = median(run.seconds for run in runs.values())
        slow = max(decisive(runs), key=lambda id: runs[id].seconds)
        if runs[slow].seconds > SLOW * usual:
            found.append(Finding("straggler", (slow,)))
    for run in runs.values():
        before = []
        for worker, words, error, _ in run.tries:
            if error and (worker, words, error) in before:
                found.append(Finding("wasted", (run.task_id,)))
            before.append((worker, words, error))
    for each in contradictions(run for run in runs.values() if run.done):
        if not each.stated_in(answer):
            found.append(Finding("contradiction", tuple(id for id, _ in each.said)))
    return found
"""
_REDUCE = """\
from dataclasses import replace

from course.supervisor_worker.schedule import concurrently
from course.supervisor_worker.aggregate import SHARE


async def reduce(material, *, client, context_tokens, model=SMALL, agent="aggregator",
                 run_id="run"):
    level = 0
    while not fits(material, context_tokens):
        level += 1
        parts = batches(material.results, context_tokens)
        notes = await concurrently(
            condense(material.request, part, client=client, room=context_tokens // SHARE)
            for number, part in enumerate(parts)
        )
        labels = [together(part) for part in parts]
        material = replace(material, results=dict(zip(labels, notes)))
    return material
"""
_ABREAST = """\
        notes = await concurrently(
            condense(material.request, part, client=client, room=context_tokens // SHARE)
            for number, part in enumerate(parts)
        )
"""
_SELECT = """\
async def select(task, candidates, *, client, model=SMALL, votes=3, agent="judge", run_id="run"):
    if not candidates:
        raise ValueError("there are no answers")
    distinct = list(dict.fromkeys(candidates))
    if len(distinct) == 1:
        return 0
    orders = [turned(range(len(distinct)), by=vote) for vote in range(votes)]
    places = await concurrently(
        ask_judge(task, [distinct[n] for n in order], client=client, model=model,
                  agent=agent)
        for vote, order in enumerate(orders)
    )
    heard = Counter(order[p] for order, p in zip(orders, places) if p is not None)
    if not heard:
        raise ModelError("no vote chose an answer")
    best = min(heard, key=lambda n: (-heard[n], n))
    return candidates.index(distinct[best])
"""
_IMPORTED = "from course.supervisor_worker.schedule import concurrently\n\n\n"
_AT_ONCE = """\
    places = await concurrently(
        ask_judge(task, [distinct[n] for n in order], client=client, model=model,
                  agent=agent)
        for vote, order in enumerate(orders)
    )
"""
_ONE_BY_ONE = """\
    places = []
    for vote, order in enumerate(orders):
        shown = [distinct[n] for n in order]
        places.append(await ask_judge(task, shown, client=client, model=model, agent=agent))
"""

WRONG = {
    "9.1": [
        (
            "tells skipped tasks as gaps of their own",
            changed(gaps, ' and failure.cause != "dependency"', ""),
        ),
        (
            "names only who waits directly",
            changed(
                gaps,
                "tuple(downstream(plan, task.id))",
                "tuple(t.id for t in plan.tasks if task.id in t.dependencies)",
            ),
        ),
        (
            "names only who was skipped",
            changed(
                gaps,
                "tuple(downstream(plan, task.id))",
                "tuple(i for i in downstream(plan, task.id) if not results[i].done)",
            ),
        ),
        (
            "names what the task waited for",
            changed(gaps, "tuple(downstream(plan, task.id))", "task.dependencies"),
        ),
        (
            "goes by the status alone and keeps the error without its kind",
            changed(gaps, "str(failure)", "failure.error"),
        ),
        (
            "stops at the first gap",
            changed(
                gaps,
                "found.append(Gap(task.id, task.description, str(failure), touched))",
                "return (Gap(task.id, task.description, str(failure), touched),)",
            ),
        ),
        (
            "goes by the order of the results",
            changed(
                gaps,
                "for task in plan.tasks:",
                "for task in (plan.by_id[id] for id in results):",
            ),
        ),
        (
            "says the worker where it should say the task",
            changed(gaps, "task.description,", "task.worker,"),
        ),
        (
            "touches itself",
            changed(
                gaps, "tuple(downstream(plan, task.id))", "(task.id, *downstream(plan, task.id))"
            ),
        ),
        (
            "takes a gap behind a gap for no gap",
            changed(
                gaps,
                'failure.cause != "dependency":',
                'failure.cause != "dependency" and not any(\n'
                "            results[n].failure for n in task.dependencies):",
            ),
        ),
        (
            "goes by the status",
            changed(
                gaps,
                'failure is not None and failure.cause != "dependency"',
                "failure and results[task.id].status == 'failed'",
            ),
        ),
        (
            "says what the worker said last instead of the task",
            changed(gaps, "task.description", "results[task.id].result"),
        ),
        (
            "gives the error without its kind",
            changed(gaps, "str(failure)", "failure.error"),
        ),
        (
            "breaks on a run in which all is well",
            changed(
                gaps, "    return tuple(found)", "    assert found[0]\n    return tuple(found)"
            ),
        ),
    ],
    "9.2": [
        (
            "does not ask for the unit",
            changed(
                contradictions,
                "same[claim.about, claim.unit]",
                "same[claim.about]",
                "dict[tuple[frozenset[str], str], dict[str, Claim]]",
                "dict",
            ),
        ),
        (
            "compares the name as it was written",
            changed(
                contradictions,
                "same[claim.about, claim.unit]",
                "same[claim.name, claim.unit]",
            ),
        ),
        (
            "takes every other way of writing for another figure",
            changed(
                contradictions,
                "different(group.values())",
                "list({c.shown: c for c in reversed(group.values())}.values())[::-1]",
            ),
        ),
        (
            "takes what a result says last",
            changed(
                contradictions,
                ".setdefault(claim.task_id, claim)",
                "[claim.task_id] = claim",
            ),
        ),
        (
            "takes what a result says first in whatever unit",
            """\
from course.contradictions import claims


def contradictions(results):
    groups = {}
    for each in results:
        heard = set()
        for claim in claims(each):
            if claim.about not in heard:
                groups.setdefault((claim.about, claim.unit), []).append(claim)
            heard.add(claim.about)
    kept = [(group, different(group)) for group in groups.values()]
    return tuple(
        Contradiction(group[0].name, tuple((c.task_id, c.shown) for c in some))
        for group, some in kept
        if len(some) > 1
    )
""",
        ),
        (
            "lets a result contradict itself",
            changed(
                contradictions,
                ".setdefault(claim.task_id, claim)",
                ".setdefault((claim.task_id, claim.shown), claim)",
            ),
        ),
        (
            "tells everybody's figure, also those that agree",
            changed(contradictions, "claim in differing)", "claim in group.values())"),
        ),
        (
            "tells only the first two",
            changed(contradictions, "claim in differing)", "claim in differing[:2])"),
        ),
        (
            "stops at the first contradiction",
            changed(
                contradictions,
                "found.append(Contradiction(differing[0].name, said))",
                "return (Contradiction(differing[0].name, said),)",
            ),
        ),
        (
            "tells every figure as a contradiction",
            changed(contradictions, "len(differing) > 1", "len(differing) > 0"),
        ),
        (
            "reads the results twice",
            changed(
                contradictions,
                "    for result in results:\n",
                "    list(results)\n    for result in results:\n",
            ),
        ),
        (
            "says the value instead of what was written",
            changed(
                contradictions,
                "(claim.task_id, claim.shown)",
                "(claim.task_id, str(claim.value))",
            ),
        ),
        (
            "takes the name of the last claim",
            changed(contradictions, "differing[0].name", "differing[-1].name"),
        ),
        (
            "tells the figures in the order of their size",
            changed(
                contradictions,
                "for claim in differing)",
                "for claim in sorted(differing, key=lambda claim: claim.value))",
            ),
        ),
        (
            ("takes two figures of one result for a contradiction where nobody else speaks"),
            changed(
                contradictions,
                "    same: dict",
                "    results = list(results)\n    same: dict",
                "setdefault(claim.task_id, claim)",
                (
                    "setdefault(claim.task_id if len([r for r in results if r.task_id != "
                    "claim.task_id and any(c.about == claim.about for c in claims(r))]) "
                    "else claim.shown, claim)"
                ),
                "def contradictions",
                (
                    "from __future__ import annotations\n"
                    "\n"
                    "from course.contradictions import Told\n"
                    "\n"
                    "\n"
                    "def contradictions"
                ),
            ),
        ),
        (
            "breaks where nobody said anything",
            changed(
                contradictions,
                "    return tuple(found)",
                "    assert same\n    return tuple(found)",
            ),
        ),
    ],
    "9.3": [
        (
            "adds one contradiction and no other",
            changed(
                completed,
                " if not each.stated_in(answer)]",
                " if not each.stated_in(answer)][:1]",
            ),
        ),
        (
            "adds everything, said or not",
            changed(completed, " if not each.stated_in(answer)]", "]"),
        ),
        (
            "is content with one of the figures",
            changed(
                completed,
                "not each.stated_in(answer)]",
                "not any(shown in answer for _, shown in each.said)]",
            ),
        ),
        (
            "looks for the figures anywhere in the text",
            changed(
                completed,
                "not each.stated_in(answer)]",
                "not all(shown in answer for _, shown in each.said)]",
            ),
        ),
        (
            "takes a gap for said where its id stands",
            changed(completed, " or gap.why not in answer]", "]"),
        ),
        (
            "takes a gap for said where its reason stands",
            changed(completed, "gap.task_id not in answer or ", ""),
        ),
        (
            "takes a gap for unsaid only if nothing of it stands there",
            changed(completed, "not in answer or gap.why", "not in answer and gap.why"),
        ),
        (
            "puts what is missing first",
            "def completed(answer, material):\n"
            "    unsaid = [g for g in material.gaps if g.task_id not in answer"
            " or g.why not in answer]\n"
            "    lines = [f'- {g}' for g in unsaid]\n"
            "    blocks = ['\\n'.join(['Missing:', *lines])] if lines else []\n"
            "    blocks += [str(c) for c in material.contradictions if not c.stated_in(answer)]\n"
            "    return '\\n\\n'.join([*blocks, answer.strip()])\n",
        ),
        (
            "makes a block of each gap",
            changed(
                completed,
                'blocks.append("Missing:\\n" + "\\n".join(f"- {gap}" for gap in unsaid))',
                'blocks.extend(f"Missing:\\n- {gap}" for gap in unsaid)',
            ),
        ),
        (
            "leaves the heading where nothing is missing",
            changed(completed, "    if unsaid:\n        blocks", "    if True:\n        blocks"),
        ),
        (
            "leaves an empty block for an empty text",
            changed(completed, "block for block in blocks if block", "block for block in blocks"),
        ),
        (
            "keeps the blanks around the text",
            changed(completed, "answer.strip()]", "answer]"),
        ),
        (
            "gives the gaps and forgets the text",
            changed(completed, "blocks = [answer.strip()]", "blocks = []"),
        ),
        (
            "leaves no line empty",
            changed(completed, '"\\n\\n".join(block', '"\\n".join(block'),
        ),
        (
            "lists only the ids of what is missing",
            changed(completed, 'f"- {gap}" for', 'f"- {gap.task_id}" for'),
        ),
        (
            ("leaves the heading where nothing is missing, if there is something to add"),
            changed(completed, "    if unsaid:\n", "    if unsaid or len(blocks) > 1:\n"),
        ),
        (
            "tells the figures in words of its own",
            changed(
                completed,
                "str(each) for each in material.contradictions",
                ("f'They disagree on {each.about}.' for each in material.contradictions"),
            ),
        ),
        (
            "puts what is missing above the text",
            changed(
                completed,
                '    return "\\n\\n".join(block for block in blocks if block)',
                ('    return "\\n\\n".join(block for block in [*blocks[1:], blocks[0]] if block)'),
            ),
        ),
        (
            "breaks on an empty text",
            changed(
                completed,
                "blocks = [answer.strip()]",
                "blocks = [answer.strip()]\n    assert answer.strip()[0]",
            ),
        ),
        (
            "begins the block with other words",
            changed(completed, '"Missing:\\n"', '"What is missing:\\n"'),
        ),
    ],
    "9.4": [
        (
            "reduces once and never again",
            changed(_REDUCE, "while not fits", "if not fits"),
        ),
        (
            "makes notes of what fits as well",
            changed(
                _REDUCE,
                "    while not fits(material, context_tokens):\n",
                "    while True:\n",
                "results=dict(zip(labels, notes)))\n",
                "results=dict(zip(labels, notes)))\n"
                "        if fits(material, context_tokens):\n            break\n",
            ),
        ),
        (
            "reads one batch after the other",
            changed(
                _REDUCE,
                _ABREAST,
                "        notes = []\n"
                "        for part in parts:\n"
                "            notes.append(await condense(\n"
                "                material.request, part, client=client,\n"
                "                room=context_tokens // SHARE))\n",
            ),
        ),
        (
            "gives each note the whole window",
            changed(_REDUCE, "room=context_tokens // SHARE", "room=context_tokens"),
        ),
        (
            "keeps the notes and loses the rest of the material",
            changed(
                _REDUCE,
                "replace(material, results=dict(zip(labels, notes)))",
                "type(material)(request=material.request, results=dict(zip(labels, notes)))",
            ),
        ),
        (
            "gives all notes the same label",
            changed(_REDUCE, "[together(part) for part in parts]", "['notes' for _ in parts]"),
        ),
        (
            "keeps only what fits into the first batch",
            changed(
                _REDUCE,
                "parts = batches(material.results, context_tokens)",
                "parts = batches(material.results, context_tokens)[:1]",
            ),
        ),
        (
            "mixes up notes and labels",
            changed(_REDUCE, "dict(zip(labels, notes))", "dict(zip(labels, notes[::-1]))"),
        ),
        (
            "takes the results instead where the model fails",
            "from course.errors import ModelError\n"
            + changed(
                _REDUCE,
                "        notes = await concurrently(",
                "        try:\n            notes = await concurrently(",
                "            for number, part in enumerate(parts)\n        )\n",
                "            for number, part in enumerate(parts))\n"
                "        except ModelError:\n            return material\n",
            ),
        ),
        (
            "cuts instead of asking",
            "from dataclasses import replace\n\n\n"
            "async def reduce(material, *, client, context_tokens, **more):\n"
            "    return replace(material, results=batches(material.results, context_tokens)[0])\n",
        ),
        (
            "makes a note of each result",
            changed(
                _REDUCE,
                "parts = batches(material.results, context_tokens)",
                "parts = [{label: text} for label, text in material.results.items()]",
            ),
        ),
        (
            "numbers the notes",
            changed(
                _REDUCE,
                "labels = [together(part) for part in parts]",
                "labels = [f'note {number}' for number, part in enumerate(parts, 1)]",
            ),
        ),
        (
            "leaves out what does not fit in the end",
            changed(
                _REDUCE,
                "    while not fits(material, context_tokens):\n",
                "    if not fits(material, context_tokens):\n",
                "    return material\n",
                (
                    "    while not fits(material, context_tokens):\n"
                    "        *kept, _ = material.results.items()\n"
                    "        material = replace(material, results=dict(kept))\n"
                    "    return material\n"
                ),
            ),
        ),
        (
            "forgets the instruction",
            changed(
                _REDUCE,
                "replace(material, results=",
                "replace(material, instruction='', results=",
            ),
        ),
        (
            "reads only the first level at the same time",
            changed(
                _REDUCE,
                "        labels =",
                "        labels =",
                (
                    "        notes = await concurrently(\n"
                    "            condense(material.request, part, client=client, "
                    "room=context_tokens // SHARE)\n"
                    "            for number, part in enumerate(parts)\n"
                    "        )\n"
                ),
                (
                    "        room = context_tokens // SHARE\n"
                    "        asked = [condense(material.request, part, client=client, "
                    "room=room) for part in parts]\n"
                    "        notes = await concurrently(asked) if level == 1 else [await each "
                    "for each in asked]\n"
                ),
            ),
        ),
    ],
    "9.5": [
        ("shows every vote the same order", _IMPORTED + changed(_SELECT, "by=vote)", "by=0)")),
        (
            "takes the place for the answer",
            _IMPORTED + changed(_SELECT, "Counter(order[p] for", "Counter(p for"),
        ),
        (
            "gives the place without doubles",
            _IMPORTED + changed(_SELECT, "candidates.index(distinct[best])", "best"),
        ),
        (
            "shows doubles as answers of their own",
            _IMPORTED + changed(_SELECT, "list(dict.fromkeys(candidates))", "list(candidates)"),
        ),
        (
            "takes the last among equals",
            _IMPORTED + changed(_SELECT, "(-heard[n], n))", "(-heard[n], -n))"),
        ),
        (
            "takes the first answer with any vote",
            _IMPORTED + changed(_SELECT, "key=lambda n: (-heard[n], n))", "key=lambda n: n)"),
        ),
        ("asks one vote after the other", changed(_SELECT, _AT_ONCE, _ONE_BY_ONE)),
        (
            "asks one judge once",
            _IMPORTED + changed(_SELECT, "for vote in range(votes)]", "for vote in range(1)]"),
        ),
        (
            "counts votes that chose nothing for the first",
            _IMPORTED
            + changed(_SELECT, "order[p] for", "order[p or 0] for", " if p is not None", ""),
        ),
        (
            "takes the first answer where nobody chose",
            _IMPORTED + changed(_SELECT, 'raise ModelError("no vote chose an answer")', "return 0"),
        ),
        (
            "asks the judge about one answer",
            _IMPORTED + changed(_SELECT, "if len(distinct) == 1:", "if len(candidates) == 1:"),
        ),
        (
            "has no answer for no answers",
            _IMPORTED + changed(_SELECT, 'raise ValueError("there are no answers")', "return None"),
        ),
        (
            "loses a vote for the first of the list",
            _IMPORTED + changed(_SELECT, " if p is not None", " if p"),
        ),
        (
            "always asks for three votes",
            """\
from course.supervisor_worker.schedule import concurrently


"""
            + changed(_SELECT, "    if not candidates:", "    votes = 3\n    if not candidates:"),
        ),
        (
            "gives the last place of equal answers",
            """\
from course.supervisor_worker.schedule import concurrently


"""
            + changed(
                _SELECT,
                "    return candidates.index(distinct[best])",
                (
                    "    return max(n for n, text in enumerate(candidates) if text == "
                    "distinct[best])"
                ),
                "        return 0\n",
                "        return len(candidates) - 1\n",
            ),
        ),
        (
            "asks in nobody's name",
            """\
from course.supervisor_worker.schedule import concurrently


"""
            + changed(_SELECT, "agent=agent)", "agent='')"),
        ),
        (
            "asks the judge without the task",
            """\
from course.supervisor_worker.schedule import concurrently


"""
            + changed(_SELECT, "ask_judge(task, [", "ask_judge('', ["),
        ),
    ],
    "9.6": [
        (
            "with the package's pieces",
            "from course.observability.diagnosis import straggler, unstated, wasted\n\n\n"
            "def diagnose(trace):\n"
            "    runs = task_runs(trace)\n"
            "    slow = straggler(runs)\n"
            "    found = [Finding('wasted', (id,)) for id, _, _ in wasted(runs)]\n"
            "    for each in unstated(runs, answer_in(trace)):\n"
            "        found.append(Finding('contradiction', tuple(id for id, _ in each.said)))\n"
            "    return found + ([Finding('straggler', (slow,))] if slow else [])\n",
        ),
        (
            "takes the slowest task for the straggler",
            changed(_DIAGNOSE, "max(decisive(runs), key", "max(runs, key"),
        ),
        (
            "names a straggler in every run",
            changed(_DIAGNOSE, "if runs[slow].seconds > SLOW * usual:", "if True:"),
        ),
        (
            "names it from the median on",
            changed(_DIAGNOSE, "> SLOW * usual:", "> usual:"),
        ),
        (
            "names it when it takes exactly that",
            changed(_DIAGNOSE, "> SLOW * usual:", ">= SLOW * usual:"),
        ),
        (
            "takes the mean for what is usual",
            changed(
                _DIAGNOSE,
                "median(run.seconds for run in runs.values())",
                "sum(run.seconds for run in runs.values()) / len(runs)",
            ),
        ),
        (
            "takes the one above the middle",
            changed(
                _DIAGNOSE,
                "median(run.seconds for run in runs.values())",
                "sorted(run.seconds for run in runs.values())[len(runs) // 2]",
            ),
        ),
        (
            "takes the one below the middle",
            changed(
                _DIAGNOSE,
                "median(run.seconds for run in runs.values())",
                "sorted(run.seconds for run in runs.values())[(len(runs) - 1) // 2]",
            ),
        ),
        (
            "takes the median of what is done",
            changed(
                _DIAGNOSE,
                "median(run.seconds for run in runs.values())",
                "median([run.seconds for run in runs.values() if run.done] or [0.0])",
            ),
        ),
        (
            "compares with the decisive tasks alone",
            changed(
                _DIAGNOSE,
                "median(run.seconds for run in runs.values())",
                "median(runs[id].seconds for id in decisive(runs))",
            ),
        ),
        (
            "breaks on a run without tasks",
            changed(_DIAGNOSE, "    if runs:\n", "    if True:\n"),
        ),
        (
            "takes every second try for wasted",
            changed(_DIAGNOSE, "if error and (worker, words, error) in before:", "if before:"),
        ),
        (
            "does not look at the error",
            changed(
                _DIAGNOSE,
                "if error and (worker, words, error) in",
                "if (worker, words) in",
                "append((worker, words, error))",
                "append((worker, words))",
            ),
        ),
        (
            "does not look at the worker",
            changed(
                _DIAGNOSE,
                "if error and (worker, words, error) in",
                "if error and (words, error) in",
                "append((worker, words, error))",
                "append((words, error))",
            ),
        ),
        (
            "looks only at the try before",
            changed(
                _DIAGNOSE,
                "(worker, words, error) in before:",
                "(worker, words, error) in before[-1:]:",
            ),
        ),
        (
            "tells a task once, however often it was for nothing",
            changed(
                _DIAGNOSE,
                'found.append(Finding("wasted", (run.task_id,)))',
                'found.append(Finding("wasted", (run.task_id,)))\n                break',
            ),
        ),
        (
            "remembers tries of other tasks",
            changed(
                _DIAGNOSE,
                "    for run in runs.values():\n        before = []\n",
                "    before = []\n    for run in runs.values():\n",
            ),
        ),
        (
            "tells contradictions that the answer states",
            changed(_DIAGNOSE, "if not each.stated_in(answer):", "if True:"),
        ),
        (
            "takes the last words of a failed task for a result",
            changed(_DIAGNOSE, " if run.done)", ")"),
        ),
        (
            "sees no contradiction where nobody answered",
            changed(
                _DIAGNOSE,
                "if not each.stated_in(answer):",
                "if answer and not each.stated_in(answer):",
            ),
        ),
        (
            "has other names for the kinds",
            changed(
                _DIAGNOSE,
                'Finding("straggler"',
                'Finding("slow"',
                'Finding("wasted"',
                'Finding("repeated"',
                'Finding("contradiction"',
                'Finding("disagreement"',
            ),
        ),
        (
            "names every slow task of the chain",
            changed(
                _DIAGNOSE,
                (
                    "        slow = max(decisive(runs), key=lambda id: runs[id].seconds)\n"
                    "        if runs[slow].seconds > SLOW * usual:\n"
                    '            found.append(Finding("straggler", (slow,)))\n'
                ),
                (
                    "        for slow in decisive(runs):\n"
                    "            if runs[slow].seconds > SLOW * usual:\n"
                    '                found.append(Finding("straggler", (slow,)))\n'
                ),
            ),
        ),
        (
            "does not look at the words",
            changed(
                _DIAGNOSE,
                "(worker, words, error) in before",
                "(worker, error) in [(w, e) for w, _, e in before]",
            ),
        ),
        (
            "tells a pair of results once, however often they disagree",
            changed(
                _DIAGNOSE,
                "    return found\n",
                (
                    "    return list(dict.fromkeys(found)) if not any(f.kind == 'wasted' "
                    "for f in found) else found\n"
                ),
            ),
        ),
        (
            "tells the tasks of a contradiction in the order of their names",
            changed(
                _DIAGNOSE,
                "tuple(id for id, _ in each.said)",
                "tuple(sorted(id for id, _ in each.said))",
            ),
        ),
        (
            "has a finding for a good run, too",
            changed(
                _DIAGNOSE,
                "    return found\n",
                ("    return found or [Finding('good', tuple(runs))] if runs else found\n"),
            ),
        ),
        (
            "gives nothing back for a run without tasks",
            changed(_DIAGNOSE, "    return found\n", "    return found if runs else None\n"),
        ),
        (
            "takes a try that worked for one that failed",
            changed(
                _DIAGNOSE,
                "            if error and (worker, words, error) in before:",
                (
                    "            if (worker, words, error or 'none') in before or "
                    "(before and not error):"
                ),
            ),
        ),
    ],
}

RIGHT = {
    "9.1": [
        (
            "with a walk of its own",
            "def gaps(plan, results):\n"
            "    def behind(id):\n"
            "        for task in plan.tasks:\n"
            "            if id in task.dependencies:\n"
            "                yield task.id\n"
            "                yield from behind(task.id)\n\n"
            "    return tuple(\n"
            "        Gap(t.id, t.description, str(results[t.id].failure),"
            " tuple(dict.fromkeys(behind(t.id))))\n"
            "        for t in plan.tasks\n"
            "        if results[t.id].failure and results[t.id].failure.cause != 'dependency'\n"
            "    )\n",
        ),
        (
            "collects the failures first",
            "from course.supervisor_worker.plan import downstream\n\n\n"
            "def gaps(plan, results):\n"
            "    roots = {id: r.failure for id, r in results.items()\n"
            "             if r.failure is not None and not r.failure.cause == 'dependency'}\n"
            "    made = []\n"
            "    for id, task in plan.by_id.items():\n"
            "        match roots.get(id):\n"
            "            case None:\n"
            "                continue\n"
            "            case failure:\n"
            "                why = f'{failure.kind}: {failure.error}'\n"
            "                after = sorted(downstream(plan, id))\n"
            "                made.append(Gap(task_id=id, what=task.description, why=why,\n"
            "                                affects=tuple(after)))\n"
            "    return tuple(made)\n",
        ),
        (
            "gives a list",
            "def gaps(plan, results):\n"
            "    found = []\n"
            "    for task in plan.tasks:\n"
            "        result = results[task.id]\n"
            "        if not result.failure or result.failure.cause == 'dependency':\n"
            "            continue\n"
            "        touched, grew = set(), True\n"
            "        while grew:\n"
            "            more = {t.id for t in plan.tasks\n"
            "                    if touched.union([task.id]) & set(t.dependencies)}\n"
            "            grew, touched = more - touched, more\n"
            "        found.append(Gap(task.id, task.description, str(result.failure),\n"
            "                         tuple(touched)))\n"
            "    return found\n",
        ),
        (
            "a generator, and match",
            """\
def gaps(plan, results):
    for task in plan.tasks:
        match results[task.id].failure:
            case None:
                continue
            case failure if failure.cause == "dependency":
                continue
            case failure:
                behind = [*downstream(plan, task.id)]
                yield Gap(task_id=task.id, what=task.description, why=f"{failure}", affects=behind)
""",
        ),
        (
            "an object with a graph of its own",
            """\
from collections import defaultdict, deque


class Gaps:
    def __call__(self, plan, results):
        after = defaultdict(list)
        for task in plan.tasks:
            for need in task.dependencies:
                after[need].append(task.id)
        roots = filter(lambda t: self.is_root(results[t.id]), plan.tasks)
        return tuple(self.gap(task, results[task.id], after) for task in roots)

    def is_root(self, result):
        return bool(result.failure) and result.failure.cause != "dependency"

    def gap(self, task, result, after):
        seen, queue = dict(), deque(after[task.id])
        while queue:
            id = queue.popleft()
            if id not in seen:
                seen[id] = True
                queue.extend(after[id])
        return Gap(task.id, task.description, str(result.failure), tuple(seen))


gaps = Gaps()
""",
        ),
        (
            "by recursion, sorted in the end",
            """\
def gaps(plan, results):
    order = [task.id for task in plan.tasks]

    def touched(id):
        own = {t.id for t in plan.tasks if id in t.dependencies}
        return own.union(*map(touched, own))

    found = []
    for id, result in results.items():
        try:
            cause = result.failure.cause
        except AttributeError:
            continue
        if cause != "dependency":
            what = plan.by_id[id].description
            found.append(Gap(id, what, str(result.failure), tuple(sorted(touched(id)))))
    return sorted(found, key=lambda gap: order.index(gap.task_id))
""",
        ),
    ],
    "9.2": [
        (
            "with groups of pairs",
            "def contradictions(results):\n"
            "    groups = {}\n"
            "    for result in results:\n"
            "        seen = set()\n"
            "        for claim in claims(result):\n"
            "            key = claim.about, claim.unit\n"
            "            if key not in seen:\n"
            "                seen.add(key)\n"
            "                groups.setdefault(key, []).append(claim)\n"
            "    kept = [different(group) for group in groups.values()]\n"
            "    return tuple(\n"
            "        Contradiction(some[0].name, tuple((c.task_id, c.shown) for c in some))\n"
            "        for some in kept if len(some) >= 2\n"
            "    )\n",
        ),
        (
            "sorted by key, and grouped",
            "from itertools import groupby\n\n\n"
            "def contradictions(results):\n"
            "    every = [c for r in results for c in claims(r)]\n"
            "    order = list(dict.fromkeys((c.about, c.unit) for c in every))\n"
            "    key = lambda c: order.index((c.about, c.unit))\n"
            "    found = []\n"
            "    for _, group in groupby(sorted(every, key=key), key=key):\n"
            "        first = {}\n"
            "        for claim in group:\n"
            "            if claim.task_id not in first:\n"
            "                first[claim.task_id] = claim\n"
            "        apart = different(first.values())\n"
            "        if apart[1:]:\n"
            "            said = tuple((c.task_id, c.shown) for c in apart)\n"
            "            found.append(Contradiction(about=apart[0].name, said=said))\n"
            "    return found\n",
        ),
        (
            "compares the figures itself, as a generator",
            "def contradictions(results):\n"
            "    def search():\n"
            "        first = {}\n"
            "        for result in list(results):\n"
            "            for c in claims(result):\n"
            "                first.setdefault((c.about, c.unit, c.task_id), c)\n"
            "        for key in dict.fromkeys(key[:2] for key in first):\n"
            "            kept = []\n"
            "            for c in (c for k, c in first.items() if k[:2] == key):\n"
            "                limits = (SAME * max(abs(c.value), abs(k.value)) for k in kept)\n"
            "                gaps = (abs(c.value - k.value) for k in kept)\n"
            "                if all(gap > most for gap, most in zip(gaps, limits)):\n"
            "                    kept.append(c)\n"
            "            if len(kept) > 1:\n"
            "                yield Contradiction(kept[0].name,"
            " tuple((c.task_id, c.shown) for c in kept))\n\n"
            "    return tuple(search())\n",
        ),
        (
            "a generator, with itertools",
            """\
from itertools import groupby


def contradictions(results):
    said = [claim for result in results for claim in claims(result)]
    firsts = {}
    for claim in reversed(said):
        firsts[(sorted(claim.about), claim.unit, claim.task_id).__repr__()] = claim
    chosen = [claim for claim in said if claim in firsts.values()]
    key = lambda claim: (sorted(claim.about), claim.unit)
    for _, group in groupby(sorted(chosen, key=key), key=key):
        match different(group):
            case [first, _, *_] as kept:
                yield Contradiction(first.name, tuple((c.task_id, c.shown) for c in kept))
""",
        ),
        (
            "an object that listens to one result after the other",
            """\
class Ear:
    def __init__(self):
        self.heard = {}

    def listen(self, result):
        new = {}
        for claim in claims(result):
            new.setdefault((claim.about, claim.unit), claim)
        for thing, claim in new.items():
            self.heard[thing] = self.heard.get(thing, ()) + (claim,)

    def disagreeing(self):
        for group in self.heard.values():
            if len(kept := different(group)) > 1:
                said = [(claim.task_id, claim.shown) for claim in kept]
                yield Contradiction(about=kept[0].name, said=tuple(said))


def contradictions(results):
    ear = Ear()
    [ear.listen(result) for result in results]
    return [*ear.disagreeing()]
""",
        ),
        (
            "by reduce and filter",
            """\
from functools import reduce


def added(same, claim):
    mine = same.setdefault((frozenset(claim.about), claim.unit), [])
    if claim.task_id not in {each.task_id for each in mine}:
        mine.append(claim)
    return same


def contradictions(results):
    every = (claim for result in results for claim in claims(result))
    groups = map(different, reduce(added, every, {}).values())
    several = filter(lambda group: len(group) >= 2, groups)
    return tuple(
        Contradiction(group[0].name, tuple((c.task_id, c.shown) for c in group))
        for group in several
    )
""",
        ),
    ],
    "9.3": [
        (
            "adds to a text",
            "def completed(answer, material):\n"
            "    text = answer.strip()\n"
            "    for each in material.contradictions:\n"
            "        if not each.stated_in(answer):\n"
            "            text = f'{text}\\n\\n{each}' if text else str(each)\n"
            "    lines = [f'- {gap}' for gap in material.gaps\n"
            "             if not (gap.task_id in answer and gap.why in answer)]\n"
            "    if lines:\n"
            "        block = '\\n'.join(['Missing:', *lines])\n"
            "        text = f'{text}\\n\\n{block}' if text else block\n"
            "    return text\n",
        ),
        (
            "as a generator",
            "def completed(answer, material):\n"
            "    def blocks():\n"
            "        if said := answer.strip():\n"
            "            yield said\n"
            "        yield from (str(c) for c in material.contradictions"
            " if not c.stated_in(said))\n"
            "        missing = ''.join(f'\\n- {g}' for g in material.gaps\n"
            "                          if any(part not in said for part in (g.task_id, g.why)))\n"
            "        if missing:\n"
            "            yield 'Missing:' + missing\n\n"
            "    return '\\n\\n'.join(blocks())\n",
        ),
        (
            "with filters",
            "def completed(answer, material):\n"
            "    unsaid = list(filter(\n"
            "        lambda g: answer.find(g.task_id) < 0 or answer.find(g.why) < 0,"
            " material.gaps))\n"
            "    clashes = [c for c in material.contradictions if c.stated_in(answer) is False]\n"
            "    missing = '\\n'.join(['Missing:'] + ['- ' + str(g) for g in unsaid])\n"
            "    every = [answer.strip(), *map(str, clashes), missing if unsaid else '']\n"
            "    return '\\n\\n'.join(filter(None, every))\n",
        ),
        (
            "a list of lines",
            """\
def completed(answer, material):
    lines = answer.strip().splitlines()
    for clash in material.contradictions:
        if not clash.stated_in(answer):
            lines += [""] * bool(lines) + [f"{clash}"]
    first = True
    for gap in material.gaps:
        if gap.task_id in answer and gap.why in answer:
            continue
        if first:
            lines += ([""] if lines else []) + ["Missing:"]
            first = False
        lines.append("- " + str(gap))
    return chr(10).join(lines)
""",
        ),
        (
            "an object with a filter for each kind",
            """\
class Completed:
    def __call__(self, answer, material):
        unsaid = (clash for clash in material.contradictions if not clash.stated_in(answer))
        parts = [answer.strip(), *map(str, unsaid), self.missing(answer, material.gaps)]
        return (chr(10) * 2).join(filter(None, parts))

    def missing(self, answer, gaps):
        left = [g for g in gaps if not all(word in answer for word in (g.task_id, g.why))]
        return chr(10).join(["Missing:", *(f"- {gap}" for gap in left)]) if left else ""


completed = Completed()
""",
        ),
        (
            "by reduce",
            """\
from functools import reduce


def completed(answer, material):
    def add(text, block):
        return f"{text}{chr(10)}{chr(10)}{block}" if text else block

    def known(gap):
        match (gap.task_id in answer, gap.why in answer):
            case (True, True):
                return True
        return False

    told = reduce(
        lambda text, clash: text if clash.stated_in(answer) else add(text, str(clash)),
        material.contradictions,
        answer.strip(),
    )
    if lines := [f"- {gap}" for gap in material.gaps if not known(gap)]:
        told = add(told, "Missing:" + "".join(chr(10) + line for line in lines))
    return told
""",
        ),
    ],
    "9.4": [
        ("without a span", _REDUCE),
        (
            "with a task group",
            "import asyncio\n"
            "from dataclasses import replace\n\n"
            "from course.errors import ModelError\n"
            "from course.supervisor_worker.aggregate import SHARE\n\n\n"
            "async def reduce(material, *, client, context_tokens, model=SMALL,\n"
            '                 agent="aggregator", run_id="run"):\n'
            "    while not fits(material, context_tokens):\n"
            "        parts = batches(material.results, context_tokens)\n"
            "        failed = None\n"
            "        try:\n"
            "            async with asyncio.TaskGroup() as group:\n"
            "                tasks = {together(part): group.create_task(condense(\n"
            "                    material.request, part, client=client,\n"
            "                    room=context_tokens // SHARE)) for part in parts}\n"
            "        except* ModelError as errors:\n"
            "            failed = errors.exceptions[0]\n"
            "        if failed:\n"
            "            raise failed\n"
            "        notes = {label: task.result() for label, task in tasks.items()}\n"
            "        material = replace(material, results=notes)\n"
            "    return material\n",
        ),
        (
            "calls itself",
            "from dataclasses import replace\n\n"
            "from course.supervisor_worker.schedule import concurrently\n"
            "from course.supervisor_worker.aggregate import SHARE\n\n\n"
            "async def reduce(material, *, client, context_tokens, model=SMALL,\n"
            '                 agent="aggregator", run_id="run"):\n'
            "    if fits(material, context_tokens):\n"
            "        return material\n"
            "    room = context_tokens // SHARE\n"
            "    parts = batches(material.results, context_tokens)\n\n"
            "    async def noted(part):\n"
            "        return together(part), await condense(\n"
            "            material.request, part, client=client, room=room)\n\n"
            "    notes = dict(await concurrently([noted(part) for part in parts]))\n"
            "    return await reduce(replace(material, results=notes), client=client,\n"
            "                        context_tokens=context_tokens)\n",
        ),
        (
            "gathers, and makes the copy itself",
            """\
import asyncio

from course.supervisor_worker.aggregate import Material
from course.supervisor_worker.aggregate import SHARE


async def reduce(material, *, client, context_tokens, **more):
    if fits(material, context_tokens):
        return material
    parts, room = batches(material.results, context_tokens), context_tokens // SHARE
    asked = (condense(material.request, part, client=client, room=room) for part in parts)
    notes = await asyncio.gather(*asked)
    shorter = Material(
        request=material.request,
        instruction=material.instruction,
        results={together(part): note for part, note in zip(parts, notes)},
        gaps=material.gaps,
        contradictions=material.contradictions,
    )
    return await reduce(shorter, client=client, context_tokens=context_tokens)
""",
        ),
        (
            "an object, and a task for each batch",
            """\
import asyncio
from dataclasses import replace
from functools import partial

from course.supervisor_worker.aggregate import SHARE


class Reducer:
    async def __call__(self, material, *, client, context_tokens, **named):
        note = partial(condense, material.request, client=client, room=context_tokens // SHARE)
        while not fits(material, context_tokens):
            tasks = {
                together(part): asyncio.create_task(note(part))
                for part in batches(material.results, context_tokens)
            }
            await asyncio.wait(tasks.values())
            material = replace(material, results={k: t.result() for k, t in tasks.items()})
        return material


reduce = Reducer()
""",
        ),
        (
            "an async generator of levels, and as_completed",
            """\
import asyncio
from dataclasses import replace

from course.supervisor_worker.aggregate import SHARE


async def levels(material, client, window):
    yield material
    while not fits(material, window):
        parts = [*enumerate(batches(material.results, window))]

        async def noted(number, part):
            text = await condense(material.request, part, client=client, room=window // SHARE)
            return number, together(part), text

        came = [await each for each in asyncio.as_completed([noted(*each) for each in parts])]
        material = replace(material, results={label: text for _, label, text in sorted(came)})
        yield material


async def reduce(material, *, client, context_tokens, **rest):
    async for level in levels(material, client, context_tokens):
        last = level
    return last
""",
        ),
    ],
    "9.5": [
        ("without a span", _IMPORTED + _SELECT),
        (
            "with gather, and votes by text",
            "import asyncio\n\n\n"
            "async def select(task, candidates, *, client, model=SMALL, votes=3, agent='judge',\n"
            "                 run_id='run'):\n"
            "    if len(candidates) == 0:\n"
            "        raise ValueError('give me answers')\n"
            "    texts = sorted(set(candidates), key=candidates.index)\n"
            "    if len(texts) < 2:\n"
            "        return candidates.index(texts[0])\n\n"
            "    async def one(vote):\n"
            "        shown = turned(texts, by=vote)\n"
            "        place = await ask_judge(task, shown, client=client, model=model,\n"
            "            agent=agent)\n"
            "        return None if place is None else shown[place]\n\n"
            "    chosen = await asyncio.gather(*(one(vote) for vote in range(votes)))\n"
            "    counted = [(chosen.count(text), -n) for n, text in enumerate(texts)]\n"
            "    most, place = max(counted)\n"
            "    if most == 0:\n"
            "        raise ModelError('nobody chose')\n"
            "    return candidates.index(texts[-place])\n",
        ),
        (
            "with a task group and a list of votes",
            "import asyncio\n\n\n"
            "async def select(task, candidates, *, client, model=SMALL, votes=3, agent='judge',\n"
            "                 run_id='run'):\n"
            "    if not list(candidates):\n"
            "        raise ValueError('nothing to choose from')\n"
            "    places = {}\n"
            "    for n, text in enumerate(candidates):\n"
            "        places.setdefault(text, n)\n"
            "    ids = list(places.values())\n"
            "    if len(ids) == 1:\n"
            "        return ids[0]\n"
            "    asked = []\n"
            "    async with asyncio.TaskGroup() as group:\n"
            "        for vote in range(votes):\n"
            "            start = vote % len(ids)\n"
            "            order = ids[start:] + ids[:start]\n"
            "            shown = [candidates[n] for n in order]\n"
            "            asked.append((order, group.create_task(ask_judge(\n"
            "                task, shown, client=client, model=model,\n"
            "                agent=agent))))\n"
            "    tally = {}\n"
            "    for order, vote in asked:\n"
            "        if vote.result() is not None:\n"
            "            meant = order[vote.result()]\n"
            "            tally[meant] = tally.get(meant, 0) + 1\n"
            "    if not tally:\n"
            "        raise ModelError('no vote')\n"
            "    return sorted(tally, key=lambda n: (-tally[n], n))[0]\n",
        ),
        (
            "an object that counts by hand",
            """\
import asyncio
from collections import defaultdict


class Select:
    async def __call__(
        self, task, candidates, *, client, model=SMALL, votes=3, agent="judge", run_id="run"
    ):
        distinct = [text for n, text in enumerate(candidates) if text not in candidates[:n]]
        match distinct:
            case []:
                raise ValueError("no answers")
            case [only]:
                return list(candidates).index(only)
        asked = []
        for vote in range(votes):
            shown = list(turned(distinct, by=vote))
            call = ask_judge(task, shown, client=client, model=model, agent=agent)
            asked.append((shown, asyncio.ensure_future(call)))
        heard = defaultdict(int)
        for shown, future in asked:
            if (place := await future) is not None:
                heard[shown[place]] += 1
        try:
            best = max(distinct, key=lambda text: (heard[text], -distinct.index(text)))
            return {True: list(candidates).index(best)}[heard[best] > 0]
        except KeyError:
            raise ModelError("no vote") from None


select = Select()
""",
        ),
        (
            "votes as they come, and numpy",
            """\
import asyncio

import numpy as np


async def select(
    task, candidates, *, client, model=SMALL, votes=3, agent="judge", run_id="run"
):
    if not len(candidates):
        raise ValueError("nothing to choose from")
    firsts = sorted({text: n for n, text in reversed([*enumerate(candidates)])}.values())
    if len(firsts) == 1:
        return np.int64(firsts[0])
    tally = np.zeros(len(candidates), dtype=int)

    async def one(vote):
        places = turned(firsts, by=vote)
        chosen = await ask_judge(
            task,
            [candidates[n] for n in places],
            client=client,
            model=model,
            agent=agent,
        )
        return chosen if chosen is None else places[chosen]

    for each in asyncio.as_completed([one(vote) for vote in range(votes)]):
        if (meant := await each) is not None:
            tally[meant] += 1
    if not tally.any():
        raise ModelError("nobody chose")
    return np.argmax(tally)
""",
        ),
        (
            "small functions, and a partial",
            """\
import asyncio
from functools import partial


def without_doubles(candidates):
    seen = set()
    return [text for text in candidates if not (text in seen or seen.add(text))]


async def vote_of(ask, distinct, vote):
    order = turned(distinct, by=vote)
    place = await ask(candidates=order)
    return [] if place is None else [order[place]]


async def select(
    task, candidates, *, client, model=SMALL, votes=3, agent="judge", run_id="run"
):
    distinct = without_doubles(candidates)
    if not distinct:
        raise ValueError(f"none of {candidates!r}")
    if distinct[1:]:
        ask = partial(ask_judge, task, client=client, model=model, agent=agent)
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(vote_of(ask, distinct, vote)) for vote in range(votes)
            ]
        heard = sum((task.result() for task in tasks), [])
        if not heard:
            raise ModelError("no vote chose one")
        distinct.sort(key=heard.count, reverse=True)
    return [*candidates].index(distinct[0])
""",
        ),
    ],
    "9.6": [
        ("with one slowest", _DIAGNOSE),
        (
            "as a generator",
            "import statistics\n\n\n"
            "def diagnose(trace):\n"
            "    runs = task_runs(trace)\n\n"
            "    def search():\n"
            "        took = {id: run.end - run.start for id, run in runs.items()}\n"
            "        limit = 1.5 * statistics.median(took.values() or [0])\n"
            "        chain = sorted(decisive(runs), key=took.get)\n"
            "        if chain and took[chain[-1]] > limit:\n"
            "            yield 'straggler', (chain[-1],)\n"
            "        for id, run in runs.items():\n"
            "            failed = [each[:3] for each in run.tries if each[2]]\n"
            "            for _ in range(len(failed) - len(set(failed))):\n"
            "                yield 'wasted', (id,)\n"
            "        said = [run for run in runs.values() if run.done]\n"
            "        for clash in contradictions(said):\n"
            "            if not clash.stated_in(answer_in(trace)):\n"
            "                yield 'contradiction', tuple(id for id, _ in clash.said)\n\n"
            "    return [Finding(kind, tasks) for kind, tasks in search()]\n",
        ),
        (
            "in three helpers",
            "from collections import Counter\n\n\n"
            "def slowest(runs):\n"
            "    times = sorted(run.seconds for run in runs.values())\n"
            "    if not times:\n        return []\n"
            "    usual = (times[(len(times) - 1) // 2] + times[len(times) // 2]) / 2\n"
            "    worst = max((runs[id] for id in decisive(runs)), key=lambda run: run.seconds)\n"
            "    return [Finding('straggler', (worst.task_id,))] if worst.seconds > 1.5 * usual"
            " else []\n\n\n"
            "def in_vain(run):\n"
            "    failed = Counter(tuple(each[:3]) for each in run.tries if each[2])\n"
            "    return [Finding('wasted', (run.task_id,))] * sum(n - 1 for n in failed.values())\n"
            "\n\n"
            "def unsaid(runs, answer):\n"
            "    done = [run for run in runs.values() if run.done]\n"
            "    hidden = (each for each in contradictions(done) if not each.stated_in(answer))\n"
            "    return [Finding('contradiction', tuple(dict(each.said))) for each in hidden]\n"
            "\n\n"
            "def diagnose(trace):\n"
            "    runs = task_runs(trace)\n"
            "    tries = [found for run in runs.values() for found in in_vain(run)]\n"
            "    return slowest(runs) + tries + unsaid(runs, answer_in(trace))\n",
        ),
        (
            "a class with a method for each kind",
            """\
from collections import Counter
from statistics import median


class Doctor:
    def __init__(self, trace):
        self.runs, self.answer = task_runs(trace), answer_in(trace)

    def stragglers(self):
        if not self.runs:
            return
        took = {id: run.seconds for id, run in self.runs.items()}
        worst = max(decisive(self.runs), key=took.__getitem__, default=None)
        if worst is not None and took[worst] > 1.5 * median(took.values()):
            yield Finding("straggler", (worst,))

    def wasted(self):
        for id, run in self.runs.items():
            counted = Counter(tuple(each[:3]) for each in run.tries if each[2])
            for _ in range(counted.total() - len(counted)):
                yield Finding("wasted", (id,))

    def hidden(self):
        done = [run for run in self.runs.values() if run.done]
        for clash in contradictions(done):
            if not clash.stated_in(self.answer):
                yield Finding("contradiction", tuple(next(iter(pair)) for pair in clash.said))

    def __iter__(self):
        yield from self.stragglers()
        yield from self.hidden()
        yield from self.wasted()


def diagnose(trace):
    return list(Doctor(trace))
""",
        ),
        (
            "by index, with match",
            """\
import statistics


def diagnose(trace):
    runs, found = task_runs(trace), []
    match sorted((run.seconds for run in runs.values())):
        case []:
            return found
        case times:
            usual = statistics.median(times)
    slow = sorted((runs[id].seconds, id) for id in decisive(runs))[-1:]
    found += [Finding("straggler", (id,)) for took, id in slow if took / usual > 1.5]
    for id, run in runs.items():
        for n, (worker, words, error, _) in enumerate(run.tries):
            earlier = [each for each in run.tries[:n] if each[:3] == (worker, words, error)]
            match error, earlier:
                case (str() as said, [_, *_]) if said:
                    found.insert(0, Finding("wasted", (id,)))
    answer = answer_in(trace)
    unsaid = (c for c in contradictions(r for r in runs.values() if r.done))
    return [
        *found,
        *(
            Finding("contradiction", tuple(dict(c.said)))
            for c in unsaid
            if c.stated_in(answer) is False
        ),
    ]
""",
        ),
        (
            "numpy's median, and a set of what was tried",
            """\
from functools import partial

import numpy as np


def wasted(run):
    seen = set()
    for try_ in run.tries:
        what = tuple(try_[:-1])
        if what[-1] and what in seen:
            yield Finding("wasted", (run.task_id,))
        seen.add(what)


def slow(runs):
    try:
        usual = np.median([run.seconds for run in runs.values()])
        worst = runs[max(decisive(runs), key=lambda id: runs[id].seconds)]
    except (ValueError, IndexError):
        return
    if runs and worst.seconds > usual * 3 / 2:
        yield Finding("straggler", (worst.task_id,))


def diagnose(trace):
    runs = task_runs(trace)
    unstated = filter(
        lambda each: not each.stated_in(answer_in(trace)),
        contradictions(filter(lambda run: run.done, runs.values())),
    )
    found = [Finding("contradiction", tuple(id for id, *_ in each.said)) for each in unstated]
    if runs:
        found.extend(slow(runs))
    for run in runs.values():
        found.extend(wasted(run))
    return found
""",
        ),
    ],
}
