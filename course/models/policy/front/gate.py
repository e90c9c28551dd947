"""Gate: the one place that every proposed call passes, with a named reason for each refusal.

What changes the world wants somebody's order, in words for that deed, or a yes to our own
question; values that were said or came back; and what instructions make of it. What only reads
wants something that asks for it. Nothing is done twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from course.models.policy.conversation import Made
from course.models.policy.front.carry import unmeant
from course.models.policy.front.conditions import holds
from course.models.policy.front.firm import unsure as not_firm
from course.models.policy.front.follows import (
    CORRECTS,
    goes_on,
    holds_value,
    leaves,
    puts_right,
    tries_other,
)
from course.models.policy.front.mood import Part, commanded, parts_of
from course.models.policy.front.rules import banned, beyond, consent, forbidden
from course.models.policy.front.situation import DATED, NEWS, Situation
from course.models.policy.front.tool import (
    ENDS,
    WHEN,
    about,
    asks_colleague,
    changes,
    deeds_verbs,
    for_person,
    named,
    of_trouble,
    spoken,
    starts,
    takes_down,
    things,
)
from course.models.policy.front.values import doubtful, worthless
from course.models.policy.lexicon import VERBS, action_of, head_action, tool_action
from course.models.policy.needs import Wanted
from course.models.policy.params import params
from course.models.policy.shares import in_trouble
from course.models.policy.spoken import LASTING
from course.models.policy.steps import is_control, rates
from course.models.policy.values import is_measure
from course.models.policy.words import (
    content,
    cue,
    in_figures,
    name_stems,
    name_words,
    stem,
    tokens,
)
from course.models.wire import ToolSpec

Reason = Literal[
    "repeated", "bounced", "done before", "corrects", "denied", "hedged", "asked", "told",
    "unheard of", "one value twice", "one name, two roles", "no evidence", "forbidden",
    "beyond a limit", "look first", "against a rule", "waits", "consent", "idle", "unsure",
]  # fmt: skip
AGAIN, _FOR_PERSON, _SECOND_HAND, _HANDS_IN, _SUMMONS = (
    cue(f"gate.{n}") for n in "again for_person second_hand hands_in summons".split()
)
_URGES = ("ordered", "told")
"""How somebody is called for: "send someone", "you need to come"."""


@dataclass(frozen=True)
class Refusal:
    """A call that is not made, and why; `about` says what exactly stands against it."""

    call: Wanted
    reason: Reason
    about: str = ""


def passed(
    calls: Iterable[Wanted], sit: Situation, tools: Sequence[ToolSpec], *, agreed: bool = False
) -> tuple[list[Wanted], list[Refusal]]:
    """The calls that may be made, and those that may not. `agreed` says that the person has said
    yes to just these."""
    by_name = {t.name: t for t in tools}
    kept: list[Wanted] = []
    refused: list[Refusal] = []
    for call in calls:
        tool = by_name.get(call.name)
        found = _refusal(call, tool, sit, tools, agreed) if tool else None
        if found:
            refused.append(Refusal(call, *found))
        elif call not in kept:
            kept.append(call)
    others = [*kept, *(Wanted(m.name, m.arguments) for m in sit.turn)]
    torn = [c for c in kept if any(_takes_part(c, o, sit) for o in others if o is not c)]
    refused += [Refusal(c, "idle") for c in torn]
    return [c for c in kept if c not in torn], refused


def _takes_part(call: Wanted, other: Wanted, sit: Situation) -> bool:
    """Whether a call takes for something else a part of a name that another one takes whole."""
    said = sit.thread.lower()
    texts = [(k, v) for k, v in call.arguments.items() if isinstance(v, str) and v.isalpha()]
    alone = [(k, v) for k, v in texts if v[0].isupper() and said.count(v.lower()) == 1]
    names = [(k, v.split()) for k, v in other.arguments.items() if isinstance(v, str)]
    names = [(k, v) for k, v in names if len(v) > 1 and all(w[0].isupper() for w in v)]
    return any(k != n and v in whole for k, v in alone for n, whole in names)


def _refusal(
    call: Wanted, tool: ToolSpec, sit: Situation, tools: Sequence[ToolSpec], agreed: bool
) -> tuple[Reason, str] | None:
    """Why a call is not made, None for one that may be."""
    if again := _again(call, tool, sit):
        return again, ""
    if rates(tool) or asks_colleague(tool):
        return None
    if _RETURNS.match(tool.name) or is_control(tool.name):
        return ("idle", "") if for_person(tool) and not _wants_person(sit) else None
    if not changes(tool):
        return ("idle", "") if _idle(call, tool, sit) else worthless(call, tool, sit, tools)
    return _unfit_deed(call, tool, sit, tools, agreed)


def _unfit_deed(
    call: Wanted, tool: ToolSpec, sit: Situation, tools: Sequence[ToolSpec], agreed: bool
) -> tuple[Reason, str] | None:
    """Why a call that changes the world is not made."""
    if why := forbidden(tool, sit.instructions):
        return "forbidden", why
    if not agreed:
        if (against := unordered(call, tool, sit, tools)) is not None:
            return against, ""
        if wanting := worthless(call, tool, sit, tools):
            return wanting
    if limit := beyond(call, tool, sit.instructions):
        return "beyond a limit", limit
    if not agreed and consent(tool, sit.instructions, tools):
        return "consent", ""
    stands = banned(call, tool, sit.instructions, sit.turn, tools)
    if stands is None:
        return None if agreed else ("look first", "")
    if stands:
        return "against a rule", ""
    implied = agreed or all(p.mood != "ordered" for p in sit.parts)
    unsure = "" if implied else doubtful(call, tool, sit, tools)
    if unsure:
        return "no evidence", unsure
    doubt = "" if agreed or tries_other(call, sit) else not_firm(call, tool, sit)
    return ("unsure", doubt) if doubt else None


_RETURNS = re.compile(r"(?:return|(?:hand|give|pass|send)_back|back)_to_")


def _wants_person(sit: Situation) -> bool:
    """Whether somebody wishes to speak with a person, or nobody else can help."""
    tried = bool(sit.turn) and in_trouble(sit.thread)
    return tried or bool(_FOR_PERSON.search(sit.thread))


# --- whether somebody ordered it -----------------------------------------------------------------


def unordered(
    call: Wanted, tool: ToolSpec, sit: Situation, tools: Sequence[ToolSpec]
) -> Reason | None:
    """Why nobody has ordered a deed, None if somebody has."""
    ends = tool_action(tool.name, tool.description) == "cancel"
    parts = sit.parts[_forbidden_last(tool, sit) :]
    ordering = [p for p in parts if p.mood == "ordered" or (ends and ENDS.search(p.text))]
    if any(p.mood == "asked" for p in parts_of(sit.latest, sit.verbs)):
        ordering = [p for p in ordering if p.text in sit.latest]  # who asks now waits for an answer
    if of_trouble(tool) and any(_SUMMONS.search(p.text) for p in parts if p.mood in _URGES):
        return None
    hardly = False
    for part in ordering:
        if takes_down(tool) and NEWS.match(part.text) and holds_value(call, part.text):
            return None  # who says where to be reached about it wants it taken down
        if _labels(tool, part):
            continue
        if order := _orders(part, call, tool, sit, tools):
            if order == "plainly":
                return None if not part.condition else _waiting(part, sit)
            hardly = True
    against = [p for p in sit.parts if p.mood != "ordered" and spoken(tool, p.text) == "verb"]
    if _implied(call, tool, sit, tools, against):
        return None
    if hardly:
        return "unsure"
    moods = {p.mood for p in against} or ({"told"} if _told_for(call, tool, sit) else set())
    return next((m for m in _AGAINST if m in moods), "unheard of")


def _orders(
    part: Part, call: Wanted, tool: ToolSpec, sit: Situation, tools: Sequence[ToolSpec]
) -> Literal["plainly", "hardly", ""]:
    """Whether a part orders a deed: plainly by a word for it, or by its thing in the form of an
    order; hardly by its thing or a value of the call alone, where no other deed is named."""
    how = spoken(tool, part.text)
    if how == "verb":
        return "" if tool in unmeant(part.text, tools, sit) else "plainly"
    does = tool_action(tool.name, tool.description)
    meant = [p.text for r in sit.rounds[-2:] for p in parts_of(r, sit.verbs) if p.mood != "denied"]
    leans = not how and _LEANS.search(part.text) and about(tool, " ".join(meant))
    if leans and does not in LASTING and any(action_of(t.text) == does for t in tokens(part.text)):
        return "plainly"
    others = [t for t in tools if t.name != tool.name and changes(t)]
    elsewhere = any(named(t, part.text) for t in others)
    commands = commanded(part.text, sit.verbs) or bool(_SWITCHED.search(part.text))
    formal = commands or (does == "create" and not _only_named(part))
    strange = _spends(call) or _of_other_verb(part, does) or _counts_others(part, call, tool)
    valued = not strange and holds_value(call, part.text)
    enough = formal and (how == "thing" or valued)
    if not enough or does in LASTING or elsewhere or _LOOKS.search(part.text):
        return ""
    thing = how == "thing" and (commands or _opens_with(tool, part.text))
    goes = any(m.name == tool.name for m in sit.before[-1:]) or holds_value(call, sit.asked)
    whole = commands and _holds_all(call, tool, part.text)
    return "plainly" if thing or goes or whole else "hardly"


def _holds_all(call: Wanted, tool: ToolSpec, part: str) -> bool:
    """Whether a part says every value that a deed needs."""
    needed = [p.name for p in params(tool.parameters) if p.required]
    values = (call.arguments.get(name) for name in needed)
    given = [replace(call, arguments={"": v}) for v in values if v is not None]
    return len(given) > 1 and all(holds_value(one, part) for one in given)


def _opens_with(tool: ToolSpec, part: str) -> bool:
    """Whether a part opens with what a deed is about, and tells nothing of it: "Two vents"."""
    said = [t for t in tokens(part) if not re.match(r"\d|an?$|the$", t.text.lower())]
    acts = any(action_of(t.text) not in (None, "find") for t in said[1:]) or _SAYS.search(part)
    return bool(said) and any(t.stem in things(tool) for t in said[:2]) and not acts


_SAYS = re.compile(r"\b(?:i|we|he|she|they|you|it)\b", re.IGNORECASE)


_LEANS = re.compile(r"\b(?:it|that|this|them|those|one|ones)\b", re.IGNORECASE)
_SWITCHED = re.compile(r"\b(?:on|off)\W*(?:please\W*)?$", re.IGNORECASE)
_WISHED = frozenset("want need like love have take get would could can please".split())


def _of_other_verb(part: Part, does: str | None) -> bool:
    """Whether a part opens with a verb, which a deed that it doesn't name is not, or has one for
    something else than a tool `does`."""
    words = [t for t in tokens(part.text) if t.text.lower() not in _WISHED]
    actions = [action_of(t.text.lower()) for t in words]
    opens = bool(words) and (words[0].stem in VERBS or actions[0] not in (None, "find"))
    return opens or any(a not in (None, "find", does) for a in actions)


def _counts_others(part: Part, call: Wanted, tool: ToolSpec) -> bool:
    """Whether a part counts things of which neither a call nor its tool says anything."""
    known = {*content(f"{tool.name} {tool.description}"), *name_stems(tool.name)}
    known |= {*content(" ".join(map(str, leaves(call.arguments))))}
    known |= {s for name in call.arguments for s in name_stems(name)}
    counted = (m["things"] for m in _COUNTED.finditer(in_figures(part.text)))
    return any(not known & {*content(c)} and not is_measure(c.split()[-1]) for c in counted)


_COUNTED = re.compile(r"(?<![\w.:/-])\d{1,3} (?P<things>(?:[a-z]+ )?[a-z]{2,}s)\b")


def _implied(
    call: Wanted,
    tool: ToolSpec,
    sit: Situation,
    tools: Sequence[ToolSpec],
    against: Sequence[Part],
) -> bool:
    """Whether a deed follows from what was said without an order for it: from a yes, from what is
    put right or goes on, from what is handed in, or told to whoever has it mended."""
    does = tool_action(tool.name, tool.description)
    lasting = does in LASTING
    if sit.agreed and spoken(tool, QUESTION.findall(sit.asked)[-1]) == "verb":
        return True
    if does == "change" and puts_right(call, sit, tools):
        return True
    if not lasting and (goes_on(call, tool, sit) or tries_other(call, sit)):
        return True
    only_told = all(p.mood == "told" for p in against)
    if only_told and any(_handed_in(t, call) for t in _told_for(call, tool, sit)):
        return True
    if only_told and takes_down(tool) and _introduces(call, tool, sit):
        return True
    if only_told and deeds_verbs(tool) & _REMEDIES and in_trouble(sit.thread):
        return True  # who says that something is down has it restarted
    if only_told and not lasting and not _spends(call) and _fits_finding(tool, sit):
        return True
    return not lasting and not against and prescribed(tool, sit)


_LABEL = re.compile(
    r"\W*(?:(?:it['’]?s|its|my|the|for|about|this is|hi|hello|hey|so|and|ok|erm?|um|hang on)\W+)*"
    r"(?P<noun>[a-z]+) (?:(?:no|number|nr)\.? )?#?(?-i:[A-Z]{0,4})[ -]?\d[\d -]*[A-Z]{0,3}"
    r"\W*(?:please|here)?\W*",
    re.IGNORECASE,
)


def _labels(tool: ToolSpec, part: Part) -> bool:
    """Whether a part only names, by its number, the thing that a deed is done to."""
    label = _LABEL.fullmatch(in_figures(part.text))
    noun = stem(label["noun"].lower()) if label else ""
    asks = noun not in name_stems(tool.name) and "please" in part.text.lower()
    return bool(noun) and not asks and noun not in deeds_verbs(tool)


def _forbidden_last(tool: ToolSpec, sit: Situation) -> int:
    """The place of the last part that forbids a deed: what was ordered before it is not."""
    denied = (n for n, p in enumerate(sit.parts) if p.mood == "denied" and named(tool, p.text))
    return max(denied, default=0)


def _spends(call: Wanted) -> bool:
    """Whether a call moves a sum of money."""
    return any(_MONEY & {*name_words(k)} for k in call.arguments)


_MONEY = frozenset("amount euro euros eur pounds dollars sum money deposit".split())


def _only_named(part: Part) -> bool:
    """Whether a part says who or where and nothing else: "Maud Pettifer, in Nether Wallop"."""
    return head_action(part.text) is None and not re.search(r"\d", in_figures(part.text))


def _told_for(call: Wanted, tool: ToolSpec, sit: Situation) -> list[str]:
    """What somebody tells that a tool takes down, with some value of it: handed in in so many words
    it is filed, else one asks; who tells that others said so, or that it was reported, wants
    nothing."""
    if not takes_down(tool):
        return []
    told = [p.text for p in sit.parts if p.mood == "told" and holds_value(call, p.text)]
    told = [t for t in told if not _SECOND_HAND.search(t) and not named(tool, t)]
    return [t for t in told if about(tool, t) or (of_trouble(tool) and re.search(r"\d", t))]


def _handed_in(part: str, call: Wanted) -> bool:
    """Whether a part hands in what a call files, and no number besides: of two readings one could
    be taken for the other."""
    numbers = {*re.findall(r"\d+(?:\.\d+)?", in_figures(part))}
    return bool(_HANDS_IN.match(part)) and all(n in str(call.arguments) for n in numbers)


def _introduces(call: Wanted, tool: ToolSpec, sit: Situation) -> bool:
    """Whether somebody says of themselves just what a tool notes: "My name is Ada"."""
    told = (p.text for p in sit.parts if p.mood == "told" and holds_value(call, p.text))
    said = (m for m in map(_OF_ONESELF.match, told) if m)
    return not of_trouble(tool) and any(stem(m[1].lower()) in things(tool) for m in said)


_OF_ONESELF = re.compile(r"\W*(?:my|our) (\w+)(?: \w+)?(?: is| are|['’]s)\b", re.IGNORECASE)


def prescribed(tool: ToolSpec, sit: Situation) -> bool:
    """Whether the instructions have a deed done for what is told: "change the channel of a line
    that is slow"."""
    told = set(content(" ".join(p.text for p in sit.parts if p.mood == "told")))
    clauses = [c for c in re.split(r"[.,;:]\s", sit.instructions) if not _WHEN_ASKED.search(c)]
    told -= {*name_stems(tool.name)}
    return any(spoken(tool, c) == "verb" and told & {*content(c)} for c in clauses)


