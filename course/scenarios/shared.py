"""What several worlds share: names, and how an amount reads. Nobody in them is a real person."""

from __future__ import annotations

FIRST_NAMES = (
    "Ada", "Amara", "Anouk", "Arjun", "Aoife", "Bela", "Bruno", "Carmen", "Chidi", "Clara",
    "Dalia", "Darragh", "Edda", "Elif", "Emil", "Esther", "Farid", "Fiona", "Gita", "Goran",
    "Hana", "Hugo", "Ida", "Imran", "Ines", "Jonas", "Joyce", "Kaito", "Katya", "Kofi",
    "Leila", "Liam", "Lucia", "Malik", "Marta", "Mateo", "Mei", "Nadia", "Niamh", "Noah",
    "Olga", "Omar", "Paula", "Pavel", "Priya", "Rosa", "Samir", "Sanna", "Tariq", "Tessa",
    "Tomas", "Uma", "Viktor", "Wanda", "Yusuf", "Zofia",
)  # fmt: skip

LAST_NAMES = (
    "Abara", "Alvarez", "Andersen", "Bakker", "Barros", "Bauer", "Brennan", "Castell", "Chandra",
    "Cohen", "Costa", "Daly", "Demir", "Doyle", "Dumont", "Eriksen", "Farkas", "Ferrari", "Fofana",
    "Gallagher", "Gupta", "Haddad", "Hansen", "Horvat", "Ivanova", "Jansen", "Jovanovic", "Kamau",
    "Kaur", "Kimura", "Kovacs", "Laine", "Lefevre", "Lindqvist", "Lopes", "Maguire", "Mbeki",
    "Mendes", "Moreau", "Nakamura", "Nolan", "Novak", "Okafor", "Olsen", "Petrov", "Quinn",
    "Rahman", "Reyes", "Rossi", "Sato", "Schmid", "Sharma", "Silva", "Sorensen", "Takacs",
    "Tanaka", "Tran", "Ueda", "Vargas", "Virtanen", "Walsh", "Yilmaz", "Zeller", "Zhou",
)  # fmt: skip

# Doctors' family names are none of the patients', so a name says who is meant.
DOCTORS = (
    ("Miriam", "Adler"), ("Cormac", "Byrne"), ("Ravi", "Desai"), ("Helene", "Faure"),
    ("Stefan", "Gruber"), ("Yara", "Hakim"), ("Tomoko", "Ishida"), ("Lena", "Keller"),
    ("Daniel", "Lund"), ("Grace", "Mensah"), ("Anton", "Orlov"), ("Beatriz", "Pereira"),
    ("Karl", "Steiner"), ("Orla", "Tierney"), ("Elena", "Vidal"), ("Jakob", "Winter"),
)  # fmt: skip


def money(cents: int) -> str:
    """An amount as people read it: `8640` becomes '86.40 EUR'."""
    return f"{cents // 100}.{cents % 100:02d} EUR"
