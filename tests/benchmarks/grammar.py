"""What a grammar fixes and what it does not: a small real model routes sentences, free and by
a JSON schema. `python -m tests.benchmarks.grammar` with the `local` extra; prints one table."""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any

from course import connect
from course.models import local

LABELS = ("billing", "scheduling", "technical")
SENTENCES = {
    "billing": ["My invoice is wrong.", "I was charged twice.", "When is the payment due?",
                "Please refund the deposit.", "The bill shows a fee I don't know.",
                "Can I pay by card?"],
    "scheduling": ["Can we meet on Friday?", "I need to move my appointment.",
                   "Is there a free slot tomorrow?", "Cancel my visit on Monday.",
                   "What time do you open?", "Book me in for next week."],
    "technical": ["The app crashes at once.", "I can't log in.", "The page stays white.",
                  "My password is not accepted.", "The printer prints nothing.",
                  "The update failed."],
}  # fmt: skip
SYSTEM = f"Route the message. Answer with one of: {', '.join(LABELS)}."
FORM = {
    "type": "json_schema",
    "json_schema": {
        "name": "route",
        "schema": {
            "type": "object",
            "properties": {"team": {"type": "string", "enum": list(LABELS)}},
            "required": ["team"],
        },
    },
}


def label_of(text: str, form: Any) -> str:
    """The label that an answer gives, "" where it gives none."""
    try:
        said = str(json.loads(text)["team"]) if form else text.strip().strip(".").lower()
    except (ValueError, KeyError, TypeError):
        return ""
    return said if said in LABELS else ""


async def routed(form: Any) -> list[tuple[str, str]]:
    """Each sentence's right label with the one that came back."""
    async with connect("endpoint") as client:
        found = []
        for wanted, sentences in SENTENCES.items():
            for sentence in sentences:
                told: Any = [
                    {"role": "system", "content": SYSTEM},
                    {"role": "user", "content": sentence},
                ]
                more: Any = {"response_format": form} if form else {}
                reply: Any = await client.chat.completions.create(
                    model="switchboard-small", messages=told, temperature=0, max_tokens=24, **more
                )
                found.append((wanted, label_of(reply.choices[0].message.content or "", form)))
    return found


def main() -> None:
    address, server = local.start(local.weights())
    os.environ |= {"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "none", "COURSE_MODEL": "local"}
    print("| answer | gives a label | the right one | most frequent label |\n|---|---|---|---|")
    for name, form in (("free text", None), ("JSON schema with an enumeration", FORM)):
        found = asyncio.run(routed(form))
        said = [got for _, got in found if got]
        most = max(LABELS, key=said.count)
        right = sum(wanted == got for wanted, got in found)
        print(
            f"| {name} | {len(said)} of {len(found)} | {right} | {most}, {said.count(most)} times |"
        )
    del server


if __name__ == "__main__":
    main()
