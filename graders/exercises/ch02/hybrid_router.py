"""Exercise 2.6: a hybrid router's decision, with a model that may be asked and may fail."""

from __future__ import annotations

from graders.checks import by_text, made
from graders.exercises.kit import *

_STAGE = """
from course.routing import Guess, ModelRouter


async def stage(bench, student):
    router = ModelRouter(bench.params["choices"])
    routes = []
    for each in bench.params["cases"]:
        found = await student.decide(
            each["request"],
            guess=Guess(each["label"], each["confidence"]),
            threshold=bench.params["threshold"],
            floor=bench.params["floor"],
            otherwise=router,
            client=bench.client,
        )
        told = {"agents": list(found.agents), "by": found.by, "why": found.why}
        cost = {"confidence": found.confidence, "tokens": found.usage.total}
        routes.append({**told, **cost})
    return routes
"""
_DESKS = ("billing", "booking", "lost property", "complaints", "parking", "catering")
_REQUESTS = (
    "What about the other day?",
    "I was told to call you.",
    "It is about my visit.",
    "Can somebody have a look?",
    "They sent me to you.",
)
_GONE = ApiError(404, "the model is gone", code="model_not_found")


@dataclass(frozen=True)
class Turn:
    """One request: how sure the guess is, and what the model would say to it.

    `sure` is "above", "at" or "below" the threshold; "at floor" or "under floor". `says` is what
    the model's route names: how many desks, "nonsense", or "gone" for no answer at all.
    """

    sure: str
    says: int | str


def _confidences(draw: random.Random) -> dict[str, float]:
    threshold = draw.randrange(70, 90) / 100
    floor = draw.randrange(25, 45) / 100
    return {
        "above": min(0.99, threshold + draw.randrange(3, 10) / 100),
        "at": threshold,
        "below": threshold - draw.randrange(1, 15) / 100,
        "at floor": floor,
        "under floor": floor - draw.randrange(2, 12) / 100,
    }


def _turns(*turns: Turn) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        sure = _confidences(draw)
        cases = []
        for turn, request in zip(turns, draw.sample(_REQUESTS, len(turns)), strict=True):
            label, *others = draw.sample(_DESKS, 4)
            says = others[: turn.says] if isinstance(turn.says, int) else turn.says
            case = {"request": request, "label": label, "confidence": sure[turn.sure]}
            cases.append({**case, "says": says, "asks": turn.sure not in ("above", "at")})
        params = {
            "threshold": sure["at"],
            "floor": sure["at floor"],
            "choices": {desk: f"whatever is about {desk}" for desk in _DESKS},
            "cases": [
                {key: each[key] for key in ("request", "label", "confidence")} for each in cases
            ],
        }
        return Scenario((), _Model(tuple(cases)), params)

    return world


@dataclass(frozen=True)
class _Model:
    """The model of a world: what it says to each of the requests, which no student's code sees."""

    cases: tuple[dict[str, Any], ...]

    def __call__(self, ask: Ask) -> Answer:
        assert ask.request is not None
        asked = str(ask.request.messages[-1].get("content"))
        said = next((each["says"] for each in self.cases if each["request"] in asked), "nonsense")
        if said == "gone":
            return Answer(error=_GONE, seconds=0.5)
        if said == "nonsense":
            return Answer(f"Hard to say, {ask.token}.", seconds=0.5)
        return Answer(json.dumps({"agents": said}), seconds=0.5)


def _cases(world: Scenario) -> tuple[dict[str, Any], ...]:
    assert isinstance(world.model, _Model)
    return world.model.cases


def _routes(world: Scenario) -> list[dict[str, Any]]:
    """What should come out, by the rules of the exercise."""
    wanted: list[dict[str, Any]] = []
    for each in _cases(world):
        guessed: dict[str, Any] = {
            "agents": [each["label"]],
            "by": "classifier",
            "confidence": each["confidence"],
        }
        if each["asks"] and isinstance(each["says"], list):
            wanted.append({"agents": each["says"], "by": "model", "confidence": None})
        elif each["asks"]:
            kept = each["confidence"] >= world.params["floor"]
            why = such_that("the text of the error", lambda text: "route" in text or "gone" in text)
            wanted.append({**guessed, "agents": [each["label"]] if kept else [], "why": why})
        else:
            wanted.append({**guessed, "why": ""})
    return wanted


def _decided(look: str) -> Checks:
    def checks(world: Scenario) -> list[Any]:
        cases = _cases(world)
        key = by_text({each["request"]: each["request"] for each in cases}, part="last")
        asked = [each["request"] for each in cases if each["asks"]]
        return [
            made(key, asked, what="a question to the model"),
            fits(lambda log: _routes(world), look=f"look at {look}"),
        ]

    return checks


def _whole(world: Scenario) -> list[Any]:
    """The model's word comes back whole, what it cost included."""
    cost = [{"tokens": such_that("what the model cost", bool)} for _ in _cases(world)]
    look = "what you make of the model's route"
    return [*_decided(look)(world), fits(cost, look=f"look at {look}")]


DECIDE = Exercise(
    "2.6", ("decide",), (
        Trial("asks the model where the guess is below the threshold, and nowhere else", _STAGE,
              _turns(Turn("above", 1), Turn("below", 1), Turn("at", 1)),
              _decided("how the confidence is compared with the threshold")),
        Trial("takes the model's word, whether it names one, several or nobody", _STAGE,
              _turns(Turn("below", 2), Turn("below", 0), Turn("under floor", 1)), _whole),
        Trial("goes on without the model: the guess down to the floor, and nobody below it", _STAGE,
              _turns(Turn("below", "gone"), Turn("at floor", "nonsense"),
                     Turn("under floor", "gone")),
              _decided("what you do when asking raises ModelError")),
    ),
    places={
        "*": "the {} route",
        "*.agents": "`agents` of the {} route",
        "*.tokens": "the tokens in the `usage` of the {} route",
    },
    finished={"decide": "course.routing.choosers:decide"},
)  # fmt: skip
