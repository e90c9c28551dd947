# ruff: noqa: E501 (whole answers)
"""Answers to the routing exercises of chapter 02: wrong ones, and right ones in other styles.

Each entry is (name, source of the solution cell). Every wrong one must lose exactly its exercise;
every one of `RIGHT` must pass.
"""

from __future__ import annotations

from course.evaluation.calibration import coverage_accuracy, threshold_for
from course.routing import decide
from tests.grading.changing import changed

_DECIDE = """\
async def decide(
    request, *, guess, threshold, floor, otherwise, client
):
"""

WRONG = {
    "2.4": [
        (
            "gives equal confidences a point each",
            changed(
                coverage_accuracy,
                "count == len(ranked) or ranked[count].confidence < each.confidence",
                "True",
            ),
        ),
        (
            "takes the coverage for a share of the right ones",
            changed(coverage_accuracy, "count / len(ranked)", "right / len(ranked)"),
        ),
        (
            "divides what is right by everything",
            changed(coverage_accuracy, "right / count, count", "right / len(ranked), count"),
        ),
        (
            "begins with the least sure",
            changed(coverage_accuracy, ", reverse=True", "").replace(
                "].confidence < each", "].confidence > each"
            ),
        ),
        (
            "trusts the order in which they come",
            changed(
                coverage_accuracy,
                "sorted(judged, key=lambda each: each.confidence, reverse=True)",
                "list(judged)",
            ),
        ),
        (
            "leaves out guesses at the threshold",
            "def coverage_accuracy(judged):\n"
            "    points = []\n"
            "    for threshold in sorted({e.confidence for e in judged}, reverse=True):\n"
            "        kept = [e.right for e in judged if e.confidence > threshold]\n"
            "        if kept:\n"
            "            share = len(kept) / len(judged)\n"
            "            points.append(Point(threshold, share, sum(kept) / len(kept), len(kept)))\n"
            "    return points\n",
        ),
        (
            "looks at ten thresholds of its own",
            "def coverage_accuracy(judged):\n"
            "    points = []\n"
            "    for threshold in [n / 10 for n in range(9, -1, -1)]:\n"
            "        kept = [e.right for e in judged if e.confidence >= threshold]\n"
            "        if kept:\n"
            "            share = len(kept) / len(judged)\n"
            "            points.append(Point(threshold, share, sum(kept) / len(kept), len(kept)))\n"
            "    return points\n",
        ),
        (
            "falls over when nothing was judged",
            changed(
                coverage_accuracy,
                "    points, right = [], 0\n",
                "    points, right = [], 0\n    highest = ranked[0]\n",
            ),
        ),
        (
            "swaps coverage and accuracy",
            changed(
                coverage_accuracy,
                "count / len(ranked), right / count",
                "right / count, count / len(ranked)",
            ),
        ),
        ("counts the right ones", changed(coverage_accuracy, "count, count))", "count, right))")),
        (
            "draws a point from nothing",
            changed(
                coverage_accuracy,
                "    return points",
                "    return points or [Point(1.0, 0.0, 1.0, 0)]",
            ),
        ),
    ],
    "2.5": [
        (
            "stops at the first point that is not good enough",
            "def threshold_for(judged, accuracy):\n"
            "    if not judged or not 0 <= accuracy <= 1:\n"
            '        raise ValueError("no")\n'
            "    threshold = math.inf\n"
            "    for point in coverage_accuracy(judged):\n"
            "        if point.accuracy < accuracy:\n"
            "            break\n"
            "        threshold = point.threshold\n"
            "    return threshold\n",
        ),
        (
            "takes the surest instead of the widest",
            changed(threshold_for, "good[-1].threshold", "good[0].threshold"),
        ),
        (
            "wants to be better than asked",
            changed(threshold_for, "each.accuracy >= accuracy", "each.accuracy > accuracy"),
        ),
        (
            "takes the accuracy itself for the threshold",
            changed(threshold_for, "good[-1].threshold", "accuracy"),
        ),
        (
            "trusts everything when nothing is good enough",
            changed(threshold_for, "else math.inf", "else 0.0"),
        ),
        (
            "takes a percentage",
            changed(threshold_for, "if not 0 <= accuracy <= 1:", "if False:"),
        ),
        (
            "gives the coverage",
            changed(threshold_for, "good[-1].threshold", "good[-1].coverage"),
        ),
        (
            "trusts nothing when nothing was judged",
            changed(
                threshold_for,
                'raise ValueError("nothing was judged: a threshold needs held-out sentences")',
                "return math.inf",
            ),
        ),
        (
            "rounds the accuracy",
            changed(threshold_for, "if each.accuracy >=", "if round(each.accuracy, 1) >="),
        ),
    ],
    "2.6": [
        (
            "asks at the threshold, too",
            changed(decide, "guess.confidence >= threshold", "guess.confidence > threshold"),
        ),
        ("always asks", changed(decide, "if guess.confidence >= threshold:", "if False:")),
        (
            "asks first and decides afterwards",
            f"{_DECIDE}"
            "    guessed = Route(\n"
            '        agents=(guess.label,), by="classifier", confidence=guess.confidence\n'
            "    )\n"
            "    try:\n"
            "        asked = await otherwise.choose(request, client=client)\n"
            "    except ModelError as error:\n"
            "        agents = guessed.agents if guess.confidence >= floor else ()\n"
            "        asked = Route(\n"
            '            agents=agents, by="classifier", confidence=guess.confidence, why=str(error)\n'
            "        )\n"
            "    return guessed if guess.confidence >= threshold else asked\n",
        ),
        (
            "never asks",
            changed(decide, "if guess.confidence >= threshold:", "if True:"),
        ),
        (
            "lets the model's failure out",
            changed(decide, "except ModelError", "except KeyError"),
        ),
        (
            "puts the guess in the place of nobody",
            changed(
                decide,
                "return await otherwise.choose(request, client=client)",
                "found = await otherwise.choose(request, client=client)\n"
                "        return found if found.agents else guessed",
            ),
        ),
        (
            "loses what the model cost",
            changed(
                decide,
                "return await otherwise.choose(request, client=client)",
                "found = await otherwise.choose(request, client=client)\n"
                "        return Route(agents=found.agents, by=found.by, why=found.why)",
            ),
        ),
        (
            "keeps only the first that the model names",
            changed(
                decide,
                "return await otherwise.choose(request, client=client)",
                "found = await otherwise.choose(request, client=client)\n"
                "        return Route(agents=found.agents[:1], by='model')",
            ),
        ),
        (
            "forgets the floor",
            changed(
                decide, "guessed.agents if guess.confidence >= floor else ()", "guessed.agents"
            ),
        ),
        (
            "gives up without the model",
            changed(decide, "guessed.agents if guess.confidence >= floor else ()", "()"),
        ),
        (
            "loses the reason",
            changed(decide, "why=str(error)", 'why="failed"'),
        ),
        (
            "signs the guess with the model's name",
            changed(
                decide,
                'by="classifier", confidence=guess.confidence)\n',
                'by="model", confidence=guess.confidence)\n',
            ),
        ),
        (
            "takes no answer for nobody",
            f"{_DECIDE}"
            "    if guess.confidence >= threshold:\n"
            "        return Route(\n"
            '            agents=(guess.label,), by="classifier", confidence=guess.confidence\n'
            "        )\n"
            "    try:\n"
            "        return await otherwise.choose(request, client=client)\n"
            "    except ModelError as error:\n"
            '        return Route(agents=(), by="model", why=str(error))\n',
        ),
        (
            "keeps to itself how sure it is",
            changed(
                decide,
                "return guessed\n",
                'return Route(agents=(guess.label,), by="classifier")\n',
            ),
        ),
        (
            "signs with the model's name when it fails",
            changed(decide, 'agents=agents, by="classifier"', 'agents=agents, by="model"'),
        ),
        (
            "keeps to itself what the model cost",
            "async def decide(request, *, guess, threshold, floor, otherwise, client):\n"
            '    guessed = Route(agents=(guess.label,), by="classifier", confidence=guess.confidence)\n'
            "    if guess.confidence >= threshold:\n"
            "        return guessed\n"
            "    try:\n"
            "        said = await otherwise.choose(request, client=client)\n"
            "    except ModelError as error:\n"
            "        kept = guess.confidence >= floor\n"
            "        return replace(guessed, agents=guessed.agents if kept else (), why=str(error))\n"
            "    return Route(agents=said.agents, by=said.by, confidence=said.confidence, why=said.why)\n",
        ),
    ],
}

