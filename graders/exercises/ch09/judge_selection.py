"""Exercise 9.5: a judge chooses among answers, and none wins by its place."""

from __future__ import annotations

from course.supervisor_worker.selecting import turned
from graders.exercises.kit import *
from graders.records.verdict import passed
from graders.records.wording import bars, clip, count, fail, sealed

_STAGE = """
from course.errors import ModelError


async def stage(bench, student):
    given = bench.params

    async def chosen(candidates):
        try:
            return await student.select(
                given["task"], candidates, client=bench.client, votes=given["votes"]
            )
        except (ModelError, ValueError) as error:
            return type(error).__name__

    if "equal" in given:
        return {"equal": await chosen(given["equal"]), "other": await chosen(given["candidates"])}
    return await chosen(given["candidates"])
"""
SECONDS = 3.0
"""How long the judge takes for a vote."""
_LINE = re.compile(r"^\[([A-Z])\]: (.*)$", re.MULTILINE)
_HEDGES = ("I think it is a lot.", "Half a million, perhaps.", "Ask the harbour.", "It depends.")
Votes = Callable[[int, list[tuple[str, str]]], str]
"""What a judge answers to vote n, which shows these letters and answers."""


def shown(request: Any) -> list[tuple[str, str]]:
    """The letters and answers that a request shows to the judge."""
    return _LINE.findall(str(request["messages"][-1]["content"]))


def _letter(letter: str) -> str:
    return json.dumps({"reason": "it is the best one", "best": letter})


def _good(number: int, answers: list[tuple[str, str]]) -> str:
    """Takes the answer with a source."""
    return _letter(next((a for a, text in answers if "accounts" in text), "A"))


def _first(number: int, answers: list[tuple[str, str]]) -> str:
    """Takes what is shown first."""
    return _letter(answers[0][0])


def _last(number: int, answers: list[tuple[str, str]]) -> str:
    """Takes what is shown last."""
    return _letter(answers[-1][0])


def _torn(number: int, answers: list[tuple[str, str]]) -> str:
    """Every other vote goes to the answer with a source, the others to what comes first."""
    return _good(number, answers) if number % 2 else _first(number, answers)


def _confused(number: int, answers: list[tuple[str, str]]) -> str:
    """Only the second vote chooses an answer at all."""
    return _good(number, answers) if number == 1 else ("I cannot say.", _letter("Z"))[number % 2]


def _lost(number: int, answers: list[tuple[str, str]]) -> str:
    """No vote chooses an answer."""
    return ("B is best", '{"best": "Z"}', "[]")[number % 3]


def _candidates(draw: random.Random, many: int, good: int, *doubles: int) -> list[str]:
    """Answers with a sourced one at `good`; `doubles` are the places of copies of the first."""
    made = draw.sample(_HEDGES, many) if many <= len(_HEDGES) else list(_HEDGES)
    made[good] = f"{draw.randrange(200, 700)},000 EUR (accounts A-{draw.randrange(10, 99)})."
    for place in doubles:
        made[place] = made[0]
    return made


def _world(
    votes: Votes, many: int, good: int, *doubles: int, asked: int = 3, takes: float = SECONDS
) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        def says(ask: Ask) -> Answer:
            assert ask.request is not None
            return Answer(votes(ask.number, shown({"messages": ask.request.messages})),
                          seconds=takes)  # fmt: skip

        candidates = _candidates(draw, many, good, *doubles) if many else []
        task = f"What did boat {draw.randrange(10, 99)} cost?"
        return Scenario((), says, {"task": task, "candidates": candidates, "votes": asked})

    return world


def _all_equal(draw: random.Random) -> Scenario:
    """Three equal answers, about which nobody need be asked; and then two that differ."""
    world = _world(_good, 2, 1)(draw)
    return replace(world, params={**world.params, "equal": [draw.choice(_HEDGES)] * 3})


def _none_after_one(draw: random.Random) -> Scenario:
    """One answer, and then none at all."""
    world = _world(_good, 0, 0)(draw)
    return replace(world, params={**world.params, "equal": [draw.choice(_HEDGES)]})


def _distinct(world: Scenario) -> list[str]:
    return list(dict.fromkeys(world.params["candidates"]))


def elected(log: Log, world: Scenario) -> int | str:
    """What the votes that were given come to: an index, or the error's name."""
    heard: dict[str, int] = {}
    for each in log.requests():
        chosen = _meant(each)
        if chosen is not None:
            heard[chosen] = heard.get(chosen, 0) + 1
    if not heard:
        return "ModelError"
    distinct = _distinct(world)
    best = min(heard, key=lambda text: (-heard[text], distinct.index(text)))
    return int(world.params["candidates"].index(best))


