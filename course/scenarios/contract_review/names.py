"""What the generated contracts are made of."""

from __future__ import annotations

PARTNERS = ("Abbotsford", "Brightwell", "Calder", "Dunmore", "Eastgate", "Foxley", "Greenbank",
            "Haldane", "Inverness", "Jubilee", "Kingsway", "Lakeside", "Millbrook", "Netherby",
            "Oakhurst", "Priory", "Ravensworth", "Stonebridge")  # fmt: skip
# Kind of contract, and what is delivered.
KINDS = (
    ("cloud hosting", "servers, storage and their operation"),
    ("cleaning", "the cleaning of offices and stairs"),
    ("maintenance", "the maintenance of lifts and doors"),
    ("software licence", "a licence for accounting software, with updates"),
    ("logistics", "storage and shipping of goods"),
    ("consulting", "advice on purchasing, by the day"),
    ("catering", "meals for the canteen"),
    ("security", "guards and alarms"),
)
LAWS = ("the Netherlands", "Ireland", "Germany")
FOREIGN = ("Delaware", "Singapore")
REMARKS = (
    "The supplier asks for a contact who can approve small orders.",
    "A new person in charge was introduced at the last meeting.",
    "The delivery of documents by post is to end; both sides prefer email.",
    "The quality of the service was rated as good in the yearly survey.",
)
