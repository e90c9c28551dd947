"""A small general lexicon: everyday English words that stand for one another.

It holds no word of any particular business beyond what an English learner knows. A group lists
words that may replace one another when a request is compared with a tool; ACTIONS sorts verbs
into what they do to the world, so that "cancel my order" never becomes a new order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from course.models.policy.words import NUMBER_WORDS, STOP_WORDS, stem

_GROUPS = """
book schedule reserve arrange
reservation booking book reserve
appointment visit booking slot meeting consultation
pay settle clear payment
move reschedule postpone shift
change update edit modify amend alter correct adjust
cancel delete remove drop void revoke
find search locate lookup
list show display view
check status state
buy purchase order
order place buy
rent hire lease rental
borrow loan lend checkout
price cost fee charge rate fare quote expensive
owe balance due outstanding unpaid debt
invoice bill
refund reimburse money
customer client guest
animal pet dog cat rabbit puppy kitten
car vehicle auto van
bike bicycle cycle
parcel package shipment
delivery deliver courier
fix repair mend service
broken damage damaged defect fault faulty
start begin
end finish
hour opening time open close
available free vacancy availability vacant stock spare
movie film
food dish meal menu eat
email mail
phone telephone
call ring phone
notify inform alert tell
remind reminder
send dispatch ship post
track trace follow tracking where status
renew extend prolong renewal extension
return back
create add new make register open
enrol register join subscribe signup sign
quit leave unsubscribe
leave file submit lodge
complain complaint problem issue
convert exchange
compute calculate add sum
compare comparison versus
summarise summary summarize
search research investigate
ticket admission entry seat
luggage baggage bag suitcase
lost missing
room suite
person people guest party
buyer customer
note comment remark
weather forecast temperature rain
place location address site
class course lesson session workout
loan borrow checkout
fine penalty
stay night
review rating feedback rate
number count quantity amount many
recommend suggest advice advise
care look maintenance
picture photo image
teacher instructor trainer coach
holiday vacation
bill invoice
money payment cash
account profile
expert specialist agent
handle deal
write draft compose
money financial finance
transfer send wire remit
cast actor play star
duration length long
film movie show screening
taxi cab ride
absent absence miss away
ready done finish complete
live reside resident tenant
helper help volunteer assist
price charge cost
help support
shower bath
try trial test
reject decline refuse
accept approve confirm
outside outdoor outdoors terrace
inside indoor indoors
keep extend prolong
leave depart departure
arrive arrival
pickup collect collection fetch
event calendar meeting
live home habitat
waste rubbish trash garbage
empty collect
sea ocean
rough wind wave storm
quit terminate end
premium price cost
house home
law legal lawyer
sick ill illness
"""

# Kinds of things: a word on the left may be meant by one on the right, never the other way round.
_KINDS = {
    "food dish meal": """sandwich salad soup pizza pasta burger breakfast lunch dinner snack dessert
        cake bread fruit""",
    "meeting event": "lunch dinner breakfast party",
    "furniture": "sofa couch chair table mattress wardrobe bed shelf desk",
    "drink": "coffee tea juice water wine beer cola lemonade",
    "problem fault damage": """dripping leaking leak stuck cracked crack flat torn noisy smells
        smashed ruined spoiled spilled stained dented loose rattling flickering scratched bent
        faulty broken jammed overheating""",
}

PHRASES = {
    "call off": "cancel",
    "get rid of": "delete",
    "look up": "find",
    "look for": "find",
    "i'm after": "find search",
    "interested in": "find search",
    "looking for": "find",
    "find out": "find",
    "put off": "postpone",
    "push back": "postpone",
    "bring forward": "reschedule",
    "put down": "enrol",
    "sign up": "enrol signup",
    "sign me up": "enrol signup",
    "set up": "create",
    "put in": "add",
    "check out": "checkout",
    "check in": "checkin",
    "drop off": "dropoff",
    "pick up": "pickup",
    "how much": "price cost",
    "how many": "count number",
    "in stock": "stock available",
    "have got": "stock",
    "how long": "duration length",
    "what's on": "list showing program",
    "who plays": "cast actor",
    "who wrote": "author",
    "how far": "distance",
    "how old": "age",
    "what time": "hours time",
    "bring back": "return",
    "give back": "return",
    "take back": "return",
    "send back": "return",
    "hand back": "return",
    "work out": "calculate",
    "money back": "refund",
    "coming up": "upcoming",
    "throw away": "dispose waste bin",
    "throw out": "dispose waste bin",
    "cut back": "prune trim",
    "cut down": "fell",
    "has to wait": "reschedule change",
    "turn down": "reject decline",
    "give up": "cancel end",
    "call back": "callback",
    "ring back": "callback",
    "take out": "remove",
    "turn on": "switch",
    "turn off": "switch",
    "break into": "theft damage",
    "swap to": "change",
    "switch to": "change",
    "let know": "notify",
    "get in touch": "contact",
    "come over": "visit",
    "speak to": "contact transfer",
    "talk to": "contact transfer",
    "put through": "transfer connect",
}

# Turns of phrase that mean more than their words.
_TURNS = tuple(
    (re.compile(pattern, re.IGNORECASE), words)
    for pattern, words in (
        (
            r"\b(?:do you|have you|you)(?: still| also)? (?:have|got|sell|stock)\b|\bis "
            r"there an?y?\b|\bare there any\b",
            "search stock available",
        ),
        (
            r"[€$£]|\b\d+ ?(?:euros?|dollars?|pounds?|EUR|USD|GBP|CHF)\b|\b(?:EUR|USD|GBP|CHF) ?\d",
            "money amount",
        ),
        (r"\b(?:still|left|yet) to pay\b", "owe balance unpaid invoice"),
        (r"\bwhere\b", "where location"),
        (r"^\W*who\b", "person"),
        (r"\banything\b|^\W*(?:and )?any\b", "search available"),
        (r"^\W*when\b|\bwhen (?:is|are|do|does|did|can|will|a|an|the)\b", "when time"),
        (r"\S@\S", "email"),
        (r"\bcan(?:no|')t (?:come|make it|attend|be there)\b", "absent miss cancel"),
        (r"^(?:my|the|our)\b.*\b(?:doesn't|does not|won't|don't)\b", "broken fault problem"),
        (r"^\W*(?:please )?(?:tell|inform) (?!me\b|us\b)\w+", "send message notify"),
        (r"\b(?:get|give|bring|fetch|find) (?:me|us) (?:an?|some|\d)\b", "order"),
        (
            r"\b(?:does|do|did|is|are|will|won|can)(?: not|n't|'t|not) "
            r"(?:work|working|start|turn|close|open|function)\b|\bout of order\b|\bnot working\b",
            "problem fault report",
        ),
        (
            r"\bi(?:'d| would) like (?!to\b)|\bi(?:'ll| will) (?:have|take)\b|\b(?:can|could"
            r"|may) i (?:have|get)\b|\bi (?:want|need) (?:an? |some |\d|two|three|four|five|six)",
            "order",
        ),
    )
)


def related(groups: str, kinds: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """For the stem of each word those that mean much the same.

    Args:
        groups: a line for each group of words that stand for one another.
        kinds: names of a kind, and the things that are of it: a thing may be called by its kind.
    """
    found: dict[str, set[str]] = {}
    for line in groups.strip().splitlines():
        group = {stem(word) for word in line.split()}
        for word in group:
            found.setdefault(word, set()).update(group - {word})
    for names, things in kinds.items():
        for word in things.split():
            found.setdefault(stem(word), set()).update(stem(name) for name in names.split())
    return {word: frozenset(others) for word, others in found.items()}


_SYNONYMS = related(_GROUPS, _KINDS)
_NONE: frozenset[str] = frozenset()
_PHRASE = re.compile(r"\b(" + "|".join(re.escape(p) for p in PHRASES) + r")\b", re.IGNORECASE)


def synonyms(word_stem: str) -> frozenset[str]:
    """The stems that may stand for this stem."""
    known = _SYNONYMS.get(word_stem, _NONE)
    if not known and word_stem[2:] in _SYNONYMS and word_stem.startswith("re"):
        return _SYNONYMS[word_stem[2:]] | _SYNONYMS["chang"] | {word_stem[2:], "chang"}
    return known


@lru_cache(maxsize=4_000)
def phrases(text: str) -> tuple[str, ...]:
    """The plain words that the phrasal verbs in a text stand for."""
    named = [w for m in _PHRASE.finditer(text) for w in PHRASES[m.group().lower()].split()]
    return (
        *named,
        *(w for pattern, words in _TURNS if pattern.search(text) for w in words.split()),
    )


def leading_phrase(text: str) -> tuple[int, str] | None:
    """Where the first phrasal verb of a text starts, and the plain words it stands for."""
    match = _PHRASE.search(text)
    return (match.start(), PHRASES[match.group().lower()]) if match else None


def phrase_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where phrasal verbs stand in a text."""
    return tuple(m.span() for m in _PHRASE.finditer(text))


@cache
def known_words() -> frozenset[str]:
    """All everyday words that the lexicon, the verbs and the function words hold, as written."""
    groups = re.findall(r"[a-z]+", " ".join((_GROUPS, *_KINDS, *_KINDS.values(), *PHRASES)))
    return frozenset((*groups, *STOP_WORDS, *NUMBER_WORDS, *"please would could should".split()))