def _fits_finding(tool: ToolSpec, sit: Situation) -> bool:
    """Whether somebody is in trouble, and the instructions have a deed done for just what the last
    look-up found: "lower a profile that is too fast"."""
    found = sit.turn[-1] if sit.turn else None
    if found is None or found.error is not None or not in_trouble(sit.thread):
        return False
    words = {*content(found.text or "")}
    clauses = re.split(r"[.,;:]\s", sit.instructions)
    clauses = [c for c in clauses if spoken(tool, c) == "verb" and not _WHEN_ASKED.search(c)]
    wanted = ({*content(m["case"])} for c in clauses if (m := _CASE.search(c)))
    return any(case and case <= words for case in wanted)


_CASE = re.compile(r"\b(?:that|which) (?:is|are|has|have) (?P<case>.+)", re.IGNORECASE)


_WHEN_ASKED = re.compile(r"\b(?:only|never|not|asks?|asked|wants?|wishes|told|says)\b", re.I)
"""How a clause of the instructions leaves a deed to who asks for it."""


QUESTION = re.compile(r"[^.!?]+\?")
_REMEDIES = frozenset(stem(w) for w in "restart reset reboot refresh reconnect resync swap".split())


_AGAINST: tuple[Reason, ...] = ("denied", "hedged", "asked", "told")


