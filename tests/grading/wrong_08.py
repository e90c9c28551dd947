"""Answers to the exercises of chapter 08: wrong ones a student may well write, and right ones.

Each entry is (name, source of the solution cell). Every wrong one must lose exactly its exercise;
`RIGHT` are answers in other styles than the solution's, and every one must pass.
"""

from __future__ import annotations

from course.models.line import insist
from course.supervisor_worker.task_run import refine, with_one
from tests.grading.changing import changed

_THROUGH = """\
async def call_through(breaker, call):
    probe = breaker.opened is not None
    if probe:
        if clock.now() < breaker.opened + breaker.cooldown or breaker.probing:
            raise BreakerOpen("left alone for now")
        breaker.probing = True
    try:
        answer = await call()
    except Exception:
        breaker.in_a_row += 1
        if probe or (breaker.opened is None and breaker.in_a_row >= breaker.failures):
            breaker.opened = clock.now()
        raise
    finally:
        if probe:
            breaker.probing = False
    breaker.in_a_row = 0
    breaker.opened = None
    return answer
"""

_CASCADE = """\
def cascade(plan, failing, policy):
    failed, skipped, without = set(), set(), {}
    for id in in_order(plan):
        needs = plan.by_id[id].dependencies
        lost = {n for n in needs if n in failed or n in skipped}
        behind = lost & failed
        for need in needs:
            behind |= without.get(need, set())
        if lost and policy != "mark":
            skipped.add(id)
        elif id in failing:
            failed.add(id)
        without[id] = behind
    answer = set(plan.by_id) - failed - skipped
    return Outlook(
        failed=frozenset(failed),
        skipped=frozenset(skipped),
        answer=frozenset(answer),
        without={id: frozenset(without[id]) for id in answer if without[id]},
        anew=frozenset(failed | skipped) if policy == "replan" else frozenset(),
    )
"""


_UNHEARD = """\
def unheard(log):
    deaf = set()
    for n, (words, error, told) in enumerate(log):
        if error is not None and told is not False:
            deaf.add("breaker")
        if n and log[n - 1][1] is not None and log[n - 1][0] == words:
            deaf.add("rewriter")
    return deaf


"""
_MENDED = (
    _UNHEARD
    + """\
async def mended(words, ask, rewrite, breaker, *, tries=4):
    told, first, seen = [], words, None
    for _ in range(tries):
        if told:
            words = await rewrite(*told[-1])
        try:
            probe = breaker.admit()
        except BreakerOpen:
            break
        try:
            answer = await ask(words)
        except ToolError as error:
            breaker.settle(False, probe=probe)
            told.append((words, str(error)))
        else:
            breaker.settle(True, probe=probe)
            told.append((words, None))
            return answer, told
    return None, told
"""
)
_TRAP = (
    _UNHEARD
    + """\
async def mended(words, ask, rewrite, breaker, *, tries=4):
    told, answer, error = [], None, None
    for _ in range(tries):
        if error:
            words = await rewrite(words, error)
        try:
            probe = breaker.admit()
            answer = await ask(words)
        except BreakerOpen:
            break
        except ToolError as failed:
            error = str(failed)
        told.append((words, error))
        error = None
        breaker.settle(error is None, probe=probe)
        if answer:
            break
    return answer, told
"""
)

