"""A small general lexicon: everyday English words that stand for one another.

It holds no word of any particular business beyond what an English learner knows. A group lists
words that may replace one another when a request is compared with a tool; ACTIONS sorts verbs
into what they do to the world, so that "cancel my order" never becomes a new order.
"""

from __future__ import annotations

import re
from functools import lru_cache

from course.models.policy.words import NUMBER_WORDS, STOP_WORDS, stem, tokens

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
help support
shower bath
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
    "meeting event": "lunch dinner breakfast party call",
    "furniture": "sofa couch chair table mattress wardrobe bed shelf desk",
    "drink": "coffee tea juice water wine beer cola lemonade",
    "problem fault damage": """dripping leaking leak stuck cracked crack flat torn noisy smells loose
        rattling flickering scratched bent faulty broken jammed overheating""",
}

PHRASES = {
    "call off": "cancel",
    "get rid of": "delete",
    "look up": "find",
    "look for": "find",
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
    "throw away": "dispose waste bin",
    "throw out": "dispose waste bin",
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
            r"\b(?:do you|have you|you)(?: still| also)? (?:have|got|sell|stock)\b|\bis there an?y?\b|\bare there any\b",
            "search stock available",
        ),
        (
            r"[€$£]|\b\d+ ?(?:euros?|dollars?|pounds?|EUR|USD|GBP|CHF)\b|\b(?:EUR|USD|GBP|CHF) ?\d",
            "money amount",
        ),
        (r"\bwhere\b", "where location"),
        (r"^\W*when\b|\bwhen (?:is|are|do|does|did|can|will|a|an|the)\b", "when time"),
        (r"\S@\S", "email"),
        (r"\b(?:get|give|bring|fetch|find) (?:me|us) (?:an?|some|\d)\b", "order"),
        (
            r"\b(?:does|do|did|is|are)(?: not|n't) (?:work|working|start|turn|close|open|function)\b|\bout of order\b|\bnot working\b",
            "problem fault report",
        ),
        (
            r"\bi(?:'d| would) like (?!to\b)|\bi(?:'ll| will) (?:have|take)\b|\b(?:can|could|may) i (?:have|get)\b|\bi (?:want|need) (?:an? |some |\d|two|three|four|five|six)",
            "order",
        ),
    )
)

# Words that are nouns as often as verbs open a part only when an article or the like follows.
EITHER = frozenset(
    """order book check list note view search display state rate place track report request plan
    text email e-mail mail message charge lease rent hire loan return record issue permit play start end
    ring call service fix review tax balance quote ship post leave read stock schedule update
    upgrade change transfer move visit repair estimate refund purchase delivery set open contact
    water cost name store wake phone answer help show""".split()
)
VERBS = frozenset(
    stem(w)
    for w in """find show tell give get look cancel delete remove pay settle reschedule postpone make
    create add register arrange enrol enroll buy borrow send notify remind extend renew prolong
    compare calculate compute summarise summarize write draft translate convert explain describe
    recommend suggest identify analyse analyze research investigate collect gather prepare reserve
    put bring take ask let fetch submit file join sign dispatch forward redeem apply drop pick turn
    switch close lock unlock print tidy confirm verify evaluate assess combine merge propose choose
    select rank produce generate outline design inform complain need want waive block freeze inspect
    measure determine build develop define adjust flag highlight extract proofread edit advise
    deliver sell swap replace subscribe unsubscribe downgrade reset restart install wash clean feed prune""".split()
)

ACTIONS = {
    "find": """find search list show get check look lookup view display fetch retrieve query browse
        see tell read track describe compare calculate estimate suggest recommend identify explain
        what which who whose when where how why is are was do does did has have any know""",
    "create": """book reserve schedule make create add register order place arrange enrol enroll
        sign signup buy purchase rent hire borrow file submit report log request set open plan
        start record issue leave checkout join put apply subscribe""",
    "change": """move reschedule change update edit modify shift postpone extend renew rename adjust
        amend prolong switch correct upgrade swap alter""",
    "cancel": "cancel delete remove drop terminate withdraw revoke void unsubscribe end quit",
    "pay": "pay settle charge",
    "refund": "refund reimburse",
    "send": "send email e-mail mail notify message dispatch forward text write",
    "transfer": "transfer handoff delegate escalate route connect hand consult",
    "return": "return",
}


def _by_word() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in _GROUPS.strip().splitlines():
        group = {stem(word) for word in line.split()}
        for word in group:
            found.setdefault(word, set()).update(group - {word})
    for kinds, things in _KINDS.items():
        for word in things.split():
            found.setdefault(stem(word), set()).update(stem(k) for k in kinds.split())
    return {word: frozenset(others) for word, others in found.items()}


