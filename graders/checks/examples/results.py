"""Examples: what a result is made of, its values and type, how a run ended, histories."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from course.models.wire import Key
from graders.checks.content import built_from, gaps_named
from graders.checks.examples.play import (
    Example,
    ask,
    assistant,
    call,
    failed,
    seen,
    system,
    user,
)
from graders.checks.histories import history, history_grows
from graders.checks.invention import nothing_invented
from graders.checks.keys import by_argument
from graders.checks.outcome import raises, returned
from graders.checks.schemas import typed
from graders.checks.senders import sent_as
from graders.checks.values import equals, fits
from graders.records.log import Exchange, Failure, Log, Moment

CITY = by_argument("city")
BOTH = ["Rome", "Oslo"]
BROKEN = Failure("KeyError", "'Rome'", "your line 4: return found[city]")


class Day(BaseModel):
    """What the weather was."""

    city: str
    degrees: float


def answered(result: Any, **more: Any) -> Log:
    """Rome and Oslo are asked and answered with a token each."""
    return seen(
        call("weather", 0, 1, city="Rome", token="1a2b9"),
        call("weather", 0, 2, city="Oslo", token="3c4d9"),
        result=result,
        **more,
    )


def half(result: Any) -> Log:
    """Rome is answered, Oslo fails."""
    return seen(
        call("weather", 0, 1, city="Rome", token="1a2b9"),
        failed("weather", 0, 2, city="Oslo"),
        result=result,
    )


def talked(*last: dict[str, Any], reply: str = "Hello, 77aa1.") -> Log:
    """A first request, its answer, and a second request with the given messages."""
    first = ask(0, 1, system("Be brief."), user("Hi"), reply=reply, token="77aa1")
    return seen(first, ask(2, 3, *last, reply="Bye."))


def _tool_message(ident: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": ident, "content": "18"}


def _calling(ident: str) -> dict[str, Any]:
    function = {"name": "weather", "arguments": "{}"}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": ident, "function": function}],
    }


def _bill(text: str) -> Log:
    return seen(call("bills", 0, 1, reply={"total": 1234.5, "number": "INV20417"}), result=text)


def _value(result: Any) -> Log:
    return seen(result=result)


_BUILT = built_from(CITY, BOTH)
_PLACED = built_from(CITY, BOTH, places={"Rome": "Rome", "Oslo": "Oslo"})
_GAPS = gaps_named(CITY, BOTH, at="missing")
_HONEST = nothing_invented()
_EQUALS = equals({"city": "Rome", "days": [1, 2]})
_TYPED = typed(Day)
_KEEPS = history(keeps=["be brief", {"role": "assistant", "content": "77aa1"}, user("And now?")])
_GROWS = history_grows()
_NAMED = sent_as(run="rehearsal", agent="clerk", turns=True)
_FULL = (system("Be brief."), user("Hi"), assistant("Hello, 77aa1."), user("And now?"))
_RAISES = raises("ModelError", "weather")


def _stopped() -> Log:
    moment = Moment("stalled", 3.0, "gather, worker")
    return seen(returned=False, moments=(moment,), ended=3)


def named(*keys: tuple[str, str, int]) -> Log:
    """Requests in whose headers stand a run, an agent and a turn."""
    return seen(*(ask(n, n + 1, user("Go on"), key=Key(*key)) for n, key in enumerate(keys)))


EXAMPLES = [
    Example("built_from", "content.no_result", _BUILT, answered(None, failure=BROKEN)),
    Example("built_from", "content.missing", _BUILT, seen(call("weather", 0, 1, city="Rome"))),
    Example("built_from", "content.no_answer", _BUILT, half("1a2b9 3c4d9")),
    Example("built_from", "content.lost", _BUILT, answered("Rome: it is 1a2b9")),
    Example(
        "built_from",
        "content.misplaced",
        _PLACED,
        answered({"Rome": "it is 3c4d9", "Oslo": "it is 1a2b9"}),
    ),
    Example(
        "built_from",
        "content.order",
        built_from(CITY, BOTH, ordered=True),
        answered(["it is 3c4d9", "it is 1a2b9"]),
    ),
    Example("gaps_named", "gaps.no_result", _GAPS, answered(None, failure=BROKEN)),
    Example("gaps_named", "gaps.missing", _GAPS, seen(call("weather", 0, 1, city="Rome"))),
    Example("gaps_named", "gaps.unnamed", _GAPS, half({"missing": []})),
    Example("gaps_named", "gaps.false_alarm", _GAPS, half({"missing": ["Rome", "Oslo"]})),
    Example("nothing_invented", "invented.no_result", _HONEST, seen(failure=BROKEN)),
    Example("nothing_invented", "invented.empty", _HONEST, _bill("")),
    Example("nothing_invented", "invented.number", _HONEST, _bill("The total is 1,300 euros.")),
    Example("nothing_invented", "invented.token", _HONEST, _bill("See bill INV99999.")),
    Example("equals", "value.no_result", _EQUALS, _stopped()),
    Example("equals", "value.nowhere", equals(3, at="items.0.price"), _value({"items": []})),
    Example("equals", "value.kind", _EQUALS, _value({"city": "Rome", "days": [1, "2"]})),
    Example("equals", "value.missing", _EQUALS, _value({"city": "Rome"})),
    Example("equals", "value.extra", _EQUALS, _value({"city": "Rome", "days": [1, 2], "note": ""})),
    Example("equals", "value.length", _EQUALS, _value({"city": "Rome", "days": [1]})),
    Example("equals", "value.differs", _EQUALS, _value({"city": "Oslo", "days": [1, 2]})),
    Example("fits", "value.differs", fits([1, 2], any_order=True), _value([1, 3])),
    Example("typed", "typed.no_result", _TYPED, seen(failure=BROKEN)),
    Example("typed", "typed.nowhere", typed(Day, at="day"), _value({"city": "Rome"})),
    Example("typed", "typed.missing_field", _TYPED, _value({"city": "Rome"})),
    Example(
        "typed",
        "typed.extra_field",
        typed({"type": "object", "properties": {}, "additionalProperties": False}),
        _value({"city": "Rome"}),
    ),
    Example("typed", "typed.wrong_type", _TYPED, _value({"city": "Rome", "degrees": "18"})),
    Example("typed", "typed.invalid", typed({"enum": ["red", "green"]}), _value("blue")),
    Example("returned", "returned.not", returned(), _stopped()),
    Example(
        "returned", "not_attempted", returned(), seen(failure=Failure("NotImplementedError", ""))
    ),
    Example("raises", "raised.nothing", _RAISES, _value("all is well")),
    Example("raises", "raised.other", _RAISES, seen(failure=BROKEN)),
    Example("raises", "raised.words", _RAISES, seen(failure=Failure("ModelError", "no"))),
    Example("raises", "raised.stopped", _RAISES, _stopped()),
    Example("history", "history.no_request", history(which=1), seen(ask(0, 1, user("Hi")))),
    Example("history", "history.missing", _KEEPS, talked(user("And now?"))),
    Example("history", "history.leaked", history(drops=["be brief"]), talked(*_FULL)),
    Example("history", "history.order", _KEEPS, talked(*reversed(_FULL))),
    Example(
        "history",
        "history.twice",
        history(keeps=[user("And now?")], once=True),
        talked(*_FULL, user("And now?")),
    ),
    Example("history", "history.too_long", history(at_most=3), talked(*_FULL)),
    Example("history", "history.broken_pair", history(), talked(user("Hi"), _tool_message("c1"))),
    Example("sent_as", "sent.other_run", _NAMED, named(("run", "clerk", 0))),
    Example("sent_as", "sent.other_agent", _NAMED, named(("rehearsal", "chief", 0))),
    Example(
        "sent_as",
        "sent.same_turn",
        _NAMED,
        named(("rehearsal", "clerk", 0), ("rehearsal", "clerk", 0)),
    ),
    Example("history_grows", "history.no_request", _GROWS, seen(ask(0, 1, user("Hi")))),
    Example("history_grows", "history.forgot", _GROWS, talked(user("And now?"))),
    Example(
        "history_grows",
        "history.reply_lost",
        _GROWS,
        talked(system("Be brief."), user("Hi"), user("And now?")),
    ),
]


def _tokens(log: Log) -> list[str]:
    return [each.token for each in log.exchanges]


def _hot(value: Any) -> bool:
    """a number above 30"""
    return bool(value > 30)


def _said(log: Log) -> list[str]:
    first: Exchange = log.requests()[0]
    return [first.token]


PASSES = [
    (_BUILT, answered("Rome: 1A2B9; Oslo: (3c4d9)")),
    (_BUILT, answered([{"oslo": {"text": "it is 3c4d9"}}, "it is 1a2b9"])),
    (_PLACED, answered({"Rome": "it is 1a2b9", "Oslo": "it is 3c4d9"})),
    (built_from(CITY, BOTH, ordered=True), answered(["it is 1a2b9", "it is 3c4d9"])),
    (built_from(CITY, ["Rome"], at="0"), half(["1a2b9", ""])),
    (
        built_from(CITY, ["Rome"]),
        seen(call("weather", 0, 1, city="Rome", reply={"sky": "grey"}), result="a grey sky"),
    ),
    (_GAPS, half({"missing": ["Oslo"], "found": {"Rome": "1a2b9"}})),
    (gaps_named(CITY, BOTH), half("Nothing could be found out about OSLO.")),
    (gaps_named(CITY, BOTH, names={"Oslo": "the north"}), half("the north is missing")),
    (_HONEST, _bill("The total of inv20417 is 1,234.50 euros, in 2 parts.")),
    (_HONEST, _bill("1 234.5, 1.234,50 or about 1235")),
    (nothing_invented(also=[2026]), _bill("1234.5 in 2026")),
    (nothing_invented(derived=lambda log: [2469.0]), _bill("twice: 2469")),
    (_EQUALS, _value({"days": [1.0, 2], "city": "Rome"})),
    (equals(_tokens), answered(["1a2b9", "3c4d9"])),
    (equals([[1, 2], [3]], any_order=True), _value([[3], [2, 1]])),
    (equals(1.0, within=0.01), _value(1.001)),
    (equals(None, at="a"), _value({"a": None})),
    (fits({"city": "Rome", "degrees": _hot}), _value({"city": "Rome", "degrees": 31, "sky": ""})),
    (fits([_hot, 40], any_order=True), _value([40, 31])),
    (_TYPED, _value({"city": "Rome", "degrees": 18})),
    (typed({"type": "array", "minItems": 1}, at="a"), _value({"a": [1]})),
    (returned(), _value(None)),
    (_RAISES, seen(failure=Failure("ModelError", "no Weather today"))),
    (_KEEPS, talked(*_FULL)),
    (_KEEPS, talked(system("Be brief, and kind."), *_FULL[1:])),
    (history(keeps=_said, drops=["Be brief"], at_most=3), talked(*_FULL[1:])),
    (history(which=0, drops=["And now?"]), talked(*_FULL)),
    (
        history(keeps=["18"]),
        talked(user("Hi"), _calling("c1"), _tool_message("c1"), user("And now?")),
    ),
    (_GROWS, talked(*_FULL)),
    (_GROWS, talked(*_FULL[:3])),
]