WRONG = {
    "8.1": [
        (
            "asks again at once",
            changed(insist, "await asyncio.sleep(seconds)", "await asyncio.sleep(0)"),
        ),
        (
            "waits as long each time",
            changed(insist, "backoff.wait(repetition,", "backoff.wait(1,"),
        ),
        (
            "counts the waits from nothing",
            changed(insist, "backoff.wait(repetition,", "backoff.wait(repetition - 1,"),
        ),
        (
            "does not hear what the service asks for",
            changed(insist, ", retry_after=retry_after(error))", ")"),
        ),
        (
            "waits only as long as the service asks for",
            changed(
                insist,
                "seconds = backoff.wait(repetition, key=key, retry_after=retry_after(error))",
                "seconds = retry_after(error) or backoff.wait(repetition, key=key)",
            ),
        ),
        (
            "insists on everything",
            changed(insist, "if not is_transient(error):", "if False:"),
        ),
        (
            "decides by the status alone",
            changed(
                insist,
                "not is_transient(error)",
                "getattr(error, 'status_code', 0) < 500",
            ),
        ),
        (
            "makes a call too many",
            changed(
                insist,
                "range(1, backoff.tries)",
                "range(1, backoff.tries + 1)",
                "call(backoff.tries - 1)",
                "call(backoff.tries)",
            ),
        ),
        (
            "waits once more before it gives up",
            "async def insist(call, backoff, *, key):\n"
            "    for n in range(1, backoff.tries + 1):\n"
            "        try:\n"
            "            return await call(n - 1)\n"
            "        except Exception as error:\n"
            "            if not is_transient(error):\n"
            "                raise\n"
            "            last = error\n"
            "            await asyncio.sleep(\n"
            "                backoff.wait(n, key=key, retry_after=retry_after(error)))\n"
            "    raise last\n",
        ),
        (
            "raises the first error at the end",
            "async def insist(call, backoff, *, key):\n"
            "    first = None\n"
            "    for n in range(1, backoff.tries + 1):\n"
            "        try:\n"
            "            return await call(n - 1)\n"
            "        except Exception as error:\n"
            "            first = first or error\n"
            "            if not is_transient(error):\n"
            "                raise\n"
            "            if n < backoff.tries:\n"
            "                await asyncio.sleep(\n"
            "                    backoff.wait(n, key=key, retry_after=retry_after(error)))\n"
            "    raise first\n",
        ),
        (
            "says nothing when it gives up",
            changed(
                insist,
                "range(1, backoff.tries)",
                "range(1, backoff.tries + 1)",
                "    return await call(backoff.tries - 1)\n",
                "",
            ),
        ),
        (
            "tells each call that it is the first",
            changed(
                insist,
                "await call(repetition - 1)",
                "await call(0)",
                "await call(backoff.tries - 1)",
                "await call(0)",
            ),
        ),
        (
            "forgets whose call it is",
            changed(insist, "key=key, retry_after", "key=Key(), retry_after"),
        ),
        (
            "says only that it worked",
            """\
async def insist(call, backoff, *, key):
    for n in range(1, backoff.tries + 1):
        try:
            await call(n - 1)
            return True
        except Exception as error:
            if n == backoff.tries or not is_transient(error):
                raise
            asked = retry_after(error)
        await asyncio.sleep(backoff.wait(n, key=key, retry_after=asked))
""",
        ),
    ],
    "8.2": [
        (
            "asks without the error",
            changed(refine, "\\n\\nError: {failure.error}", ""),
        ),
        (
            "asks without the task",
            changed(refine, "Task: {words}\\n\\n", ""),
        ),
        (
            "names only the kind of failure",
            changed(refine, "Error: {failure.error}", "Error: {failure.kind}"),
        ),
        (
            "does not say what the worker can do",
            changed(refine, ", {worker.description}", ""),
        ),
        (
            "asks no model at all",
            "async def refine(words, failure, worker, *, client, **more):\n"
            "    return by_hand(words, failure)\n",
        ),
        (
            "repeats the task",
            "async def refine(words, failure, worker, *, client, **more):\n    return words\n",
        ),
        (
            "lets a model's refusal out",
            changed(refine, "except ModelError as error:", "except ZeroDivisionError as error:"),
        ),
        (
            "repeats the task where the model cannot be used",
            changed(
                refine,
                "            return by_hand(words, failure)\n",
                "            return words\n",
            ),
        ),
        (
            "takes an empty answer",
            changed(refine, "return new if new and new != words", "return new if new != words"),
        ),
        (
            "takes a repetition",
            changed(refine, "return new if new and new != words", "return new if new"),
        ),
        (
            "keeps the label",
            changed(refine, '.removeprefix("Task:").strip()', ""),
        ),
        (
            "takes out every label",
            changed(refine, '.removeprefix("Task:")', '.replace("Task:", "")'),
        ),
        (
            "keeps the blanks",
            changed(
                refine,
                '.strip().removeprefix("Task:").strip()',
                '.removeprefix("Task:")',
            ),
        ),
        (
            "asks twice",
            changed(
                refine,
                "            answer = await complete(client, body,",
                "            await complete(client, body)\n"
                "            answer = await complete(client, body,",
            ),
        ),
        (
            "leaves out the worker's name",
            changed(
                refine,
                "Worker: {worker.name}, {worker.description}",
                "Worker: {worker.description}",
            ),
        ),
        (
            "puts the new words behind the old ones",
            changed(refine, "return new if new and", "return f'{words} {new}' if new and"),
        ),
        (
            "is prepared for a refusal only",
            changed(
                refine,
                '            step.fail(str(error), kind="ModelError")\n',
                ("            if '400' not in str(error):\n                raise\n"),
            ),
        ),
        (
            "asks a model of its own",
            changed(refine, '{"model": model', '{"model": SMALL'),
        ),
    ],
    "8.3": [
        (
            "never opens",
            "async def call_through(breaker, call):\n    return await call()\n",
        ),
        (
            "opens one failure late",
            changed(
                _THROUGH,
                "breaker.in_a_row >= breaker.failures",
                "breaker.in_a_row > breaker.failures",
            ),
        ),
        (
            "counts all failures, in a row or not",
            changed(
                _THROUGH,
                "    breaker.in_a_row = 0\n",
                "    if probe:\n        breaker.in_a_row = 0\n",
            ),
        ),
        (
            "stays open for good",
            changed(
                _THROUGH,
                "clock.now() < breaker.opened + breaker.cooldown or breaker.probing",
                "True",
            ),
        ),
        (
            "lets everybody through after the pause",
            changed(_THROUGH, " or breaker.probing:", ":"),
        ),
        (
            "closes when the pause is over",
            changed(
                _THROUGH,
                "        breaker.probing = True\n",
                "        breaker.opened, breaker.in_a_row, probe = None, 0, False\n",
            ),
        ),
        (
            "does not begin a second pause",
            changed(
                _THROUGH,
                "if probe or (breaker.opened is None and",
                "if (breaker.opened is None and",
            ),
        ),
        (
            "does not close again",
            changed(_THROUGH, "    breaker.opened = None\n", ""),
        ),
        (
            "closes only by the one call",
            changed(
                _THROUGH,
                "    breaker.opened = None\n",
                "    if probe:\n        breaker.opened = None\n",
            ),
        ),
        (
            "opens anew with every late failure",
            changed(_THROUGH, "if probe or (breaker.opened is None and", "if probe or ("),
        ),
        (
            "lets nobody look again after the one call was cancelled",
            changed(
                _THROUGH,
                "    finally:\n        if probe:\n            breaker.probing = False\n",
                "",
                "        breaker.in_a_row += 1\n",
                "        breaker.in_a_row += 1\n        breaker.probing = False\n",
                "    breaker.in_a_row = 0\n",
                "    breaker.in_a_row = 0\n    breaker.probing = False\n",
            ),
        ),
        (
            "counts a cancelled call as a failure",
            changed(_THROUGH, "except Exception:", "except BaseException:"),
        ),
        (
            "takes a cancelled call for one that worked",
            changed(
                _THROUGH,
                "    except Exception:",
                "    except asyncio.CancelledError:\n"
                "        breaker.in_a_row = 0\n"
                "        raise\n"
                "    except Exception:",
                "async def",
                "import asyncio\n\n\nasync def",
            ),
        ),
        (
            "closes when the one call is cancelled",
            changed(
                _THROUGH,
                "    except Exception:",
                "    except asyncio.CancelledError:\n"
                "        breaker.opened = None if probe else breaker.opened\n"
                "        raise\n"
                "    except Exception:",
                "async def",
                "import asyncio\n\n\nasync def",
            ),
        ),
        (
            "lets any late call end the one call's turn",
            changed(
                _THROUGH,
                "    finally:\n        if probe:\n            breaker.probing = False\n",
                "    finally:\n        breaker.probing = False\n",
            ),
        ),
        (
            "swallows the error",
            changed(_THROUGH, "        raise\n    finally", "        return None\n    finally"),
        ),
        (
            "calls first and refuses afterwards",
            "async def call_through(breaker, call):\n"
            "    answer = await call()\n"
            "    if breaker.opened is not None:\n"
            "        raise BreakerOpen('open')\n"
            "    return answer\n",
        ),
        (
            "gives nothing back",
            changed(_THROUGH, "    return answer\n", "    return None\n"),
        ),
        (
            "one call after the other",
            """\
import asyncio


"""
            + changed(_THROUGH, "async def call_through(", "async def alone(")
            + """\


async def call_through(breaker, call):
    if not hasattr(breaker, "line"):
        breaker.line = asyncio.Lock()
    async with breaker.line:
        return await alone(breaker, call)
""",
        ),
        (
            "keeps the turn of the one call that was cancelled",
            changed(
                _THROUGH,
                ("    finally:\n        if probe:\n            breaker.probing = False\n"),
                "",
                "        breaker.in_a_row += 1\n",
                (
                    "        breaker.in_a_row += 1\n"
                    "        breaker.probing = breaker.probing and not probe\n"
                ),
                "    breaker.in_a_row = 0\n",
                ("    breaker.in_a_row = 0\n    breaker.probing = breaker.probing and not probe\n"),
            ),
        ),
        (
            "stays open after the call that worked",
            changed(
                _THROUGH,
                "    breaker.opened = None\n",
                "    if not probe:\n        breaker.opened = None\n",
            ),
        ),
    ],
    "8.4": [
        (
            "tries for ever",
            changed(with_one, "while made < most and (", "while made < 9 and ("),
        ),
        (
            "tries once more than it may",
            changed(with_one, "while made < most and (", "while made <= most and ("),
        ),
        (
            "repeats without preparing",
            changed(
                with_one,
                "        if made:\n            await prepare(run, doing, worker, made)\n",
                "",
            ),
        ),
        (
            "prepares before the first try as well",
            changed(with_one, "        if made:\n", "        if made or doing.failure:\n"),
        ),
        (
            "always has three tries",
            changed(
                with_one,
                'most = 1 if policy.retry == "never" else policy.tries',
                "most = 3",
            ),
        ),
        (
            "tries again whatever the policy",
            changed(
                with_one,
                'most = 1 if policy.retry == "never" else policy.tries',
                "most = policy.tries",
            ),
        ),
        (
            "tries again what cannot be helped",
            changed(with_one, "helps(doing.failure)", "doing.failure is not None"),
        ),
        (
            "tries on after it worked",
            changed(with_one, "made < most and (made == 0 or helps(doing.failure))", "made < most"),
        ),
        (
            "counts everybody's tries",
            changed(
                with_one,
                "sum(each.worker == worker.name for each in doing.tries)",
                "len(doing.tries)",
            ),
        ),
        (
            "forgets the tries there were",
            changed(
                with_one,
                "sum(each.worker == worker.name for each in doing.tries)",
                "0",
            ),
        ),
        (
            "does not look at the failure there was",
            changed(
                with_one,
                "    doing.failure = doing.tries[-1].failure if doing.tries else None\n",
                "",
            ),
        ),
        (
            "goes on although it was not let through",
            changed(
                with_one,
                "        if not await through_breaker("
                "run, doing, worker, last=last, used_up=made == most):\n"
                "            return\n",
                "        await through_breaker("
                "run, doing, worker, last=last, used_up=made == most)\n",
            ),
        ),
        (
            "waits for everybody",
            changed(with_one, "last=last,", "last=True,"),
        ),
        (
            "waits for nobody",
            changed(with_one, "last=last,", "last=False,"),
        ),
        (
            "never says which try is the last",
            changed(with_one, "used_up=made == most", "used_up=False"),
        ),
        (
            "calls the last but one the last",
            changed(with_one, "used_up=made == most", "used_up=made + 1 >= most"),
        ),
        (
            "goes around the breaker",
            "async def with_one(run, doing, worker, *, last):\n"
            "    for made in range(run.boss.failure_policy.tries):\n"
            "        if made:\n"
            "            await prepare(run, doing, worker, made)\n"
            "        doing.failure = await attempt(run, doing, worker)\n"
            "        if not helps(doing.failure):\n"
            "            return\n",
        ),
        (
            "counts tries from the wrong end",
            changed(
                with_one,
                "prepare(run, doing, worker, made)",
                "prepare(run, doing, worker, most - made)",
            ),
        ),
        (
            "keeps the failure to itself",
            changed(with_one, "async def with_one(", "async def tried_with(")
            + """\


async def with_one(run, doing, worker, *, last):
    await tried_with(run, doing, worker, last=last)
    doing.failure = None
""",
        ),
        (
            "raises when the worker cannot be reached",
            changed(with_one, "async def with_one(", "async def tried_with(")
            + """\


async def with_one(run, doing, worker, *, last):
    await tried_with(run, doing, worker, last=last)
    if doing.failure and doing.failure.cause == 'unavailable':
        raise RuntimeError(doing.failure.error)
""",
        ),
        (
            "looks at the last failure only when it was another worker's",
            changed(
                with_one,
                "doing.tries[-1].failure if doing.tries else None",
                "doing.tries[-1].failure if doing.tries and not made else None",
            ),
        ),
    ],
    "8.5": [
        (
            "skips only what waits for the failed task itself",
            changed(_CASCADE, "if n in failed or n in skipped}", "if n in failed}"),
        ),
        (
            "marks only what waits for the failed task itself",
            changed(
                _CASCADE,
                "        for need in needs:\n            behind |= without.get(need, set())\n",
                "",
            ),
        ),
        (
            "stops the whole plan",
            "def cascade(plan, failing, policy):\n"
            "    if not failing:\n"
            "        return Outlook(frozenset(), frozenset(), frozenset(plan.by_id))\n"
            "    rest = frozenset(plan.by_id) - failing\n"
            "    return Outlook(frozenset(failing), rest, frozenset())\n",
        ),
        (
            "skips wave by wave",
            "from course.supervisor_worker import waves\n\n\n"
            "def cascade(plan, failing, policy):\n"
            "    done, failed, skipped = set(), set(), set()\n"
            "    for wave in waves(plan):\n"
            "        if failed and policy != 'mark':\n"
            "            skipped |= set(wave)\n"
            "            continue\n"
            "        failed |= set(wave) & failing\n"
            "        done |= set(wave) - failing\n"
            "    anew = failed | skipped if policy == 'replan' else set()\n"
            "    return Outlook(failed, skipped, done, {}, anew)\n",
        ),
        (
            "marks under every policy",
            changed(_CASCADE, 'if lost and policy != "mark":', "if False:"),
        ),
        (
            "skips under every policy",
            changed(_CASCADE, 'if lost and policy != "mark":', "if lost:"),
        ),
        (
            "lets everything fail that would",
            changed(
                _CASCADE,
                "        elif id in failing:\n",
                "        if id in failing:\n",
            ),
        ),
        (
            "plans only the failed ones anew",
            changed(
                _CASCADE, "frozenset(failed | skipped) if policy", "frozenset(failed) if policy"
            ),
        ),
        (
            "plans everything anew",
            changed(
                _CASCADE,
                "frozenset(failed | skipped) if policy",
                "frozenset(plan.by_id) if policy",
            ),
        ),
        (
            "plans anew under every policy",
            changed(
                _CASCADE,
                'frozenset(failed | skipped) if policy == "replan" else frozenset()',
                "frozenset(failed | skipped)",
            ),
        ),
        (
            "goes by the order of the list",
            changed(_CASCADE, "for id in in_order(plan):", "for id in plan.by_id:"),
        ),
        (
            "tells of gaps where there are none",
            changed(_CASCADE, " for id in answer if without[id]}", " for id in answer}"),
        ),
        (
            "counts what was skipped among the gaps",
            changed(
                _CASCADE,
                "for id in answer if without[id]}",
                "for id in without if without[id]}",
            ),
        ),
        (
            "makes the answer of what failed, too",
            changed(_CASCADE, "set(plan.by_id) - failed - skipped", "set(plan.by_id) - skipped"),
        ),
        (
            "supposes that the new plan works",
            changed(
                _CASCADE,
                "    answer = set(plan.by_id) - failed - skipped\n",
                (
                    "    anew = failed | skipped\n"
                    '    if policy == "replan":\n'
                    "        failed, skipped = set(), set()\n"
                    "    answer = set(plan.by_id) - failed - skipped\n"
                ),
                "anew=frozenset(failed | skipped) if",
                "anew=frozenset(anew) if",
            ),
        ),
        (
            "breaks on a plan without tasks",
            changed(
                _CASCADE,
                "    failed, skipped, without = set(), set(), {}\n",
                ("    failed, skipped, without = set(), set(), {}\n    plan.tasks[0]\n"),
            ),
        ),
    ],
    "8.6": [
        ("the trap itself", _TRAP),
        (
            "looks for the rewriter at the first error alone",
            changed(_MENDED, "if n and", "if n == 1 and"),
        ),
        (
            "lets a breaker off that was told nothing",
            changed(_MENDED, "told is not False", "told is True"),
        ),
        (
            "accuses whoever repeats",
            changed(_MENDED, "log[n - 1][1] is not None and ", ""),
        ),
        (
            "accuses the breaker of what worked",
            changed(_MENDED, "error is not None and told is not False", "told is not False"),
        ),
        (
            "says of every run what is wrong with the one that is shown",
            changed(_MENDED, "    return deaf\n", "    return {'breaker', 'rewriter'}\n"),
        ),
        (
            "clears the error after the breaker has heard, and before it is rewritten",
            changed(
                _TRAP,
                "        error = None\n        breaker.settle(error is None, probe=probe)\n",
                "        breaker.settle(error is None, probe=probe)\n        error = None\n",
            ),
        ),
        (
            "tells it of every try that it worked",
            changed(_MENDED, "breaker.settle(False", "breaker.settle(True"),
        ),
        (
            "gives the words for the answer",
            changed(_MENDED, "return answer, told", "return words, told"),
        ),
        (
            "gives the error where nothing came",
            changed(_MENDED, "return None, told", "return told[-1][1] if told else None, told"),
        ),
        (
            "tells of the last try alone",
            changed(
                _MENDED,
                "return answer, told",
                "return answer, told[-1:]",
                "return None, told",
                "return None, told[-1:]",
            ),
        ),
        (
            "tells the first words of every try",
            changed(
                _MENDED,
                "return answer, told",
                "return answer, [(first, error) for _, error in told]",
                "return None, told",
                "return None, [(first, error) for _, error in told]",
            ),
        ),
        (
            "tells no errors",
            changed(
                _MENDED,
                "return answer, told",
                "return answer, [(words, None) for words, _ in told]",
                "return None, told",
                "return None, [(words, None) for words, _ in told]",
            ),
        ),
        (
            "keeps an old error for the try that worked",
            changed(
                _MENDED,
                "told.append((words, None))",
                "told.append((words, told[-1][1] if told else None))",
            ),
        ),
        (
            "rewrites the first words each time",
            changed(_MENDED, "rewrite(*told[-1])", "rewrite(first, told[-1][1])"),
        ),
        (
            "keeps the first error for ever",
            changed(_MENDED, "rewrite(*told[-1])", "rewrite(words, told[0][1])"),
        ),
        (
            "never asks the breaker",
            changed(_MENDED, "probe = breaker.admit()", "probe = False"),
        ),
        (
            "tries all the same",
            changed(_MENDED, "            break\n", "            probe = False\n"),
        ),
        (
            "tells it of failures alone",
            changed(_MENDED, "            breaker.settle(True, probe=probe)\n", ""),
        ),
        (
            "makes one try more",
            changed(_MENDED, "in range(tries)", "in range(tries + 1)"),
        ),
        (
            "goes on after an answer",
            changed(
                _MENDED,
                "            return answer, told\n",
                "            seen = seen or answer\n",
                "rewrite(*told[-1])",
                "rewrite(words, told[-1][1] or 'again')",
                "return None, told",
                "return seen, told",
            ),
        ),
        (
            "lets the refusal out",
            changed(
                _MENDED,
                "        except BreakerOpen:\n            break\n",
                "        finally:\n            pass\n",
            ),
        ),
    ],
}

