"""More made-up domains with hard requests, written after the rules were made for `crews_3`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from course.errors import ToolError
from tests.policy.crews import Crew, Year, one_of, shelf, worker

# --- solar parks ------------------------------------------------------------------------------

PARKS = {
    "S-301": ("Heron Field", 4200, 38),
    "S-302": ("Dry Creek", 9100, 82),
    "S-303": ("Owl Ridge", 2600, 21),
}
OUTPUT = {
    ("Heron Field", 2024): 4810,
    ("Heron Field", 2025): 5123,
    ("Dry Creek", 2024): 10440,
    ("Dry Creek", 2025): 9870,
    ("Owl Ridge", 2025): 2890,
}
NAMES = tuple(name for name, _, _ in PARKS.values())
Park = Annotated[str, Field(description="the park's name")]
ParkId = Annotated[str, Field(pattern=r"^S-\d{3}$", description="the park's id, such as S-301")]


def find_park(park: Park) -> dict[str, Any]:
    """Find a park by its name: id, capacity in kW, area in hectares."""
    name = one_of(park, NAMES, "park")
    id, row = next((i, r) for i, r in PARKS.items() if r[0] == name)
    return {"park_id": id, "park": name, "capacity_kw": row[1], "area_ha": row[2]}


def get_output(park: Park, year: Year = None) -> dict[str, Any]:
    """Get how much electricity a park delivered in a year, in MWh."""
    name = one_of(park, NAMES, "park")
    years = [y for n, y in OUTPUT if n == name]
    if year not in years:
        raise ToolError(f"{name} has output of {', '.join(map(str, years))}: give the year")
    return {"park": name, "year": year, "output_mwh": OUTPUT[name, int(year)]}


def measure_change(park: Park, first_year: Year = None, last_year: Year = None) -> dict[str, Any]:
    """Calculate by how many percent the output of a park changed between two years."""
    name = one_of(park, NAMES, "park")
    if first_year is None or last_year is None:
        raise ToolError("a change needs two years: give first_year and last_year")
    if (name, first_year) not in OUTPUT:
        raise ToolError(f"no output of {name} is recorded for {first_year}: name it as missing")
    change = 100 * (OUTPUT[name, last_year] / OUTPUT[name, first_year] - 1)
    return {"park": name, "change_percent": round(change, 1)}


def compute_rent(park_id: ParkId, area_ha: Annotated[float, Field(gt=0, description="the area "
                 "in hectares")]) -> dict[str, Any]:  # fmt: skip
    """Calculate the yearly rent of the land of a park, in EUR, from its area."""
    if park_id not in PARKS:
        raise ToolError(f"there is no park '{park_id}'")
    return {"park": PARKS[park_id][0], "rent_euro": round(area_ha * 1150)}


SOLAR = Crew(
    "solar parks",
    (
        worker("operations", "looks up parks and the electricity they delivered", find_park,
               get_output),
        worker("statistics", "calculates how output changed", measure_change),
        worker("land office", "computes the rent of land", compute_rent),
        worker("library", "searches and reads permits, leases and damage reports", *shelf({
            "N-81": ("Heron Field", "Permit of Heron Field: sheep may graze from 1 April on."),
            "N-82": ("Dry Creek", "Damage report on Dry Creek: hail broke 312 modules."),
            "N-83": ("Owl Ridge", "Lease of Owl Ridge: it ends on 2041-06-30."),
        })),
    ),
    (
        ("How much electricity did Owl Ridge deliver in 2025?", ("2890",)),
        ("What is the yearly rent of the land of Dry Creek in EUR?", ("94300",)),
        ("By how many percent did the output of Dry Creek change from 2024 to 2025, and how many "
         "modules did the hail break? Cite the damage report.", ("-5.5", "312", "N-82")),
        ("What is the capacity of Heron Field in kW, how much did it deliver in 2024, and what is "
         "the rent of its land in EUR?", ("4200", "4810", "43700")),
        ("Compare Heron Field, Dry Creek and Owl Ridge: output in 2025, its change since 2024 in "
         "percent, and the rent in EUR. Say what is missing.",
         ("5123", "9870", "2890", "6.5", "-5.5", "43700", "94300", "24150",
          "no output of owl ridge")),
        ("Prepare the sale of Owl Ridge: the output of 2025, the rent of the land, and when the "
         "lease ends. Cite the lease.", ("2890", "24150", "2041-06-30", "N-83")),
    ),
)  # fmt: skip

# --- a translation agency ---------------------------------------------------------------------

JOBS = {"Turbine manual": (18400, "Danish"), "Wine brochure": (2300, "Italian"),
        "Court file": (9700, "Danish")}  # fmt: skip
RATES = {"Danish": 0.19, "Italian": 0.14}
PEOPLE = {"Danish": "Freja Holm", "Italian": "Aldo Serra"}
FREE = {"Freja Holm": "2026-05-11", "Aldo Serra": "2026-04-20"}
Text = Annotated[str, Field(description="the title of the text")]
Language = Annotated[Literal["Danish", "Italian"], Field(description="the language")]


def find_text(text: Text) -> dict[str, Any]:
    """Find a text by its title: its words, and the language it is in."""
    name = one_of(text, tuple(JOBS), "text")
    return {"text": name, "words": JOBS[name][0], "language": JOBS[name][1]}


def quote_price(
    language: Language,
    words: Annotated[int, Field(gt=0, description="how many words")],
    currency: Annotated[Literal["EUR", "DKK"] | None, Field(description="of the price")] = None,
) -> dict[str, Any]:
    """Calculate the price of a translation from its language and words."""
    if currency is None:
        raise ToolError("prices are quoted in two currencies: give currency='EUR' or 'DKK'")
    price = RATES[language] * words
    return {"language": language, "price": round(price if currency == "EUR" else price * 7.5),
            "currency": currency}  # fmt: skip


def get_translator(language: Language) -> dict[str, Any]:
    """Get who translates from a language."""
    return {"language": language, "translator": PEOPLE[language]}


def find_free_day(
    translator: Annotated[str, Field(description="first and last name of the translator")],
) -> dict[str, Any]:
    """Find the first day on which a translator is free."""
    name = one_of(translator, tuple(FREE), "translator")
    return {"translator": name, "free_from": FREE[name]}


AGENCY = Crew(
    "translation agency",
    (
        worker("intake", "looks up texts, their words and languages", find_text),
        worker("sales", "quotes prices of translations", quote_price),
        worker("planning desk", "knows the translators and when they are free", get_translator,
               find_free_day),
        worker("files", "searches and reads wishes of customers and style guides", *shelf({
            "N-91": ("Turbine manual", "Wish: the Turbine manual keeps the names of its parts."),
            "N-92": ("Court file", "Wish: a sworn translator has to sign the Court file."),
        })),
    ),
    (
        ("How many words has the Court file, and in which language is it?", ("9700", "Danish")),
        ("What is the price of the translation of the Wine brochure in EUR?", ("322",)),
        ("Who translates from Italian, and on which day is that translator free?",
         ("Aldo Serra", "2026-04-20")),
        ("What does the translation of the Turbine manual cost in DKK, and what does the customer "
         "wish? Cite the wish.", ("26220", "names of its parts", "N-91")),
        ("Compare the Turbine manual and the Wine brochure: words, language, and the price in EUR.",
         ("18400", "2300", "3496", "322", "Danish", "Italian")),
        ("Who translates the Court file, and who has to sign it?", ("Freja Holm", "sworn")),
    ),
)  # fmt: skip

CREWS = (SOLAR, AGENCY)
