"""Made-up domains for the planner and its workers: who there is, what their tools know and refuse.

No scenario of the course is among them. A request counts as right only if every fact is in the
answer and no task of the plan has failed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from course import ToolError, clock, connect
from course.runner import run
from course.supervisor import Worker
from course.supervisor_worker import PlanningSupervisor
from course.tools import tool

Year = Annotated[int | None, Field(description="the year, such as 2024")]
Facts = tuple[str, ...]


@dataclass(frozen=True)
class Crew:
    """A domain: its workers, and requests with the facts that a right answer holds."""

    name: str
    workers: tuple[Worker, ...]
    requests: tuple[tuple[str, Facts], ...]


def worker(name: str, about: str, *does: Callable[..., Any]) -> Worker:
    told = f"You are the {name}. Say only what your tools told you."
    tools = tuple(tool(each) for each in does)
    return Worker(name=name, description=about, instructions=told, tools=tools)


def outcome(crew: Crew, request: str, facts: Facts) -> str:
    """What is wrong with the answer to a request; "" when nothing is."""
    boss = PlanningSupervisor(name="chief", workers=crew.workers)
    done = clock.simulate(run(boss, request, client=connect(profile="instant")))
    if not done.results:
        return str(done.failures["decomposition"])
    failed = [f"{id}: {r.failure.error}" for id, r in done.results.items() if r.failure]
    said = re.sub(r"(?<=\d),(?=\d{3})", "", done.answer).lower()
    lacking = [
        fact for fact in facts if not re.search(rf"(?<![\w.]){re.escape(fact.lower())}", said)
    ]
    return "; ".join([*failed, *(f"not said: {fact}" for fact in lacking)])


def one_of(name: str, known: Sequence[str], what: str) -> str:
    """A name as it is known, or a refusal that says which there are."""
    found = [k for k in known if k.lower() == name.lower()]
    if not found:
        raise ToolError(f"there is no {what} '{name}'; there are {', '.join(known)}")
    return found[0]


def shelf(texts: dict[str, tuple[str, str]]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """A search and a reader over texts (id: about whom, text)."""

    def search_notes(
        query: Annotated[str, Field(description="words to find")],
        subject: Annotated[str | None, Field(description="only notes about this name")] = None,
    ) -> dict[str, Any]:
        """Search the notes for words: ids and beginnings of those that match."""
        words = [w for w in re.findall(r"[a-z]+", query.lower()) if len(w) > 2]
        rows = [
            {"note_id": id, "about": about, "begins": text[:60]}
            for id, (about, text) in texts.items()
            if any(w in f"{about} {text}".lower() for w in words)
            and (subject is None or subject.lower() in about.lower())
        ]
        if len(rows) > 3:
            names = ", ".join(sorted({row["about"] for row in rows}))
            raise ToolError(f"{len(rows)} notes match '{query}': narrow it, give subject ({names})")
        if not rows:
            raise ToolError(f"no note matches '{query}': leave a filter out, or change words")
        return {"count": len(rows), "notes": rows}

    def read_note(
        note_id: Annotated[
            str, Field(pattern=r"^N-\d+$", description="the note's id, such as N-7")
        ],
    ) -> dict[str, Any]:
        """Read one note in full by its id."""
        if note_id not in texts:
            raise ToolError(f"there is no note {note_id}: search_notes gives the ids")
        about, text = texts[note_id]
        return {"note_id": note_id, "about": about, "text": f"> {text}"}

    return search_notes, read_note


# --- an observatory ---------------------------------------------------------------------------

SCOPES = {"Orion reflector": 1.2, "Vega refractor": 0.4, "Lyra array": 2.5}
NIGHTS = {
    ("Orion reflector", 2023): 141,
    ("Orion reflector", 2024): 163,
    ("Vega refractor", 2023): 88,
    ("Vega refractor", 2024): 97,
    ("Lyra array", 2024): 120,
}
Scope = Annotated[str, Field(description="the telescope's name")]


def count_clear_nights(telescope: Scope, year: Year = None) -> dict[str, Any]:
    """Count the clear nights that a telescope was used in a year."""
    name = one_of(telescope, tuple(SCOPES), "telescope")
    years = [y for n, y in NIGHTS if n == name]
    if year is None:
        raise ToolError(f"{name} has nights of {', '.join(map(str, years))}: give the year")
    if (name, year) not in NIGHTS:
        raise ToolError(f"no nights of {name} are recorded for {year}, only {years[0]}")
    return {"telescope": name, "year": year, "clear_nights": NIGHTS[name, year]}


def compute_resolution(
    telescope: Scope,
    unit: Annotated[Literal["arcsec", "degrees"] | None, Field(description="of the angle")] = None,
) -> dict[str, Any]:
    """Calculate the resolution of a telescope from its aperture."""
    name = one_of(telescope, tuple(SCOPES), "telescope")
    if unit is None:
        raise ToolError("the resolution is an angle: give unit='arcsec' or unit='degrees'")
    angle = round(0.138 / SCOPES[name], 3)
    return {
        "telescope": name,
        "resolution": angle if unit == "arcsec" else angle / 3600,
        "in": unit,
    }


def list_bookings(telescope: Scope) -> list[dict[str, Any]]:
    """List who has booked a telescope, with project and nights."""
    name = one_of(telescope, tuple(SCOPES), "telescope")
    rows = [("Ines Calder", "comets", 12), ("Tomas Wirth", "binaries", 7)]
    return [{"telescope": name, "astronomer": a, "project": p, "nights": n} for a, p, n in rows]


OBSERVATORY = Crew(
    "observatory",
    (
        worker("nightkeeper", "counts clear nights and lists bookings", count_clear_nights,
               list_bookings),
        worker("optician", "calculates the resolution of telescopes", compute_resolution),
        worker("archivist", "searches and reads notes on repairs and instruments", *shelf({
            "N-1": ("Orion reflector", "The mirror of the Orion reflector was cleaned in May."),
            "N-2": ("Vega refractor", "The dome motor of the Vega refractor failed on 2023-11-14."),
            "N-3": ("Lyra array", "A receiver of the Lyra array was replaced in 2024."),
            "N-4": ("Lyra array", "The mirror plan of the Lyra array was dropped."),
        })),
    ),
    (
        ("How many clear nights did the Orion reflector have in 2024?", ("163",)),
        ("What is the resolution of the Vega refractor in arcsec?", ("0.345",)),
        ("When did the dome motor of the Vega refractor fail, and how many clear nights did it "
         "have in 2023? Name your sources.", ("2023-11-14", "88")),
        ("Compare the Orion reflector and the Vega refractor: clear nights in 2023; resolution in "
         "arcsec. Say what is missing.", ("141", "88", "0.115", "0.345")),
    ),
)  # fmt: skip

# --- a school kitchen -------------------------------------------------------------------------

DISHES = {"Lentil stew": (410, 2.1), "Fish pie": (560, 3.4), "Noodle bake": (610, 1.9)}
STOCK = {"rice": "140 kg", "lentils": "36 kg", "milk": "85 l"}
Dish = Annotated[str, Field(description="the dish's name")]


def compute_energy(
    dish: Dish, portions: Annotated[int | None, Field(description="how many portions")] = None
) -> dict[str, Any]:
    """Calculate the energy of a dish in kcal."""
    name = one_of(dish, tuple(DISHES), "dish")
    if portions is None:
        raise ToolError("the energy depends on how much is cooked: give portions")
    return {"dish": name, "portions": portions, "energy_kcal": DISHES[name][0] * portions}


def compute_dish_cost(dish: Dish) -> dict[str, Any]:
    """Calculate what a portion of a dish costs, in EUR."""
    name = one_of(dish, tuple(DISHES), "dish")
    return {"dish": name, "cost_euro": DISHES[name][1]}


def check_stock(
    ingredient: Annotated[str, Field(description="what is kept in the store")],
) -> dict[str, Any]:
    """Check how much of an ingredient is in the store."""
    name = one_of(ingredient, tuple(STOCK), "ingredient")
    return {"ingredient": name, "in_store": STOCK[name]}


KITCHEN = Crew(
    "school kitchen",
    (
        worker("nutritionist", "calculates the energy of dishes", compute_energy),
        worker("buyer", "says what dishes cost", compute_dish_cost),
        worker("storekeeper", "checks the stock of ingredients", check_stock),
        worker("reader", "searches and reads letters from parents and rules on allergies", *shelf({
            "N-11": ("Fish pie", "Parents ask for less salt in the fish pie."),
            "N-12": ("nuts", "Rules on allergies: no nuts in any dish since 2022-09-01."),
            "N-13": ("Noodle bake", "A parent praises the noodle bake."),
        })),
    ),
    (
        ("What does a portion of Fish pie cost in EUR?", ("3.4",)),
        ("How much energy do 200 portions of Lentil stew have?", ("82000",)),
        ("How much rice is in stock, and since when do the rules on allergies forbid nuts?",
         ("140", "2022-09-01")),
        ("Review Noodle bake and Fish pie: the energy of 50 portions; the cost of a portion in "
         "EUR. Keep it short.", ("30500", "28000", "1.9", "3.4")),
    ),
)  # fmt: skip

# --- loans between museums --------------------------------------------------------------------

LOANS = {
    "L-201": ("Blue Vase", "Harbour Museum", 12000),
    "L-202": ("Iron Mask", "Castle Hall", 8500),
}
VALUES = {("Blue Vase", 2023): 52000, ("Blue Vase", 2024): 55000, ("Iron Mask", 2024): 31000}
LoanId = Annotated[str, Field(pattern=r"^L-\d+$", description="the loan's id, such as L-201")]


def find_loan(
    object_name: Annotated[str, Field(description="the name of the object")],
) -> dict[str, Any]:
    """Find the loan of an object: id, borrower."""
    names = tuple(o for o, _, _ in LOANS.values())
    name = one_of(object_name, names, "object")
    id, row = next((i, r) for i, r in LOANS.items() if r[0] == name)
    return {"loan_id": id, "object": name, "borrower": row[1]}


def quote_premium(loan_id: LoanId) -> dict[str, Any]:
    """Calculate the insurance premium of a loan in EUR."""
    if loan_id not in LOANS:
        raise ToolError(f"there is no loan '{loan_id}'; there are {', '.join(LOANS)}")
    return {"loan": loan_id, "object": LOANS[loan_id][0], "premium_euro": LOANS[loan_id][2] // 10}


def appraise(
    object_name: Annotated[str, Field(description="the name of the object")], year: Year = None
) -> dict[str, Any]:
    """Appraise an object: what it was worth in a year, in EUR."""
    name = one_of(object_name, tuple(dict.fromkeys(n for n, _ in VALUES)), "object")
    years = [y for n, y in VALUES if n == name]
    if year not in years:
        raise ToolError(f"{name} was appraised in {', '.join(map(str, years))}: give the year")
    return {"object": name, "year": year, "value_euro": VALUES[name, int(year)]}


LOANED = Crew(
    "museum loans",
    (
        worker("registrar", "finds loans by their names, and who borrows", find_loan),
        worker("insurer", "calculates insurance premiums", quote_premium),
        worker("appraiser", "says what objects are worth", appraise),
        worker("conservator", "searches and reads reports on the state of objects", *shelf({
            "N-21": ("Blue Vase", "Report on the Blue Vase: a hairline crack, 14 mm."),
            "N-22": ("Iron Mask", "Report on the Iron Mask: rust removed in March 2024."),
        })),
    ),
    (
        ("What was the Blue Vase worth in 2024, in EUR?", ("55000",)),
        ("Who borrows the Iron Mask?", ("Castle Hall",)),
        ("What is the insurance premium of the Blue Vase in EUR?", ("1200",)),
        ("What was the Iron Mask worth in 2024, and what does the report say about its rust? "
         "Cite the report.", ("31000", "March 2024")),
    ),
)  # fmt: skip