_SYNONYMS = _by_word()
_ACTION_OF: dict[str, str] = {}
for _action, _verbs in ACTIONS.items():
    for _verb in _verbs.split():
        _ACTION_OF.setdefault(stem(_verb), _action)
_PHRASE = re.compile(r"\b(" + "|".join(re.escape(p) for p in PHRASES) + r")\b", re.IGNORECASE)
_OPENERS = frozenset(
    """please could can would will you i we i'd we'd i'll let me us want need like to help also then
    and just kindly so now love 'd d hi hello hey well okay ok be able may finally next afterwards
    additionally furthermore after that oh have must should trying try going am i'm we're gonna
    first wish hoping hope looking a quick the my it there""".split()
)
_SUBJECTS = frozenset("i we they it there he she you".split())
_QUESTIONS = frozenset(
    "what which who whose when where how why is are was were does did any".split()
)


_NOUNS = frozenset(
    "rate rates hours advice info information status details forecast price prices list time balance weather schedule".split()
)


def is_noun_phrase(words: tuple[str, ...]) -> bool:
    """Whether the words of a tool's name say what it gives rather than what it does."""
    if not words or action_of(words[0]) or stem(words[0]) in VERBS:
        return not words
    return len(words) == 1 or words[0].endswith("ing") or words[-1] in _NOUNS


def synonyms(word_stem: str) -> frozenset[str]:
    """The stems that may stand for this stem."""
    return _SYNONYMS.get(word_stem, frozenset())


def action_of(word: str) -> str | None:
    """What kind of deed a verb names ("find", "create", ...), None when it is no known verb."""
    return _ACTION_OF.get(stem(word))


@lru_cache(maxsize=4_000)
def phrases(text: str) -> tuple[str, ...]:
    """The plain words that the phrasal verbs in a text stand for."""
    named = [w for m in _PHRASE.finditer(text) for w in PHRASES[m.group().lower()].split()]
    return (
        *named,
        *(w for pattern, words in _TURNS if pattern.search(text) for w in words.split()),
    )


def phrase_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where phrasal verbs stand in a text."""
    return tuple(m.span() for m in _PHRASE.finditer(text))


@lru_cache(maxsize=4_000)
def head_action(clause: str) -> str | None:
    """The deed that a clause asks for: that of its first verb, or "find" for a question."""
    opening = _PHRASE.search(clause)
    if _NOUN_FIRST.match(clause) or _GET_ME.match(clause):
        return "create"
    before = ""
    for token in tokens(clause):
        word = token.text.lower()
        if opening and token.start == opening.start():
            return action_of(PHRASES[opening.group().lower()].split()[0])
        if (word in _QUESTIONS or word.split("'")[0] in _QUESTIONS) and before not in _SUBJECTS:
            return "find"
        before = word
        if word in _QUESTIONS:
            continue
        if word in _OPENERS:
            continue
        action = action_of(word)
        if action or word not in STOP_WORDS:
            return action or _wish(clause)
    return None


def commands(clause: str) -> bool:
    """Whether a clause opens with a verb, as a command does."""
    for token in tokens(clause):
        word = token.text.lower()
        if word in _OPENERS and word not in EITHER:
            continue
        return word in EITHER or token.stem in VERBS or bool(action_of(word))
    return False


# "Two seats for tonight", "A taxi to the station", "Get me a taxi": something is to be had.
_NOUN_FIRST = re.compile(
    rf"^(?:an?|\d+|{'|'.join(n for n in NUMBER_WORDS)})\s(?!.*\b(?:is|are|was|were|does|has|have|doesn't|isn't)\b)[^?]*$",
    re.IGNORECASE | re.DOTALL,
)
_GET_ME = re.compile(
    r"^\W*(?:(?:please|can you|could you|also|then)\s+)*(?:get|bring|fetch) (?:me|us) (?:an?|some|\d)\b",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"\b(?:wants?|needs?|would like|wish(?:es)?|has|have)(?: to (?P<verb>\w+))?\b", re.IGNORECASE
)


def _wish(clause: str) -> str | None:
    """What a statement about somebody asks for: "the car needs a battery", "she wants to quit"."""
    match = _WISH.search(clause)
    if not match or not (match["verb"] or match.group().lower().startswith(("need", "want"))):
        return None
    return action_of(match["verb"]) if match["verb"] else "create"
