"""What the generated portfolios are made of."""

from __future__ import annotations

CLIENTS = ("Abara", "Bergström", "Castellan", "Dimitrov", "Engel", "Farrow", "Grimaldi",
           "Hallam", "Ibsen", "Juhasz", "Kowal", "Lindgren", "Moreau", "Novak", "Okonjo",
           "Petit")  # fmt: skip
# Symbols and names; which asset class and currency each gets is drawn.
SECURITIES = (
    ("ALDR", "Alder Rail"), ("BRCH", "Birch Foods"), ("CDAR", "Cedar Cloud"), ("DGWD", "Dogwood"),
    ("ELMX", "Elm Logistics"), ("FIRR", "Fir Energy"), ("GNKO", "Ginkgo Health"),
    ("HZEL", "Hazel Chips"), ("IVYL", "Ivy Lease"), ("JNPR", "Juniper Water"),
    ("LRCH", "Larch Steel"), ("MPLE", "Maple Bank"), ("NTMG", "Nutmeg Retail"),
    ("OAKS", "Oak Shipping"), ("PINE", "Pine Media"), ("QNCE", "Quince Bio"),
)  # fmt: skip
CLASSES = ("equities", "bonds", "property", "commodities")
# What each of the twelve securities of a world is: asset class and how it is quoted.
KINDS = (
    ("equities", "EUR"), ("equities", "USD"), ("equities", "GBX"), ("equities", "EUR"),
    ("equities", "GBX"), ("bonds", "EUR"), ("bonds", "USD"), ("bonds", "EUR"),
    ("property", "EUR"), ("property", "GBX"), ("commodities", "USD"), ("commodities", "EUR"),
)  # fmt: skip
TARGETS = (
    {"equities": 55, "bonds": 25, "property": 10, "commodities": 5, "cash": 5},
    {"equities": 40, "bonds": 35, "property": 12, "commodities": 8, "cash": 5},
    {"equities": 30, "bonds": 45, "property": 15, "commodities": 5, "cash": 5},
    {"equities": 65, "bonds": 15, "property": 8, "commodities": 7, "cash": 5},
)
TALK = (
    "The client asked about the outlook for interest rates; nothing was decided.",
    "The client is content with the reporting and wants to keep the quarterly rhythm.",
    "A visit to the new office was agreed for the spring.",
    "The client's tax adviser will send the certificates directly.",
)
VIEWS = (
    "Margins hold up, and orders reach well into the coming year.",
    "The new management has to show that its savings last.",
    "A falling dollar would weigh on earnings.",
    "We see no reason to change our view.",
)
