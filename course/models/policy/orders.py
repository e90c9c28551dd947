"""Orders: the things a text asks for, each with its number, size and extras, as they stand at the
end: what is changed or taken back later counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from course.models.policy.orderforms import Form, Line
from course.models.policy.words import NUMBER_WORDS, content, singular

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_OPENING = re.compile(
    r"^\W*(?:(?:good (?:morning|afternoon|evening|day)|hi|hello|hey|yes|ok(?:ay)?|well|oh|um+|and"
    r"|also|then|please|actually|sorry|wait|so|just|thanks?|thank you|there|perhaps|maybe"
    r"|no(?=[,.!]))\b[\s,.!]*)+",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"^(?:(?:i|we)(?:'d| would| will|'ll)?(?: also| rather)? (?:like|love|want|need|have|take|order"
    r"|get)(?: to (?:order|have|get|buy))?"
    r"|(?:can|could|may) (?:i|we)(?: please)?(?: also)? (?:have|get|order)"
    r"|(?:give|get|bring|make) (?:me|us)|let me (?:have|get)|(?:please )?(?:add|order|bring|send)"
    r"|for (?:me|us),?|it's|that's)\s+",
    re.IGNORECASE,
)
_AMEND = re.compile(
    r"^(?:(?:please |can you |could you )?(?:make|change)(?: that| it| them| those)?(?: to| into)?"
    r"|i meant?|i said|rather)\s+",
    re.IGNORECASE,
)
_TAKE_BACK = re.compile(
    r"^(?:(?:please |can you |could you )?(?:forget|cancel|drop|skip|remove|leave out|leave off"
    r"|take off|scratch|delete)(?: about)?"
    r"|(?:i|we) (?:don't|do not) (?:want|need)|no more|not)\s+(?P<what>[^.!?]+)|^(?P<none>no"
    r"|without) (?P<it>[^.!?]+?)(?: after all| then| any ?more)\W*$",
    re.IGNORECASE,
)
_ASKS = re.compile(r"^(?:what|which|how|where|when|who|is|are|do|does)\b", re.IGNORECASE)
_NOT_BUT = re.compile(
    r"^(?:no|not|without)(?: (?:the|a|an))? (?P<old>[\w' -]+?)(?:,| but) (?P<new>.+)$",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"\binstead of (?P<old>(?:the |a |an |my |those |these )?[\w' -]+?)(?=,| (?:i|we|please|give"
    r"|can|could|make)\b|[.!?]|$)",
    re.IGNORECASE,
)
_JOINT = re.compile(
    r"\s*(?:,(?: and| plus)?|\band\b|\bplus\b|\bas well as\b|&|;)\s+", re.IGNORECASE
)
_NUMBER = "|".join([*sorted(NUMBER_WORDS, key=len, reverse=True), r"\d+"])
_COUNT = re.compile(
    rf"^(?:(?P<couple>a couple(?: of)?|a pair of)|(?P<n>{_NUMBER}|an?|another|some|the|one more)"
    rf"(?P<dozen> dozen)?)(?=\s|$)(?:\s*x)?\s*",
    re.IGNORECASE,
)
_PORTION = re.compile(
    r"^(?:portions?|orders?|servings?|pieces?|glass(?:es)?|bottles?|cups?|cans?|slices?|bags?|boxe?s?"
    r"|bowls?|plates?|packs?|packets?|pairs?|copies|copy|sets?|rolls?|tins?|jars?|loaves|loaf"
    r"|bunch(?:es)?) of\s+",
    re.IGNORECASE,
)
_NOISE = re.compile(
    r"^(?:that'?s (?:all|it)|that is all|nothing(?: else)?|anything|to go|for here|takeaway|please"
    r"|thanks?|thank you(?: very much)?|bye|cheers|everything|i|it|them|one|ones|me|us|)$"
    r"|\b(?:pay|paying|cash|credit card|by card|my name|how much|how are|delivery|deliver|receipt"
    r"|hungry|here we)\b|^(?:i am|i'm|we are|we're) (?!after|looking|having)",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:[\s,]*\b(?:please|thanks?|thank you|then|too|as well|instead|after all|altogether|in total"
    r"|to go|for me|for us|each)\b)+\W*$",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\s*\b(?:without(?: any)?|with no|but no|no|hold the|minus)\s+(?P<what>.+)$", re.IGNORECASE
)
_WITH = re.compile(
    r"\s*\b(?:with(?: an?| some)?(?: extra| additional)?|(?:plus |and )?extra)\s+"
    r"(?P<what>.+)$",
    re.IGNORECASE,
)


def ordered(text: str, form: Form) -> list[Line]:
    """The things that a text asks for in the end."""
    lines: list[Line] = []
    for sentence in _SENTENCE.split(text):
        _hear(sentence.strip(), form, lines)
    return lines


def _hear(sentence: str, form: Form, lines: list[Line]) -> None:
    """Note what a sentence orders, changes or takes back."""
    told = _OPENING.sub("", sentence).strip(" .!?")
    if _idle(told, sentence):
        return
    swapped = _NOT_BUT.match(told)
    if swapped and _drop(swapped["old"], lines):
        told = swapped["new"]
    back = _TAKE_BACK.match(told)
    if back and lines:
        what = back["what"] or back["it"]
        if not _drop(what, lines):
            _leave_out(what, lines[-1:])
        return
    swap = _INSTEAD.search(told)
    if swap:
        _drop(swap["old"], lines)
        told = (told[: swap.start()] + told[swap.end() :]).strip(" ,.")
    _note(told, form, lines)


def _idle(told: str, sentence: str) -> bool:
    """Whether a sentence orders nothing: a question, a word about paying."""
    if _ASKS.match(told) and sentence.endswith("?"):
        return True
    alone = len(_JOINT.split(told)) == 1
    return alone and bool(_NOISE.search(_TAIL.sub("", told).lower()))


def _note(told: str, form: Form, lines: list[Line]) -> None:
    amend = _AMEND.match(told)
    rest = _TAIL.sub("", _wish(told[amend.end() :] if amend else told))
    for line in _lines(rest, form):
        if not amend and lines and _bare(line) and 0 < line.count < lines[-1].count:
            _part_off(line, lines)
        elif (amend and lines) or _bare(line):
            _amend(line, lines)
        elif line.thing:
            lines.append(line)


def _wish(text: str) -> str:
    """A sentence from where its things begin."""
    while (match := _WISH.match(text)) or (match := _OPENING.match(text)):
        text = text[match.end() :]
    return text


def _bare(line: Line) -> bool:
    return not line.thing


def _lines(text: str, form: Form) -> Iterator[Line]:
    """The lines in a piece of text without changes; what follows "with" is added to its line."""
    current: Line | None = None
    adding: list[str] | None = None
    for piece in _JOINT.split(text):
        counted = _COUNT.match(piece)
        if current is not None and adding is not None and not counted and _short(piece):
            adding.append(_extra(piece))
            continue
        if _NOISE.search(_TAIL.sub("", piece).strip(" .!?").lower()):
            continue
        if current is not None:
            more = _NOT.match(piece) or _WITH.match(piece)
            if more:
                adding = current.without if _NOT.match(piece) else current.extras
                adding.append(_extra(more["what"]))
                continue
            yield current
        current, adding = _line(piece, form)
    if current is not None:
        yield current


def _short(piece: str) -> bool:
    """Whether a piece may be one more extra: a word or two, no wish and no way of paying."""
    return len(piece.split()) <= 3 and not _NOISE.search(piece) and not _NOT.match(piece)


def _extra(text: str) -> str:
    bare = re.sub(r"^(?:an?|some|the|extra|any)\s+", "", text.strip(" .!?"), flags=re.IGNORECASE)
    return _TAIL.sub("", bare)


def _line(piece: str, form: Form) -> tuple[Line, list[str] | None]:
    line = Line("")
    adding: list[str] | None = None
    text = _TAIL.sub("", piece).strip(" .!?")
    for pattern, target in ((_NOT, line.without), (_WITH, line.extras)):
        match = pattern.search(text)
        if match and match.start() > 0:
            target.append(_extra(match["what"]))
            text, adding = text[: match.start()], target
    counted = _COUNT.match(text)
    if counted:
        line.count = _number(counted)
        text = text[counted.end() :]
    text = re.sub(r"^of (?:them|those|these|it)\b\s*", "", text)
    text = _PORTION.sub("", re.sub(r"^of\s+", "", text))
    for param in form.choices:
        for option in param.schema.get("enum", ()):
            named = isinstance(option, str) and re.search(
                rf"\b{re.escape(option.replace('_', ' '))}\b", text, re.IGNORECASE
            )
            if named and len(text) >= len(named.group()):
                line.choices[param.name] = option
                text = (text[: named.start()] + text[named.end() :]).strip()
                break
    text = re.sub(r"^(?:ones?|of (?:them|those|it))$|\s+ones?$", "", " ".join(text.split()))
    text = _PORTION.sub("", re.sub(r"^(?:an?|the|some|of)\s+", "", text))
    line.thing = singular(text) if line.count > 1 and not text.endswith("ies") else text
    return line, adding


def _number(match: re.Match[str]) -> int:
    if match["couple"]:
        return 2
    word = match["n"].lower()
    if word in ("the", "some"):
        return 0
    count = int(word) if word.isdigit() else int(NUMBER_WORDS.get(word, 1))
    return count * 12 if match["dozen"] else count


def _like(thing: str, line: Line) -> bool:
    """Whether words name the thing of a line."""
    said, own = set(content(thing)), set(content(line.thing))
    return bool(said and own) and (said <= own or own <= said)


def _drop(what: str, lines: list[Line]) -> bool:
    """Take the lines back that some words name; whether there were any."""
    named = [x for piece in _JOINT.split(what) for x in lines if _like(_extra(piece), x)]
    lines[:] = [x for x in lines if x not in named]
    return bool(named)


def _leave_out(what: str, lines: list[Line]) -> None:
    for line in lines:
        line.without.append(_extra(what))


def _part_off(some: Line, lines: list[Line]) -> None:
    """Some of the last line's things differ: "two burgers, one with bacon"."""
    last = lines[-1]
    lines[-1] = replace(last, count=last.count - some.count)
    choices = {**last.choices, **some.choices}
    lines.append(replace(some, thing=last.thing, choices=choices))


def _amend(change: Line, lines: list[Line]) -> None:
    """Change the line that is meant: the one of the same thing, or else the last."""
    if not lines:
        lines += [change] if change.thing else []
        return
    same = [n for n, x in enumerate(lines) if change.thing and _like(change.thing, x)]
    place = same[-1] if same else len(lines) - 1
    old = lines[place]
    lines[place] = replace(
        old,
        thing=old.thing if same or not change.thing else change.thing,
        count=change.count or old.count,
        choices={**old.choices, **change.choices},
        extras=[*old.extras, *change.extras],
        without=[*old.without, *change.without],
    )
