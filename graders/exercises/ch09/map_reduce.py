"""Exercise 9.4: results become notes, level by level, until they fit; seen at the model."""

from __future__ import annotations

from course.models.tokens import count_text
from course.supervisor_worker.aggregate import SHARE, batches, size, together
from graders.checks import built_from
from graders.exercises.kit import *
from graders.records.verdict import passed
from graders.records.wording import bars, count, fail, sealed, seconds

STAGE = """
from course.errors import ModelError
from course.contradictions import Contradiction
from course.results import Gap
from course.supervisor_worker.aggregate import Material


async def reduced(bench, student, results):
    given = bench.params
    material = Material(
        request=given["request"], instruction="In one line.", results=results,
        gaps=(Gap("z9", "Ask the moon", "worker: it is silent", ("z8",)),),
        contradictions=(Contradiction("fare", (("z1", "4 EUR"), ("z2", "5 EUR"))),),
    )
    return await student.reduce(material, client=bench.client, context_tokens=given["window"])


async def stage(bench, student):
    try:
        made = await reduced(bench, student, bench.params["results"])
    except ModelError:
        return {"raised": "ModelError"}
    told = {
        "results": dict(made.results),
        "rest": [made.request, made.instruction, list(map(str, made.gaps)),
                 list(map(str, made.contradictions))],
    }
    if "long" in bench.params:
        told["long"] = dict((await reduced(bench, student, bench.params["long"])).results)
    return told
"""
_REST = (
    "In one line.",
    ["z9 (Ask the moon): worker: it is silent. It was needed for z8."],
    ["The results disagree on fare: 4 EUR (z1) and 5 EUR (z2)."],
)
SECONDS = 2.0
"""How long the model takes for a note."""
_STANDS = re.compile(r"\b[a-z]\d is \d+\b")
_FILLER = (
    "The gulls were loud.", "Nobody fell into the water.", "The cook made soup with too much salt.",
    "A flag was torn by the wind.", "Somebody left an umbrella on the upper deck.",
)  # fmt: skip
_MORE = ("and so on", "and much more")
"""With what the notes of the first two levels are filled."""
Results = dict[str, str]


def _results(draw: random.Random, many: int, length: int, every: int = 1) -> Results:
    """Texts of so many sentences, with a figure in `every` so manyth of them."""
    made = {}
    for place, id in enumerate(names(draw, many)):
        told = [draw.choice(_FILLER) for _ in range(length)]
        if place % every == 0:
            told.insert(draw.randrange(length), f"Here {id} is {draw.randrange(100, 1000)}.")
        made[f"{id} (crew)"] = " ".join(told)
    return made


def _filled(note: str, room: int, more: str) -> str:
    """A note with as many words of no use as its room takes."""
    while count_text(longer := f"{note} {more}") <= room:
        note = longer
    return note


def _text(exchange: Exchange) -> str:
    return str(exchange.request["messages"][-1]["content"])


