"""What the generated market is made of."""

from __future__ import annotations

COMPANIES = (
    "Arden", "Belmont", "Corvane", "Delphos", "Elmhurst", "Fennick", "Galvane", "Hartwell",
    "Istria", "Jorvik", "Kestrel", "Lindqvist", "Marlowe", "Norden", "Ostrava", "Pellworm",
    "Quillon", "Rosmer", "Silvana", "Tarnow", "Ulverton", "Vantage", "Wexford", "Yarrow",
)  # fmt: skip
PRODUCTS = (
    "Aero", "Breeze", "Cirrus", "Dynamo", "Ember", "Flux", "Glide", "Halo", "Iris", "Jolt",
    "Kite", "Lumen", "Mistral", "Nimbus", "Orbit", "Pulse", "Quartz", "Ripple", "Solace", "Tempo",
    "Umbra", "Vertex", "Whisper", "Zephyr",
)  # fmt: skip
SEGMENTS = ("heat pumps", "home batteries", "wall chargers", "solar inverters", "smart meters")
CITIES = ("Aveiro", "Brno", "Cork", "Dijon", "Esbjerg", "Ghent", "Graz", "Leiden", "Malaga",
          "Poznan", "Turku", "Uppsala")  # fmt: skip
REPORTING = (("EUR", "thousand"), ("USD", "million"), ("GBP", "million"), ("EUR", "million"),
             ("SEK", "million"), ("CHF", "thousand"))  # fmt: skip
RATES = {"EUR": 1.0, "USD": 0.91, "GBP": 1.16, "SEK": 0.088, "CHF": 1.04}
MOODS = (
    "Installers praise the documentation and complain about delivery times.",
    "Dealers expect prices to come under pressure in the second half of the year.",
    "Customers mention the service line more often than the price.",
    "Two large housing associations are said to be testing alternatives.",
)
STRATEGIES = (
    "The board wants to grow with service contracts rather than with devices.",
    "The board sees its future in the renovation of older buildings.",
    "The board intends to sell through wholesalers instead of its own shops.",
    "The board puts software updates before new hardware.",
)