_LOOKS = re.compile(r"\b(?:look|check|see|tell|show|find|read|list|search|know)\b", re.IGNORECASE)
"""Words of a part that asks for something to be looked up, and for no deed."""


def _waiting(part: Part, sit: Situation) -> Reason | None:
    return None if met(part, sit) else "waits"


def met(part: Part, sit: Situation) -> bool:
    """Whether the condition of a part is known to hold, by what came back in this turn."""
    held = holds(part.condition, sit.turn)
    return held is not None and held != part.unless


# --- what was done already -----------------------------------------------------------------------


def _key(name: str, arguments: Mapping[str, Any]) -> str:
    kept = {k: v for k, v in arguments.items() if v not in (None, "", [])}
    return json.dumps([name, kept], sort_keys=True, default=str).lower()


def _again(call: Wanted, tool: ToolSpec, sit: Situation) -> Reason | None:
    """Whether a call only does again what was done."""
    key = _key(call.name, call.arguments)
    gone = [m for m in sit.turn if not m.put_off]
    same = [m for m in gone if _key(m.name, m.arguments) == key]
    if is_control(call.name):
        return "bounced" if any(_to_same(call, m) for m in gone) else None
    if any(m.error is None for m in same) or len(same) > 1:
        return "repeated"
    if same and not AGAIN.search(same[-1].error or ""):
        return "repeated"
    if not changes(tool):
        return None
    if any(m.name == call.name and m.error is None for m in sit.own) and not _news(call, sit):
        return "repeated"
    if CORRECTS.search(sit.latest) and any(_but_one(call, m) for m in sit.before):
        return "corrects"
    before = any(_key(m.name, m.arguments) == key and m.error is None for m in sit.before)
    return "done before" if before and not _MORE.search(sit.latest) else None