RIGHT = {
    "8.1": [
        (
            "in one loop, with the last try among them",
            "async def insist(call, backoff, *, key):\n"
            "    for n in range(1, backoff.tries + 1):\n"
            "        try:\n"
            "            return await call(n - 1)\n"
            "        except Exception as error:\n"
            "            if n == backoff.tries or not is_transient(error):\n"
            "                raise\n"
            "            asked = retry_after(error)\n"
            "        await asyncio.sleep(backoff.wait(n, key=key, retry_after=asked))\n",
        ),
        (
            "by calling itself",
            "async def insist(call, backoff, *, key, made=0):\n"
            "    try:\n"
            "        return await call(made)\n"
            "    except Exception as error:\n"
            "        if made + 1 >= backoff.tries or not is_transient(error):\n"
            "            raise\n"
            "        pause = backoff.wait(made + 1, key=key, retry_after=retry_after(error))\n"
            "    await asyncio.sleep(pause)\n"
            "    return await insist(call, backoff, key=key, made=made + 1)\n",
        ),
        (
            "with a counter and a flag",
            "async def insist(call, backoff, *, key):\n"
            "    made, trouble = 0, None\n"
            "    while made < backoff.tries:\n"
            "        if trouble is not None:\n"
            "            asked = retry_after(trouble)\n"
            "            await asyncio.sleep(backoff.wait(made, key=key, retry_after=asked))\n"
            "        try:\n"
            "            return await call(made)\n"
            "        except Exception as error:\n"
            "            trouble, made = error, made + 1\n"
            "            if not is_transient(error):\n"
            "                break\n"
            "    raise trouble\n",
        ),
        (
            "an object that is called, and match",
            """\
class Insist:
    async def __call__(self, call, backoff, *, key):
        made = 0
        while True:
            match await self.outcome(call, made):
                case answer, None:
                    return answer
                case _, error if made + 1 == backoff.tries or not is_transient(error):
                    raise error
                case _, error:
                    made += 1
                    asked = retry_after(error)
                    await asyncio.sleep(backoff.wait(made, key=key, retry_after=asked))

    async def outcome(self, call, made):
        try:
            return await call(made), None
        except Exception as error:
            return None, error


insist = Insist()
""",
        ),
        (
            "an async generator of tries",
            """\
async def tries(backoff, key, met):
    yield 0
    for n in range(1, backoff.tries):
        if not is_transient(met[-1]):
            break
        await asyncio.sleep(backoff.wait(n, key=key, retry_after=retry_after(met[-1])))
        yield n


async def insist(call, backoff, *, key):
    met = []
    async for made in tries(backoff, key, met):
        try:
            answer = await call(made)
        except Exception as error:
            met.append(error)
        else:
            return answer
    raise met.pop()
""",
        ),
        (
            "tasks whose errors are looked at",
            """\
from itertools import count


async def insist(call, backoff, *, key):
    for made in count():
        task = asyncio.ensure_future(call(made))
        await asyncio.wait({task})
        if (error := task.exception()) is None or not is_transient(error):
            return task.result()
        if made + 1 >= backoff.tries:
            raise error
        wait = backoff.wait(made + 1, key=key, retry_after=retry_after(error))
        asleep = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_later(wait, asleep.set_result, None)
        await asleep
""",
        ),
    ],
    "8.2": [
        (
            "with the client itself, in one message",
            "async def refine(words, failure, worker, *, client, model=SMALL, agent='refiner',\n"
            "                 **more):\n"
            "    import openai\n"
            "    told = (f'{worker.name} ({worker.description}) could not do this: {words}\\n'\n"
            "            f'It met: {failure.error}\\nSay it in another way.')\n"
            "    try:\n"
            "        answer = await client.chat.completions.create(\n"
            "            model=model, messages=[{'role': 'user', 'content': told}])\n"
            "    except openai.OpenAIError:\n"
            "        return by_hand(words, failure)\n"
            "    text = (answer.choices[0].message.content or '').strip()\n"
            "    if text.startswith('Task:'):\n"
            "        text = text[5:].strip()\n"
            "    return by_hand(words, failure) if text in ('', words) else text\n",
        ),
        (
            "in three messages, with a default",
            "async def refine(words, failure, worker, *, client, model=SMALL, agent='refiner',\n"
            "                 **more):\n"
            "    new = ''\n"
            "    messages = [\n"
            "        {'role': 'system', 'content': REFINE_INSTRUCTIONS},\n"
            "        {'role': 'user', 'content': 'The task was: ' + words},\n"
            "        {'role': 'user', 'content': f'{worker.name}, who {worker.description},'\n"
            "                                    f' says: {failure}'},\n"
            "    ]\n"
            "    try:\n"
            "        answer = await complete(client, {'model': model, 'messages': messages})\n"
            "        new = answer.message['content'] or ''\n"
            "    except ModelError:\n"
            "        pass\n"
            "    new = new.strip().removeprefix('Task:').strip()\n"
            "    return new if new not in ('', words) else by_hand(words, failure)\n",
        ),
        (
            "with its own way of adding the error",
            changed(
                refine,
                "    return new if new and new != words else by_hand(words, failure)\n",
                "    if not new or new == words:\n"
                "        return f'{words} (the last try met this: {failure.error})'\n"
                "    return new\n",
                "            return by_hand(words, failure)\n",
                "            new = ''\n",
                "        new = str(answer.message",
                "        else:\n            new = str(answer.message",
                '        step.set("switchboard.task.words", new)\n',
                "",
            ),
        ),
        (
            "an object with small methods",
            """\
class Refiner:
    async def __call__(self, words, failure, worker, *, client, model=SMALL, **named):
        new = self.bare(await self.said(words, failure, worker, client, model))
        return by_hand(words, failure) if new in {"", words} else new

    async def said(self, words, failure, worker, client, model):
        parts = {"task": words, "error": failure.error}
        parts |= {"worker": worker.name, "what it does": worker.description}
        told = "; ".join(f"{name}: {text}" for name, text in parts.items())
        body = {"model": model, "messages": [{"role": "user", "content": told}]}
        try:
            return (await complete(client, body)).message.get("content") or ""
        except ModelError:
            return ""

    @staticmethod
    def bare(text):
        return text.strip().removeprefix("Task:").strip()


refine = Refiner()
""",
        ),
        (
            "reads the answer piece by piece",
            """\
async def refine(
    words, failure, worker, *, client, model=SMALL, agent="refiner"
):
    pieces = []
    told = [words, failure.error, worker.name, worker.description]
    message = {"role": "user", "content": str(told)}
    try:
        await complete(client, dict(model=model, messages=[message]), on_text=pieces.append)
        new = "".join(pieces).strip()
        if new[:5] == "Task:":
            new = new[5:].lstrip()
        assert new and new != words
    except (ModelError, AssertionError):
        new = by_hand(words, failure)
    return new
""",
        ),
        (
            "with a regular expression, and match",
            """\
import re
from functools import partial


async def asked(make, words, failure, worker, *, client, model=SMALL, **rest):
    try:
        answer = await complete(client, make(model, words, failure, worker))
    except ModelError:
        return by_hand(words, failure)
    match re.fullmatch(r"(?s)(Task:)?(.*)", (answer.message.get("content") or "").strip()):
        case None:
            return by_hand(words, failure)
        case found:
            return {"": by_hand(words, failure), words: by_hand(words, failure)}.get(
                (new := found[2].strip()), new
            )


def body_of(model, words, failure, worker):
    lines = f"{worker.name} | {worker.description} | {words} | {failure}"
    system = {"role": "system", "content": REFINE_INSTRUCTIONS}
    return {"model": model, "messages": [system, {"role": "user", "content": lines}]}


refine = partial(asked, body_of)
""",
        ),
    ],
    "8.3": [
        ("with the end in one place", _THROUGH),
        (
            "with two small helpers",
            "async def call_through(breaker, call):\n"
            "    def shut():\n"
            "        if breaker.opened is None:\n"
            "            return False\n"
            "        return breaker.probing or clock.now() - breaker.opened < breaker.cooldown\n\n"
            "    def failed(looking):\n"
            "        breaker.in_a_row += 1\n"
            "        many = breaker.in_a_row >= breaker.failures\n"
            "        if looking or (many and breaker.opened is None):\n"
            "            breaker.opened = clock.now()\n\n"
            "    if shut():\n"
            "        raise BreakerOpen('not now')\n"
            "    looking = breaker.opened is not None\n"
            "    breaker.probing = breaker.probing or looking\n"
            "    try:\n"
            "        answer = await call()\n"
            "        breaker.in_a_row, breaker.opened = 0, None\n"
            "        return answer\n"
            "    except Exception:\n"
            "        failed(looking)\n"
            "        raise\n"
            "    finally:\n"
            "        breaker.probing = breaker.probing and not looking\n",
        ),
        (
            "with a context manager",
            "from contextlib import contextmanager\n\n\n"
            "@contextmanager\n"
            "def _looking(breaker):\n"
            "    breaker.probing = True\n"
            "    try:\n"
            "        yield\n"
            "    except Exception:\n"
            "        breaker.opened = clock.now()\n"
            "        raise\n"
            "    finally:\n"
            "        breaker.probing = False\n\n\n"
            "async def _counted(breaker, call):\n"
            "    try:\n"
            "        answer = await call()\n"
            "    except Exception:\n"
            "        breaker.in_a_row += 1\n"
            "        if breaker.opened is None and breaker.in_a_row >= breaker.failures:\n"
            "            breaker.opened = clock.now()\n"
            "        raise\n"
            "    breaker.in_a_row, breaker.opened = 0, None\n"
            "    return answer\n\n\n"
            "async def call_through(breaker, call):\n"
            "    if breaker.opened is None:\n"
            "        return await _counted(breaker, call)\n"
            "    if breaker.probing or breaker.opened + breaker.cooldown > clock.now():\n"
            "        raise BreakerOpen('it is open')\n"
            "    with _looking(breaker):\n"
            "        return await _counted(breaker, call)\n",
        ),
        (
            "an async context manager of its own",
            """\
class Turn:
    def __init__(self, breaker):
        self.breaker, self.only = breaker, breaker.opened is not None

    async def __aenter__(self):
        if self.only:
            over = clock.now() - self.breaker.opened >= self.breaker.cooldown
            if self.breaker.probing or not over:
                raise BreakerOpen("shut")
            self.breaker.probing = True

    async def __aexit__(self, kind, error, trace):
        if self.only:
            self.breaker.probing = False
        if kind is None:
            self.breaker.in_a_row, self.breaker.opened = 0, None
        elif issubclass(kind, Exception):
            self.breaker.in_a_row += 1
            many = self.breaker.in_a_row >= self.breaker.failures
            if self.only or (many and self.breaker.opened is None):
                self.breaker.opened = clock.now()


async def call_through(breaker, call):
    async with Turn(breaker):
        return await call()
""",
        ),
        (
            "states that are matched",
            """\
from enum import Enum

State = Enum("State", "CLOSED OPEN HALF")


def state_of(breaker):
    if breaker.opened is None:
        return State.CLOSED
    return State.OPEN if clock.now() < breaker.opened + breaker.cooldown else State.HALF


async def call_through(breaker, call):
    came = state_of(breaker)
    match came, breaker.probing:
        case (State.OPEN, _) | (State.HALF, True):
            raise BreakerOpen(came.name)
        case State.HALF, False:
            breaker.probing = True
    worked = None
    try:
        result = await call()
        worked = True
        return result
    except Exception:
        worked = False
        raise
    finally:
        if came is State.HALF:
            breaker.probing = False
        if worked:
            breaker.opened, breaker.in_a_row = None, 0
        if worked is False:
            breaker.in_a_row += 1
            full = breaker.in_a_row >= breaker.failures and breaker.opened is None
            breaker.opened = clock.now() if full or came is State.HALF else breaker.opened
""",
        ),
        (
            "a future that tells how it ended",
            """\
import asyncio


async def call_through(breaker, call):
    first = False
    if breaker.opened is not None:
        if breaker.probing or breaker.cooldown > clock.now() - breaker.opened:
            raise BreakerOpen("later")
        first = breaker.probing = True
    try:
        running = asyncio.ensure_future(call())
        try:
            await asyncio.wait([running])
        except asyncio.CancelledError:
            running.cancel()
            raise
        if error := running.exception():
            breaker.in_a_row = breaker.in_a_row + 1
            if first or (breaker.opened is None and breaker.in_a_row >= breaker.failures):
                breaker.opened = clock.now()
            raise error
        breaker.in_a_row, breaker.opened = 0, None
        return running.result()
    finally:
        breaker.probing = False if first else breaker.probing
""",
        ),
    ],
    "8.4": [
        (
            "as a loop over the tries that are left",
            "async def with_one(run, doing, worker, *, last):\n"
            "    policy = run.boss.failure_policy\n"
            "    most = policy.tries if policy.retry != 'never' else 1\n"
            "    own = [each for each in doing.tries if each.worker == worker.name]\n"
            "    if own:\n"
            "        doing.failure = own[-1].failure\n"
            "    for number in range(len(own), most):\n"
            "        if number > 0:\n"
            "            if not helps(doing.failure):\n"
            "                break\n"
            "            await prepare(run, doing, worker, number)\n"
            "        tried = await through_breaker(\n"
            "            run, doing, worker, last=last, used_up=number + 1 == most)\n"
            "        if not tried:\n"
            "            break\n",
        ),
        (
            "by counting down",
            "async def with_one(run, doing, worker, *, last):\n"
            "    policy = run.boss.failure_policy\n"
            "    left = policy.tries if policy.retry != 'never' else 1\n"
            "    mine = sum(1 for each in doing.tries if each.worker == worker.name)\n"
            "    left -= mine\n"
            "    if mine:\n"
            "        doing.failure = doing.tries[-1].failure\n"
            "    while left > 0:\n"
            "        if mine and not helps(doing.failure):\n"
            "            return\n"
            "        if mine:\n"
            "            await prepare(run, doing, worker, mine)\n"
            "        left, mine = left - 1, mine + 1\n"
            "        if not await through_breaker(\n"
            "                run, doing, worker, last=last, used_up=left == 0):\n"
            "            return\n",
        ),
        (
            "by looking at the case each time",
            "async def with_one(run, doing, worker, *, last):\n"
            "    policy = run.boss.failure_policy\n"
            "    most = 1 if policy.retry == 'never' else policy.tries\n"
            "    if doing.tries:\n"
            "        doing.failure = doing.tries[-1].failure\n\n"
            "    def made():\n"
            "        return len([each for each in doing.tries if each.worker == worker.name])\n\n"
            "    while made() < most:\n"
            "        if made():\n"
            "            if doing.failure is None or not helps(doing.failure):\n"
            "                return\n"
            "            await prepare(run, doing, worker, made())\n"
            "        last_try = made() + 1 == most\n"
            "        if not await through_breaker(\n"
            "                run, doing, worker, last=last, used_up=last_try):\n"
            "            return\n",
        ),
        (
            "by recursion",
            """\
async def with_one(run, doing, worker, *, last):
    policy = run.boss.failure_policy
    own = [each.failure for each in doing.tries if each.worker == worker.name]
    if own:
        doing.failure = own[-1]

    async def go_on(made, left):
        if not left or (made and not helps(doing.failure)):
            return
        if made:
            await prepare(run, doing, worker, made)
        if await through_breaker(run, doing, worker, last=last, used_up=left == 1):
            await go_on(made + 1, left - 1)

    allowed = {"never": 1}.get(policy.retry, policy.tries)
    await go_on(len(own), max(0, allowed - len(own)))
""",
        ),
        (
            "a generator of numbers",
            """\
def numbers(doing, worker, most):
    made = sum(each.worker == worker.name for each in doing.tries)
    while made < most:
        yield made, made + 1 == most
        if not helps(doing.failure):
            return
        made += 1


async def with_one(run, doing, worker, *, last):
    most = run.boss.failure_policy.tries if run.boss.failure_policy.retry != "never" else 1
    if mine := [each for each in doing.tries if each.worker == worker.name]:
        doing.failure = mine[-1].failure
        if not helps(doing.failure):
            return
    for made, used_up in numbers(doing, worker, most):
        if made > 0:
            await prepare(run, doing, worker, made)
        if not await through_breaker(run, doing, worker, last=last, used_up=used_up):
            break
""",
        ),
        (
            "an object, and an error that ends the loop",
            """\
class Over(Exception):
    pass


class WithOne:
    async def __call__(self, run, doing, worker, *, last):
        policy = run.boss.failure_policy
        self.most = {True: 1, False: policy.tries}[policy.retry == "never"]
        tries = [each for each in doing.tries if each.worker == worker.name]
        doing.failure = tries[-1].failure if tries else doing.failure
        try:
            made = len(tries)
            while True:
                await self.once(run, doing, worker, last, made)
                made += 1
        except Over:
            return None

    async def once(self, run, doing, worker, last, made):
        if made >= self.most:
            raise Over
        if made:
            if not helps(doing.failure):
                raise Over
            await prepare(run, doing, worker, made)
        final = made == self.most - 1
        if not await through_breaker(run, doing, worker, last=last, used_up=final):
            raise Over


with_one = WithOne()
""",
        ),
    ],
    "8.5": [
        ("with the gaps handed on", _CASCADE),
        (
            "by what lies downstream",
            "from course.supervisor_worker.plan import downstream\n\n\n"
            "def cascade(plan, failing, policy):\n"
            "    failed, skipped = set(failing), set()\n"
            "    if policy != 'mark':\n"
            "        for id in in_order(plan):\n"
            "            if id in failed:\n"
            "                below = set(downstream(plan, id))\n"
            "                skipped |= below\n"
            "                failed -= below\n"
            "    answer = set(plan.by_id) - failed - skipped\n"
            "    below = {id: set(downstream(plan, id)) for id in failed}\n"
            "    without = {id: {f for f in failed if id in below[f]} for id in answer}\n"
            "    without = {id: lost for id, lost in without.items() if lost}\n"
            "    anew = failed | skipped if policy == 'replan' else set()\n"
            "    return Outlook(failed, skipped, answer, without, anew)\n",
        ),
        (
            "by asking each task for what is behind it",
            "def cascade(plan, failing, policy):\n"
            "    def behind(id):\n"
            "        found = set()\n"
            "        for need in plan.by_id[id].dependencies:\n"
            "            found |= behind(need) | ({need} if need in failing else set())\n"
            "        return found\n\n"
            "    gap = {id: behind(id) for id in plan.by_id}\n"
            "    begun = {id for id in gap if policy == 'mark' or not gap[id]}\n"
            "    failed, skipped = begun & set(failing), set(gap) - begun\n"
            "    answer = begun - failed\n"
            "    return Outlook(\n"
            "        failed=frozenset(failed), skipped=frozenset(skipped),\n"
            "        answer=frozenset(answer),\n"
            "        without={id: frozenset(gap[id]) for id in answer if gap[id]},\n"
            "        anew=frozenset(failed | skipped if policy == 'replan' else ()),\n"
            "    )\n",
        ),
        (
            "with graphlib, and match",
            """\
from graphlib import TopologicalSorter


def cascade(plan, failing, policy):
    state, lost = {}, {}
    for id in TopologicalSorter({t.id: t.dependencies for t in plan.tasks}).static_order():
        needs = plan.by_id[id].dependencies
        lost[id] = set().union(*(lost[n] for n in needs), *({n} for n in needs if n in failing))
        match policy, bool(lost[id]), id in failing:
            case "skip" | "replan", True, _:
                state[id] = "skipped"
            case _, _, True:
                state[id] = "failed"
            case _:
                state[id] = "done"

    def which(*states):
        return frozenset(id for id, each in state.items() if each in states)

    return Outlook(
        which("failed"),
        which("skipped"),
        which("done"),
        {id: frozenset(lost[id]) for id in which("done") if lost[id]},
        which("failed", "skipped") if policy == "replan" else frozenset(),
    )
""",
        ),
        (
            "until nothing changes any more",
            """\
def cascade(plan, failing, policy):
    behind = {task.id: set() for task in plan.tasks}
    while True:
        before = {id: set(each) for id, each in behind.items()}
        for task in plan.tasks:
            for need in task.dependencies:
                behind[task.id] |= behind[need] | (failing & {need})
        if before == behind:
            break
    skipped = {id for id in behind if behind[id] and policy != "mark"}
    failed = {*failing} - skipped
    answer = behind.keys() - failed - skipped
    return Outlook(
        failed=failed,
        skipped=skipped,
        answer=answer,
        without={id: behind[id] for id in answer if behind[id]},
        anew=failed | skipped if policy == "replan" else set(),
    )
""",
        ),
        (
            "an object that remembers what it was asked",
            """\
from functools import cache, cached_property


class Fate:
    def __init__(self, plan, failing, policy):
        self.plan, self.failing, self.strict = plan, failing, policy != "mark"
        self.roots = cache(self.roots)

    def roots(self, id):
        needs = self.plan.by_id[id].dependencies
        return frozenset(n for n in needs if n in self.failing).union(*map(self.roots, needs))

    @cached_property
    def skipped(self):
        return frozenset(id for id in self.plan.by_id if self.strict and self.roots(id))

    @cached_property
    def failed(self):
        return frozenset(self.failing - self.skipped)


def cascade(plan, failing, policy):
    fate = Fate(plan, failing, policy)
    rest = frozenset([*plan.by_id]) - fate.failed - fate.skipped
    gaps = {id: roots for id in rest if (roots := fate.roots(id))}
    again = fate.failed | fate.skipped if policy == "replan" else frozenset()
    return Outlook(fate.failed, fate.skipped, rest, gaps, again)
""",
        ),
    ],
    "8.6": [
        ("the list of tries is all that it remembers", _MENDED),
        (
            "clears late, once both have heard",
            _UNHEARD
            + """\
async def mended(words, ask, rewrite, breaker, *, tries=4):
    told = []
    while len(told) < tries:
        answer = error = None
        try:
            probe = breaker.admit()
            answer = await ask(words)
        except BreakerOpen:
            return None, told
        except ToolError as failed:
            error = str(failed)
        breaker.settle(not error, probe=probe)
        told.append((words, error))
        if not error:
            return answer, told
        words = await rewrite(words, error)
    return None, told
""",
        ),
        (
            "one try is a function that calls the next",
            """\
def unheard(log):
    missed = [t for (w, e, t) in log if e is not None and t in (True, None)]
    pairs = [(a[0], b[0]) for a, b in zip(log[:-1], log[1:]) if a[1] is not None]
    return set(["breaker"] * bool(missed) + ["rewriter"] * any(a == b for a, b in pairs))


async def mended(words, ask, rewrite, breaker, *, tries=4):
    if tries < 1:
        return None, []
    try:
        probe = breaker.admit()
    except BreakerOpen:
        return None, []
    try:
        answer = await ask(words)
    except ToolError as refused:
        breaker.settle(False, probe=probe)
        error = str(refused)
    else:
        breaker.settle(True, probe=probe)
        return answer, [(words, None)]
    if tries == 1:
        return None, [(words, error)]
    new = await rewrite(words, error)
    answer, rest = await mended(new, ask, rewrite, breaker, tries=tries - 1)
    return answer, [(words, error), *rest]
""",
        ),
    ],
}