def _world(
    many: int,
    window: int,
    *,
    length: int = 9,
    wordy: int = 0,
    every: int = 1,
    broken: bool = False,
    long: int = 0,
) -> ScenarioMaker:
    """A model that keeps every figure in its notes, beside a fresh word; or breaks at one batch.

    A wordy one fills the notes of so many levels up to their room, so that they do not fit
    together either. There is a figure in `every` so manyth result. Beside the results there may be
    so many `long` ones, which are reduced after them.
    """

    def world(draw: random.Random) -> Scenario:
        results = _results(draw, many, length, every)

        def says(ask: Ask) -> Answer:
            assert ask.request is not None
            text = str(ask.request.messages[-1]["content"])
            if broken:
                refusal = ApiError(400, "no")
                return Answer(error=refusal) if ask.number == 1 else Answer(never=True)
            note = f"{ask.token}: {'; '.join(_STANDS.findall(text))}"
            level = sum(more in text for more in _MORE)
            if level < wordy:
                note = _filled(note, window // SHARE, _MORE[level])
            return Answer(note, seconds=SECONDS)

        params = {
            "results": results,
            "window": window,
            "request": f"What is where on trip {draw.randrange(10, 99)}?",
        }
        if long:
            params["long"] = _results(draw, long, 9)
        return Scenario((), says, params)

    return world


def _parts(world: Scenario) -> list[dict[str, str]]:
    return batches(world.params["results"], world.params["window"])


def _batch_of(world: Scenario) -> Callable[[Exchange], str | None]:
    """Which batch of the first level a request holds: the results stand in it as they are."""
    parts = _parts(world)

    def key(exchange: Exchange) -> str | None:
        text = _text(exchange) if exchange.kind == "model" else ""
        held = [n for n, part in enumerate(parts) if all(each in text for each in part.values())]
        return f"batch {held[0] + 1}" if len(held) == 1 else None

    return key


def _labels(world: Scenario) -> list[str]:
    return [f"batch {n + 1}" for n in range(len(_parts(world)))]


def _figures(results: Mapping[str, str]) -> set[str]:
    return {each for text in results.values() for each in _STANDS.findall(text)}


def _rooms(world: Scenario) -> Check:
    """Every note was asked for with the room that it has."""
    room = world.params["window"] // SHARE

    @sealed
    def check(log: Log) -> Verdict:
        other = [e for e in log.requests() if e.request.get("max_completion_tokens") != room]
        if not other:
            return passed()
        return fail(
            "reduce.room",
            expected=f"every note to have a room of {room} tokens",
            got=f"but {count(len(other), 'request')} allowed"
            f" {other[0].request.get('max_completion_tokens')}",
            look="look at the room that you give to condense: a share of the window",
            evidence=bars(log.exchanges, [e.number for e in other]),
        )

    return check


def _short(world: Scenario, name: str) -> Callable[[Any], bool]:
    """Whether these results fit now, and no figure is lost."""
    window, figures = world.params["window"], _figures(world.params[name])
    said = f"results of at most {window} tokens with all {len(figures)} figures"
    return such_that(said, lambda found: size(found) <= window and _figures(found) == figures)


def _whole(world: Scenario) -> Check:
    """Nothing but the results has changed, no figure is lost, and the rest fits."""
    instruction, gaps, clashes = _REST
    rest = [world.params["request"], instruction, gaps, clashes]
    return fits(
        {"results": _short(world, "results"), "rest": rest},
        look="look at what becomes of the notes, and of everything that is no result",
    )


def _untouched(world: Scenario) -> list[Check]:
    """Notes are made of the long results, and of no others."""
    notes = len(batches(world.params["long"], world.params["window"]))
    return [
        within(requests=notes, look="look at what fits already"),
        equals(world.params["results"], at="results", look="look at what fits already"),
        _whole(world),
        fits({"long": _short(world, "long")}, look="look at what does not fit"),
    ]


def _one_level(world: Scenario) -> list[Check]:
    key, labels = _batch_of(world), _labels(world)
    places = dict(zip(labels, map(together, _parts(world)), strict=True))
    return [
        within(requests=len(labels), reached=True),
        built_from(key, labels, at="results", ordered=True, places=places),
        _rooms(world),
        _whole(world),
    ]


def _at_once(world: Scenario) -> list[Check]:
    return [parallel(_batch_of(world), _labels(world), what="a note"), _later_at_once]


@sealed
def _later_at_once(log: Log) -> Verdict:
    """Notes that are made of notes of the same level begin at the same time, too."""
    level: dict[int, int] = {}
    first: dict[int, float] = {}
    for each in log.requests():
        text = _text(each)
        within = (level[e.number] for e in log.requests() if e.number in level and e.token in text)
        level[each.number] = mine = 1 + max(within, default=0)
        if each.start > first.setdefault(mine, each.start):
            return fail(
                "reduce.one_at_a_time",
                expected=f"all notes of level {mine} to be asked for at the same time",
                got=f"but one was asked for {seconds(each.start - first[mine])} after the first",
                look="look at how each level is read",
                evidence=bars(log.exchanges, [each.number]),
            )
    return passed()


def _many_levels(world: Scenario) -> list[Check]:
    """The first level's notes are what the next one reads, and what comes out fits."""

    @sealed
    def passed_on(log: Log) -> Verdict:
        first = [e for e in log.requests() if _batch_of(world)(e)]
        later = " ".join(_text(e) for e in log.requests() if e not in first)
        lost = [e for e in first if e.token not in later]
        if first and not lost:
            return passed()
        return fail(
            "reduce.not_passed_on",
            expected="the notes of the first level to be put together again",
            got=f"but {count(len(lost), 'note')} went no further",
            look="look at the loop: the notes may be too long together as well",
            evidence=bars(log.exchanges, [e.number for e in lost]),
        )

    def labelled(log: Log) -> dict[str, Any]:
        labels = _labels_of(world, log)
        under = such_that(f"notes under {' and '.join(labels)}", lambda found: [*found] == labels)
        return {"results": under}

    look = "look at the label of a note that is made of notes"
    return [passed_on, _rooms(world), _whole(world), fits(labelled, look=look)]


def _labels_of(world: Scenario, log: Log) -> list[str]:
    """Under what the notes of the last level stand, made by the notes of those before it."""
    results, window = world.params["results"], world.params["window"]
    while size(results) > window:
        parts = batches(results, window)
        asked = [
            next(
                (e for e in log.requests() if all(each in _text(e) for each in part.values())), None
            )
            for part in parts
        ]
        results = {
            together(part): str(e.reply["text"]) if e else ""
            for part, e in zip(parts, asked, strict=True)
        }
    return list(results)


def _broke(world: Scenario) -> list[Check]:
    return [fits({"raised": "ModelError"}, look="look at what becomes of an error of the model")]


REDUCE = Exercise(
    "9.4", ("reduce",), (
        Trial("asks no model about what fits", STAGE, _world(4, 400, length=3, long=12), _untouched,
              0.5),
        Trial("makes a note of each batch, and loses nothing", STAGE, _world(12, 400), _one_level),
        Trial("reads the batches of a level at the same time", STAGE,
              _world(24, 240, length=12, wordy=1), _at_once),
        Trial("goes on until the notes fit", STAGE, _world(30, 320, length=16, wordy=2, every=4),
              _many_levels),
        Trial("ends with the model's error", STAGE, _world(12, 400, broken=True), _broke, 0.5),
    ),
    builds_on={name: f"course.supervisor_worker.aggregate:{name}" for name in ("fits", "batches")},
    places={
        "raised": "the error",
        "results": "the results",
        "results.*": "the text for result {}",
        "long": "the results that were too long",
        "rest": "the rest of the material",
        "rest.*": "the {} part of the rest of the material",
    },
    finished={"reduce": "course.supervisor_worker.aggregate:reduce"},
)  # fmt: skip