def _but_one(call: Wanted, made: Made) -> bool:
    """Whether a call is one made before with one value changed."""
    keys = {*call.arguments, *made.arguments}
    other = [k for k in keys if call.arguments.get(k) != made.arguments.get(k)]
    return call.name == made.name and made.error is None and len(other) == 1 and len(keys) > 1


def _to_same(call: Wanted, made: Made) -> bool:
    """Whether two handovers lead to the same agent, and the second has no less to be done."""
    names = {k: v for k, v in call.arguments.items() if isinstance(v, str) and " " not in v}
    same = call.name == made.name and all(made.arguments.get(k) == v for k, v in names.items())
    return same and len(_matter(call.arguments)) >= len(_matter(made.arguments))


def _matter(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    return content(" ".join(v for v in arguments.values() if isinstance(v, str)))


_MORE = re.compile(r"\b(?:again|another|more|once more|one more|repeat|same)\b", re.IGNORECASE)


def _news(call: Wanted, sit: Situation) -> bool:
    """Whether a call differs from those of its tool in this turn in a value that a result brought
    or that was said."""
    made: list[Made] = [m for m in sit.own if m.name == call.name]
    texts = {str(v).lower() for m in made for v in m.arguments.values()}
    fresh = [str(v).lower() for v in call.arguments.values() if str(v).lower() not in texts]
    results = "\n".join(m.text or "" for m in sit.turn if m.error is None).lower()
    return any(v in results for v in fresh)


def _idle(call: Wanted, tool: ToolSpec, sit: Situation) -> bool:
    """Whether nothing that was said asks for a look-up: all is told, or no word speaks for it, and
    none of its values are names or figures."""
    if starts(tool) or rates(tool):  # who tells of a trouble need not order to be asked about it
        return bool(sit.parts) and all(p.mood == "denied" for p in sit.parts)
    if sit.turn:
        return False
    asked = [p for p in sit.parts if p.mood in ("asked", "ordered", "hedged")]
    named = any(spoken(tool, p.text) for p in asked)
    texts = [v for v in call.arguments.values() if isinstance(v, str)
             and not DATED.fullmatch(v) and stem(v.lower()) not in WHEN]  # fmt: skip
    if not asked:
        return not any(re.search(r"\d|^[A-Z]", v) for v in texts) and not _number_said(call)
    plain = [p for p in params(tool.parameters) if p.kind in ("name", "words")]
    loose = all(p.name in call.arguments for p in plain) and bool(plain)
    loose = loose and not any(re.search(r"\d|[A-Z]", v) for v in texts)
    return not named and (loose or not texts) and not _number_said(call) and bool(call.arguments)


def _number_said(call: Wanted) -> bool:
    return any(type(v) in (int, float) for v in call.arguments.values())
