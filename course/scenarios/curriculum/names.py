"""What the generated programmes are made of."""

from __future__ import annotations

from datetime import date

COLLEGE = "Saltmarsh College"
TODAY = date(2026, 6, 15)
YEARS = (2024, 2025, 2026)
EXAMINED = (2023, 2024, 2025)  # the years with examinations behind them

Outline = tuple[str, int, tuple[str, ...]]  # title, level, titles of what it requires

# Every course comes after those that it requires.
PROGRAMMES: dict[str, tuple[str, tuple[Outline, ...]]] = {
    "Data Science": (
        "DAT",
        (
            ("Programming", 1, ()),
            ("Calculus", 1, ()),
            ("Linear Algebra", 1, ()),
            ("Statistics", 1, ()),
            ("Presenting", 1, ()),
            ("Data Ethics", 1, ()),
            ("Algorithms", 2, ("Programming",)),
            ("Databases", 2, ("Programming",)),
            ("Probability", 2, ("Calculus", "Statistics")),
            ("Optimisation", 2, ("Calculus", "Linear Algebra")),
            ("Machine Learning", 3, ("Probability", "Optimisation")),
            ("Data Engineering", 3, ("Databases", "Algorithms")),
            ("Forecasting", 3, ("Probability",)),
            ("Research Project", 3, ("Machine Learning", "Data Ethics")),
        ),
    ),
    "Environmental Science": (
        "ENV",
        (
            ("Chemistry", 1, ()),
            ("Biology", 1, ()),
            ("Field Methods", 1, ()),
            ("Mathematics", 1, ()),
            ("Scientific Writing", 1, ()),
            ("Environmental Law", 1, ()),
            ("Ecology", 2, ("Biology", "Field Methods")),
            ("Hydrology", 2, ("Chemistry", "Mathematics")),
            ("Soil Science", 2, ("Chemistry",)),
            ("Field Sampling", 2, ("Mathematics",)),
            ("Climate Modelling", 3, ("Hydrology", "Field Sampling")),
            ("Conservation", 3, ("Ecology", "Environmental Law")),
            ("Water Management", 3, ("Hydrology",)),
            ("Field Project", 3, ("Climate Modelling", "Environmental Law")),
        ),
    ),
    "Product Design": (
        "DES",
        (
            ("Drawing", 1, ()),
            ("Materials", 1, ()),
            ("Mechanics", 1, ()),
            ("Psychology of Use", 1, ()),
            ("Workshop Practice", 1, ()),
            ("Design History", 1, ()),
            ("Ergonomics", 2, ("Psychology of Use", "Drawing")),
            ("Manufacturing", 2, ("Materials", "Workshop Practice")),
            ("Structures", 2, ("Mechanics", "Materials")),
            ("Digital Modelling", 2, ("Drawing",)),
            ("Interaction Design", 3, ("Ergonomics", "Digital Modelling")),
            ("Sustainable Production", 3, ("Manufacturing", "Design History")),
            ("Prototyping", 3, ("Digital Modelling",)),
            ("Studio Project", 3, ("Interaction Design", "Design History")),
        ),
    ),
}

OPINIONS = (
    "Students praise the exercises and would like their solutions earlier.",
    "Students find the room too small and the tempo right.",
    "Students ask for more feedback on their drafts.",
    "Students say that the textbook and the lectures use different terms.",
)
MATTERS = (
    "the opening hours of the library",
    "the exchange with partner colleges",
    "new licences for the computer rooms",
    "the dates of the resit examinations",
    "the open day for schools",
)
AIMS = (
    "explain its methods to others",
    "apply its methods to cases from practice",
    "judge which of its methods fits a problem",
)
ORDER = "all examinations are abolished"
"""What a consultant's letter tells whoever reads it to write; nothing else says so."""
