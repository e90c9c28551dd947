"""The commonest mistakes in plain words: each names the student's definition and what to change."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graders.records.log import Log
from graders.records.verdict import Verdict
from graders.records.wording import LONGEST, clip, one_line

WORDS = {
    "empty": "`{0}` does nothing yet, so it returns None: write its lines",
    "nothing": "`{0}` never returns a value, so what comes back is None: end it with `return ...`",
    "prints": "`{0}` prints, but returns nothing: hand the value back with `return ...`",
    "none": "`{0}` returned None: does every way through it end in a `return` with a value{1}?",
    "not_async": "`{0}` is not asynchronous: write `async def {0}(...)`",
    "is_async": "`{0}` is asynchronous, but is called without `await`: write `def {0}(...)`",
    "unawaited": "`{0}` returned {1} that was never awaited: write `await` in front of {2}",
    "tasks": "`{0}` returned what was never awaited: hand back what each of them gives, such as by"
    " `await asyncio.gather(*...)`",
    "finished": "`{0}` returned {1}, and not what came of {2}: hand back `.result()`",
    "yields": "`{0}` has a `yield` in it, which makes a generator: collect the values in a list and"
    " `return` that",
    "generator": "`{0}` returned a generator, which gives its values only once: return a list",
    "values": "`{0}` returned {1} where {2} are asked for: write `return {3}`",
    "type": "`{0}` returned {1}{2}: using it ended in {3}; look at its `return`",
    "short": "`{0}` returned {1} before all was done that is asked for; does it return too early?",
    "undone": "`{0}` came to its end, but not all was done that is asked for; what is missing"
    " before it?",
    "no_data": "`{0}` gave back {1} where plain values are asked for, such as texts, numbers and"
    " lists; look at its `return`",
    "arguments": "`{0}()` {1}: keep the first line of `{0}` as it was given",
    "name": "`{0}` is not defined ({1}); is it spelt right, imported, and was the cell that makes"
    " it run?",
    "awaits_value": "{0} was awaited that is there at once ({1}); take that `await` away, or make"
    " asynchronous what it calls",
    "awaits_nothing": "something was used before it was awaited ({0}); write `await` in front of"
    " the call that made it",
    "gather": "asyncio.gather was given a list ({0}); put a star in front of it:"
    " `asyncio.gather(*...)`",
    "key": 'a dict has no `.{0}` ({1}); write `["{0}"]`',
    "no_keys": "{0} has no keys ({1}); read its parts with a dot, such as `.name`",
    "attribute": "{0} has no `{1}` ({3}); did you mean `{2}`?",
    "caught": ": your code raised {0} ({1}); look at that line",
    "stub": "not attempted yet: `{0}` still raises NotImplementedError ({1}); take that line out"
    " when yours are there",
}
CODES = {
    "code.empty": "the definition is there, but does nothing",
    "code.nothing": "the definition has no `return` with a value",
    "code.prints": "the definition prints where it should return",
    "code.none": "the definition returned None where a value is asked for",
    "code.not_async": "the definition is a plain function where an asynchronous one is asked for",
    "code.is_async": "the definition is asynchronous where a plain function is asked for",
    "code.unawaited": "what the definition returned was never awaited",
    "code.tasks": "the definition returned tasks that nobody had awaited",
    "code.finished": "the definition returned tasks that are over, and not what they gave",
    "code.yields": "the definition is a generator",
    "code.generator": "the definition returned a generator",
    "code.values": "the definition returned another number of values",
    "code.type": "the definition returned something of a type that is of no use",
    "code.short": "the definition returned before all was done that the stage goes on with",
    "code.undone": "the definition ended before all was done that the stage goes on with",
    "code.no_data": "what the definition returned is no data",
    "code.arguments": "the definition takes other arguments than those it is called with",
    "code.name": "a name is used that nothing defines",
    "code.awaits_value": "something was awaited that is no awaitable",
    "code.awaits_nothing": "a coroutine was used before it was awaited",
    "code.gather": "asyncio.gather was given a list instead of what is in it",
    "code.key": "a key of a dictionary was read as an attribute",
    "code.no_keys": "an attribute was read as a key",
    "code.attribute": "an attribute was asked for that is nearly the name of another",
}
_TYPE_AT = {"type": 1, "short": 1, "no_data": 1, "awaits_value": 0, "no_keys": 0, "attribute": 0}
UNAWAITED = {"unawaited", "tasks", "is_async", "awaits_nothing"}
"""Mistakes after which there is something that nobody ever awaits."""

_ERROR = re.compile(r"\b[A-Z]\w+(?:Error|Exceeded)\b|the call raises")
_LINE = 70  # characters of a line of the student's


def in_plain_words(log: Log, verdict: Verdict, contract: str = "") -> Verdict:
    """The verdict on a run, in words for the mistake behind it when it is one of the common ones.

    Whether it passed, and what it shows, stay as they are. So does what a check says where the
    stage caught an error: the exercise may ask for one, and this is another. One that the contract
    names is never told as a cause, since code that raises it may be right.
    """
    kind, *texts = log.mistake or ("",)
    if verdict.passed or not _explains(kind, log, verdict):
        return verdict
    if kind == "caught" and re.search(rf"\b{re.escape(texts[0].partition(':')[0])}\b", contract):
        return verdict
    if kind == "none":
        texts = [*texts[:1], " or in an error" if _ERROR.search(contract) else ""]
    message = clip(one_line(_told(kind, texts)), LONGEST)
    code = f"code.{kind}" if verdict.sign == "not yet" and kind != "caught" else verdict.code
    if kind == "caught":
        found = verdict.message.rpartition("; ")[0] or verdict.message
        message = f"{clip(found, LONGEST - len(message))}{message}"
    return Verdict(verdict.sign, code, message, verdict.evidence, cause=" ".join(log.mistake[:2]))


def _explains(kind: str, log: Log, verdict: Verdict) -> bool:
    """Whether a mistake is the reason for this verdict, and not only beside it."""
    if kind not in WORDS or (verdict.sign == "not attempted") != (kind == "stub"):
        return False
    return kind != "none" or log.failure is not None or verdict.code.startswith("value.")


def _told(kind: str, texts: Sequence[str]) -> str:
    shown = [clip(each, _LINE) for each in texts]
    try:
        if kind in _TYPE_AT:
            shown[_TYPE_AT[kind]] = _a(shown[_TYPE_AT[kind]])
        if kind == "type":
            shown[2] = f" where its first line promises {shown[2]}" if shown[2] else ""
        return WORDS[kind].format(*shown)
    except IndexError:  # the box said fewer words than it should
        return f"`{''.join(shown[:1])}` could not be used"


def _a(kind: str) -> str:
    """A type's name with its article."""
    return f"an {kind}" if kind[:1] in "aeiouAEIOU" else f"a {kind}"