def _meant(exchange: Exchange) -> str | None:
    """The text that a vote chose."""
    try:
        best = json.loads(str(exchange.reply["text"]))["best"]
        return dict(shown(exchange.request)).get(best)
    except (ValueError, KeyError, TypeError):
        return None


def _turned(world: Scenario) -> Check:
    """Each vote shows the answers begun elsewhere, and at the same time as the others."""
    distinct, votes = _distinct(world), world.params["votes"]
    places = [turned(range(len(distinct)), by=vote) for vote in range(votes)]
    orders = sorted([distinct[n] for n in order] for order in places)

    @sealed
    def check(log: Log) -> Verdict:
        came = sorted([text for _, text in shown(each.request)] for each in log.requests())
        if came == orders:
            return passed()
        firsts = len({each[0] for each in came if each})
        return fail(
            "select.order",
            expected=f"{count(votes, 'vote')}, each begun with another of {len(distinct)} answers",
            got=f"got {count(len(came), 'vote')}, of which {firsts} began differently",
            look="look at the order in which each vote shows the answers, without doubles",
            evidence=bars(log.exchanges),
        )

    return check


def _named(world: Scenario) -> Check:
    """Each vote goes out in the judge's name."""

    @sealed
    def check(log: Log) -> Verdict:
        for each in log.requests():
            if each.key.agent != "judge":
                return fail(
                    "select.agent",
                    expected="each vote to go out in the judge's name",
                    got=f"got the agent '{clip(each.key.agent, 20)}'",
                    look="look at the agent that you give to ask_judge",
                    evidence=bars(log.exchanges, [each.number]),
                )
        return passed()

    return check


_BACK = "which answer a vote means: its place is that in the list it was shown"


def _each_named(world: Scenario) -> list[Check]:
    told = [
        history(keeps=(world.params["task"],), which=vote) for vote in range(world.params["votes"])
    ]
    return [*_chosen(_BACK)(world), *told, _named(world)]


def _chosen(look: str) -> Checks:
    def checks(world: Scenario) -> list[Check]:
        right = equals(lambda log: elected(log, world), look=f"look at {look}")
        asked = within(requests=world.params["votes"], reached=True)
        return [asked, _turned(world), right]

    return checks


def _once_asked(world: Scenario) -> list[Check]:
    """The judge is asked about the answers that differ, and about no others."""
    look = "look at how many answers are left without doubles"
    return [
        within(requests=world.params["votes"], reached=True, look=look),
        equals(lambda log: {"equal": 0, "other": elected(log, world)}, look=look),
    ]


def _none_given(world: Scenario) -> list[Check]:
    look = "look at what is raised without any candidate"
    return [within(requests=0), equals({"equal": 0, "other": "ValueError"}, look=look)]


def _trial(title: str, worlds: Sequence[Any], points: float) -> Trial:
    world, checks = worlds
    return Trial(title, _STAGE, world, checks, points)


def _together(world: Scenario) -> list[Check]:
    return [within(requests=world.params["votes"], reached=True), within(ended_by=1.5 * SECONDS)]


SELECT = Exercise(
    "9.5", ("select",), (
        _trial("shows each vote another answer first, and counts what the votes mean",
               (_world(_good, 4, 2, asked=4), _each_named), 0.5),
        _trial("lets most votes win, and the earlier answer among equals",
               (_world(_last, 3, 1), _chosen("the answer of which there are as many votes")), 0.25),
        _trial("lets the majority win over a taste for the first",
               (_world(_torn, 3, 2, asked=8), _chosen("how the votes are counted")), 0.25),
        _trial("asks all votes at the same time", (_world(_good, 3, 0), _together), 0.5),
        _trial("takes equal answers for one",
               (_world(_good, 4, 3, 2), _chosen("the index: it is the place in the candidates")),
               0.5),
        _trial("asks nobody when there is one answer", (_all_equal, _once_asked), 0.25),
        _trial("counts only votes that chose something",
               (_world(_confused, 3, 1), _chosen("a vote that is None")), 0.25),
        _trial("says that no vote chose anything",
               (_world(_lost, 3, 1), _chosen("what is raised when no vote counts")), 0.25),
        _trial("says that there is nothing to choose from", (_none_after_one, _none_given), 0.25),
    ),
    builds_on={
        "turned": "course.supervisor_worker.selecting:turned",
        "ask_judge": "course.supervisor_worker.selecting:ask_judge",
    },
    places={
        "": "the place of the chosen candidate",
        "equal": "the place of the chosen one of equal candidates",
        "other": "the place of the chosen one of different candidates",
    },
    finished={"select": "course.supervisor_worker.selecting:select"},
)  # fmt: skip