RIGHT = {
    "2.4": [
        (
            "counts again for each confidence",
            "def coverage_accuracy(judged):\n"
            "    points = []\n"
            "    for threshold in sorted({e.confidence for e in judged}, reverse=True):\n"
            "        kept = [e.right for e in judged if e.confidence >= threshold]\n"
            "        share = len(kept) / len(judged)\n"
            "        points.append(Point(threshold, share, sum(kept) / len(kept), len(kept)))\n"
            "    return points\n",
        ),
        (
            "groups equal confidences",
            "def coverage_accuracy(judged):\n"
            "    from itertools import groupby\n"
            "    ranked = sorted(judged, key=lambda e: -e.confidence)\n"
            "    points, right, count = [], 0, 0\n"
            "    for confidence, some in groupby(ranked, key=lambda e: e.confidence):\n"
            "        for each in some:\n"
            "            right, count = right + int(each.right), count + 1\n"
            "        points.append(Point(confidence, count / len(ranked), right / count, count))\n"
            "    return points\n",
        ),
        (
            "fills a table from below and turns it round",
            "def coverage_accuracy(judged):\n"
            "    table = {}\n"
            "    for each in sorted(judged, key=lambda e: e.confidence, reverse=True):\n"
            "        right, count = list(table.values())[-1] if table else (0, 0)\n"
            "        table[each.confidence] = (right + each.right, count + 1)\n"
            "    return [\n"
            "        Point(threshold=sure, coverage=n / len(judged), accuracy=right / n, count=n)\n"
            "        for sure, (right, n) in table.items()\n"
            "    ]\n",
        ),
        (
            "numpy",
            "import numpy as np\n\n\n"
            "def coverage_accuracy(judged):\n"
            "    sure = np.array([each.confidence for each in judged])\n"
            "    right = np.array([each.right for each in judged], dtype=bool)\n"
            "    points = []\n"
            "    for threshold in np.unique(sure)[::-1]:\n"
            "        kept = sure >= threshold\n"
            "        shares = kept.mean(), right[kept].mean(), kept.sum()\n"
            "        points.append(Point(threshold, *shares))\n"
            "    return points\n",
        ),
        (
            "grouped, and added up from the top",
            "from itertools import accumulate, groupby\n\n\n"
            "def coverage_accuracy(judged):\n"
            "    key = lambda each: each.confidence\n"
            "    steps = [\n"
            "        (sure, [e.right for e in some])\n"
            "        for sure, some in groupby(sorted(judged, key=key), key)\n"
            "    ][::-1]\n"
            "    sums = accumulate(steps, lambda a, b: (b[0], a[1] + b[1]))\n"
            "    return [\n"
            "        Point(sure, len(all_) / len(judged), sum(all_) / len(all_), len(all_))\n"
            "        for sure, all_ in sums\n"
            "    ]\n",
        ),
        (
            "a generator in a class",
            "class Curve:\n"
            "    def __call__(self, judged):\n"
            "        return [*self.points(tuple(judged))]\n\n"
            "    def points(self, judged):\n"
            "        left = {each.confidence for each in judged}\n"
            "        while left:\n"
            "            left.remove(bar := max(left))\n"
            "            kept = [each.right for each in judged if not each.confidence < bar]\n"
            "            count, right = len(kept), kept.count(True)\n"
            "            yield Point(bar, count / len(judged), right / count, count)\n\n\n"
            "coverage_accuracy = Curve()\n",
        ),
    ],
    "2.5": [
        (
            "takes the smallest of those that are good enough",
            "def threshold_for(judged, accuracy):\n"
            "    if not judged:\n"
            '        raise ValueError("nothing was judged")\n'
            "    if accuracy < 0 or accuracy > 1:\n"
            '        raise ValueError("no share")\n'
            "    points = coverage_accuracy(judged)\n"
            "    good = [p.threshold for p in points if p.accuracy >= accuracy]\n"
            '    return min(good, default=float("inf"))\n',
        ),
        (
            "walks up from the widest",
            "def threshold_for(judged, accuracy):\n"
            "    if not judged or not (0 <= accuracy <= 1):\n"
            '        raise ValueError("a threshold needs guesses and a share")\n'
            "    for point in reversed(coverage_accuracy(judged)):\n"
            "        if point.accuracy >= accuracy:\n"
            "            return point.threshold\n"
            "    return math.inf\n",
        ),
        (
            "does without the curve",
            "def threshold_for(judged, accuracy):\n"
            "    if len(judged) == 0 or accuracy != min(1, max(0, accuracy)):\n"
            '        raise ValueError("no")\n'
            "    best = math.inf\n"
            "    for limit in {e.confidence for e in judged}:\n"
            "        kept = [e.right for e in judged if e.confidence >= limit]\n"
            "        if sum(kept) >= accuracy * len(kept) - 1e-12:\n"
            "            best = min(best, limit)\n"
            "    return best\n",
        ),
        (
            "numpy's infinity and a reduction",
            "import numpy as np\n\n\n"
            "def threshold_for(judged, accuracy):\n"
            "    if len(judged) == 0 or accuracy < 0 or accuracy > 1:\n"
            "        raise ValueError(accuracy)\n"
            "    curve = coverage_accuracy(judged)\n"
            "    good = [p.threshold for p in curve if p.accuracy >= accuracy]\n"
            "    return np.min([np.inf, *good])\n",
        ),
        (
            "match and a default",
            "class NoShare(ValueError):\n"
            "    pass\n\n\n"
            "def threshold_for(judged, accuracy):\n"
            "    match judged, accuracy:\n"
            "        case [], _:\n"
            "            raise NoShare('nothing')\n"
            "        case _, share if not 0 <= share <= 1:\n"
            "            raise NoShare(share)\n"
            "    reaching = (p for p in reversed(coverage_accuracy(judged)) if p.accuracy >= accuracy)\n"
            "    return next((p.threshold for p in reaching), float('inf'))\n",
        ),
        (
            "counts for itself",
            "def threshold_for(judged, accuracy):\n"
            "    assert_share(judged, accuracy)\n\n"
            "    def good(bar):\n"
            "        kept = [each.right for each in judged if each.confidence >= bar]\n"
            "        return sum(kept) / len(kept) >= accuracy\n\n"
            "    return min(filter(good, {e.confidence for e in judged}), default=math.inf)\n\n\n"
            "def assert_share(judged, accuracy):\n"
            "    try:\n"
            "        assert judged and 0 <= accuracy <= 1\n"
            "    except AssertionError:\n"
            "        raise ValueError('no guesses, or no share') from None\n",
        ),
    ],
    "2.6": [
        (
            "asks in a branch",
            f"{_DECIDE}"
            "    if guess.confidence < threshold:\n"
            "        try:\n"
            "            found = await otherwise.choose(request, client=client)\n"
            "        except ModelError as error:\n"
            "            agents = (guess.label,) if guess.confidence >= floor else ()\n"
            "            return Route(\n"
            "                agents=agents,\n"
            '                by="classifier",\n'
            "                confidence=guess.confidence,\n"
            "                why=str(error),\n"
            "            )\n"
            "        else:\n"
            "            return found\n"
            "    sure = guess.confidence\n"
            '    return Route(agents=(guess.label,), by="classifier", confidence=sure)\n',
        ),
        (
            "keeps the error for later",
            f"{_DECIDE}"
            "    least, why = threshold, ''\n"
            "    if guess.confidence < threshold:\n"
            "        try:\n"
            "            return await otherwise.choose(request, client=client)\n"
            "        except ModelError as trouble:\n"
            "            least, why = floor, f'without the model: {trouble}'\n"
            "    names = (guess.label,) if guess.confidence >= least else ()\n"
            "    sure = guess.confidence\n"
            "    return Route(agents=names, by='classifier', confidence=sure, why=why)\n",
        ),
        (
            "changes the guess's route",
            f"{_DECIDE}"
            "    from dataclasses import replace\n"
            "    sure = guess.confidence\n"
            "    mine = Route(agents=(guess.label,), by='classifier', confidence=sure)\n"
            "    if not guess.confidence >= threshold:\n"
            "        try:\n"
            "            asked = otherwise.choose(request, client=client)\n"
            "            return await asked\n"
            "        except ModelError as error:\n"
            "            mine = replace(mine, why=str(error))\n"
            "            if guess.confidence < floor:\n"
            "                mine = replace(mine, agents=())\n"
            "    return mine\n",
        ),
        (
            "match",
            f"{_DECIDE}"
            "    told = dict(by='classifier', confidence=guess.confidence)\n"
            "    match guess.confidence:\n"
            "        case sure if sure >= threshold:\n"
            "            return Route(agents=(guess.label,), **told)\n"
            "    try:\n"
            "        found = await otherwise.choose(request, client=client)\n"
            "    except ModelError as error:\n"
            "        told['why'] = f'{error}'\n"
            "        found = Route(agents=(guess.label,) * (guess.confidence >= floor), **told)\n"
            "    return found\n",
        ),
        (
            "an object that is called",
            "import asyncio\n\n\n"
            "class Decision:\n"
            "    async def __call__(\n"
            "        self, request, *, guess, threshold, floor, otherwise, client\n"
            "    ):\n"
            "        if self.trusts(guess, threshold):\n"
            "            return self.route(guess)\n"
            "        task = asyncio.ensure_future(\n"
            "            otherwise.choose(request, client=client)\n"
            "        )\n"
            "        await asyncio.wait([task])\n"
            "        error = task.exception()\n"
            "        if isinstance(error, ModelError):\n"
            "            return self.route(guess, self.trusts(guess, floor), str(error))\n"
            "        return task.result()\n\n"
            "    def trusts(self, guess, bar):\n"
            "        return not guess.confidence < bar\n\n"
            "    def route(self, guess, taken=True, why=''):\n"
            "        agents = (guess.label,) if taken else ()\n"
            "        return Route(\n"
            "            agents=agents, by='classifier', confidence=guess.confidence, why=why\n"
            "        )\n\n\n"
            "decide = Decision()\n",
        ),
        (
            "gathers the exception",
            "import asyncio\n\n\n"
            f"{_DECIDE}"
            "    def by_guess(bar, why=''):\n"
            "        names = [guess.label] if guess.confidence >= bar else []\n"
            "        told = dict(by='classifier', confidence=guess.confidence, why=why)\n"
            "        return Route(agents=tuple(names), **told)\n\n"
            "    sure = by_guess(threshold)\n"
            "    if sure.agents:\n"
            "        return sure\n"
            "    asked = otherwise.choose(request, client=client)\n"
            "    [found] = await asyncio.gather(asked, return_exceptions=True)\n"
            "    if isinstance(found, ModelError):\n"
            "        return by_guess(floor, str(found))\n"
            "    return found\n",
        ),
    ],
}
