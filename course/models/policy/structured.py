"""Structured: an answer in the shape of a JSON schema, filled from the conversation."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import Any

from course.models.policy.arguments import Texts, fill
from course.models.policy.conversation import Exchange, Talk
from course.models.policy.extraction import extract
from course.models.policy.judging import criteria_in, verdict
from course.models.policy.material import read_json
from course.models.policy.needs import records
from course.models.policy.orders import form_of, ordered, written
from course.models.policy.params import Param, params
from course.models.policy.patterns import regex
from course.models.policy.plans import is_plan, plan_value
from course.models.policy.reader.choices import hits
from course.models.policy.replies import gathered
from course.models.policy.results import error_words
from course.models.policy.schemas import Schema, as_schema, fits, follow, minimal, repaired, type_of
from course.models.policy.synthesis import best_of, sentences
from course.models.policy.words import human, name_words

_REST = frozenset(
    "other others unknown general none fallback unclear default misc unsure neutral human".split()
)
_SURE = frozenset("confidence probability score certainty likelihood".split())
_TEXTS = frozenset(
    "answer summary text reply response result message report output conclusion "
    "explanation reasoning rationale analysis".split()
)
_REPLY = regex(r"(?=.*\w{3})\s*\S+(?:\s+\S+){0,7}\s*")
"""A few words, more than a sigh: a reply that gives values and names no field."""
_REASONS = frozenset("reason reasoning rationale explanation why justification".split())


@dataclass(frozen=True)
class Source:
    """What an answer is made from: the conversation, and the text that would be said without a
    schema (worked out only when a field asks for text), and what the person said to which
    question."""

    talk: Talk
    said: Callable[[], str]
    heard: tuple[Exchange, ...] = ()

    @property
    def texts(self) -> Texts:
        """The conversation as texts to fill from."""
        talk = self.talk
        clause = " ".join((talk.request, *talk.answers))
        return Texts(clause, (), (talk.material, *talk.earlier), (talk.instructions,), talk.today)


def structured(schema: Schema, source: Source) -> str:
    """JSON text that validates against the schema.

    A schema whose required fields hold itself has no finite value: it gets one that breaks off.
    """
    try:
        value = repaired(_value(schema, schema, source, "answer"), schema, schema)
    except RecursionError:
        value = minimal(schema, schema)
    return json.dumps(value, ensure_ascii=False)


def _value(schema: Schema, root: Schema, source: Source, name: str) -> Any:
    inner = follow(schema, root)
    if type_of(inner) == "object" and as_schema(inner.get("properties")):
        if is_plan(inner, root):
            return plan_value(inner, root, source.talk)
        return _object(inner, root, source)
    wrapped = {
        "type": "object",
        "properties": {name: schema},
        "required": [name],
        **{k: root[k] for k in ("$defs", "definitions") if k in root},
    }
    return _object(wrapped, wrapped, source).get(name) if name != "" else minimal(schema, root)


def _object(schema: Schema, root: Schema, source: Source) -> dict[str, Any]:
    """The fields of an object: given under their names, from results, said in answers, worked out,
    read out of the text, or made."""
    talk, wanted = source.talk, params(schema, root)
    filled = _read(schema, root, source)
    known = _given(wanted, root, talk) | _from_results(wanted, talk)
    if any(x.asked for x in source.heard):
        known |= gathered(wanted, source.heard, root, talk.today)
    known |= {n: v for n, v in verdict(wanted, talk).items()
              if fits(v, next(p.raw for p in wanted if p.name == n), root)}  # fmt: skip
    settled = {p.name for p in wanted if not _elsewhere(p, wanted, root)} & {*filled}
    known |= _worked_out(wanted, {*known, *settled}, root, talk)
    out: dict[str, Any] = {}
    for param in wanted:
        if param.name in known:
            out[param.name] = known[param.name]
        elif filled.get(param.name) is not None and not (_says(param) and param.type == "string"):
            out[param.name] = filled[param.name]
        elif param.nullable and param.kind in ("object", "array") and param.name in filled:
            out[param.name] = None
        elif param.required:
            out[param.name] = _made(param, root, source)
    return out


def _says(param: Param) -> bool:
    """Whether a field is for what would be said without a schema."""
    named = set(name_words(param.name)) & _TEXTS
    return bool(named) and param.kind in ("words", "query", "prose")


def _read(schema: Schema, root: Schema, source: Source) -> dict[str, Any]:
    """The fields that the person's words hold; of a short reply whatever fits, and of a sentence
    also what it lists."""
    wanted = params(schema, root)
    told = "\n".join(dict.fromkeys((_said(source.talk), *source.talk.answers)))
    definitions = {k: root[k] for k in ("$defs", "definitions") if k in root}
    described = {**_described(schema, source.talk.instructions), **definitions}
    filled = extract(described, told, source.talk.today)
    if _REPLY.fullmatch(told) and not any(value is not None for value in filled.values()):
        filled = dict(fill(schema, source.texts, root=root).values)
    elif len(told.split()) <= _SENTENCE and any(_strings(p) for p in wanted):
        listed = fill(schema, source.texts, root=root).values
        filled |= {p.name: listed[p.name] for p in wanted if _strings(p) in {*listed} - {*filled}}
    return {p.name: filled[p.name] for p in wanted if p.name in filled and not _greets(p)}


def _described(schema: Schema, instructions: str) -> Schema:
    """The schema with what instructions note about a field ("claim: REFD money back. ...", or a
    row of a table) as part of its description."""
    fields: dict[str, Any] = {}
    for name, field in as_schema(schema.get("properties")).items():
        note = re.search(
            rf"(?<![\w-]){re.escape(name)} *[:|=] *([^|\n]+?)(?:\.\s|\.?\s*$|[|\n])", instructions
        )
        told = f"{as_schema(field).get('description', '')} {note[1]}".strip() if note else ""
        fields[name] = {**as_schema(field), "description": told} if told else field
    return {**schema, "properties": fields}


_SENTENCE = 25
"""Words of a message that may be a list from its beginning to its end."""


def _strings(param: Param) -> str | None:
    """The field's name if it is a list of texts, such as what somebody wants."""
    items = as_schema(param.schema.get("items"))
    return param.name if param.kind == "array" and type_of(items) == "string" else None


def _greets(param: Param) -> bool:
    return param.type == "string" and bool(set(name_words(param.name)) & _GREETINGS)


def _said(talk: Talk) -> str:
    """What the person wrote last; of a message that is JSON the texts in it."""
    try:
        return "\n".join(_texts_of(read_json(talk.latest))) or talk.latest
    except ValueError:
        return talk.latest


def _elsewhere(param: Param, wanted: tuple[Param, ...], root: Schema) -> bool:
    """Whether a field is worked out by rules of its own: a judgement, or what is ordered where the
    answer is little else."""
    listed = param.kind == "array" and form_of(as_schema(param.schema.get("items")), root)
    return param.kind == "enum" or (bool(listed) and len(wanted) <= 3)


def _given(wanted: tuple[Param, ...], root: Schema, talk: Talk) -> dict[str, Any]:
    """Fields that the message gives under the same name."""
    given = talk.given
    return {p.name: given[p.name] for p in wanted
            if p.name in given and fits(given[p.name], p.raw, root)}  # fmt: skip


def _worked_out(
    wanted: tuple[Param, ...], known: Set[str], root: Schema, talk: Talk
) -> dict[str, Any]:
    """Fields that take more than copying: what is ordered, what was refused, greetings."""
    found = {p.name: _by_rule(p, root, talk) for p in wanted if p.name not in known}
    raw = {p.name: p.raw for p in wanted}
    return {n: v for n, v in found.items() if v is not None and fits(v, raw[n], root)}


def _by_rule(param: Param, root: Schema, talk: Talk) -> Any:
    items = as_schema(param.schema.get("items"))
    if param.kind == "array" and (form := form_of(items, root)):
        lines = ordered(" ".join((talk.request, *talk.answers)), form)
        return written(lines, form, items, root) if lines or not talk.made else None
    if param.kind == "enum":
        options = tuple(o for o in param.schema.get("enum", ()) if isinstance(o, str))
        return _meeting(options, talk) or best_of(options, talk)
    if param.kind == "array" and set(name_words(param.name)) & _REFUSED:
        return [error_words(m.error) for m in talk.made if m.error]
    return "Hello and welcome!" if _greets(param) else None


def _meeting(options: tuple[str, ...], talk: Talk) -> str | None:
    """Of several numbered texts the one that lacks least of what the instructions want."""
    texts = dict(_NUMBERED.findall(talk.latest))
    criteria = criteria_in(talk.instructions)
    if criteria is None or len(options) < 2 or not set(options) <= {*texts}:
        return None
    return min(options, key=lambda o: len(criteria.lacks(texts[o])))


_NUMBERED = regex(r"^\W*(\w{1,3})[:.)] +(.+)$", re.MULTILINE)
_REFUSED = frozenset("refused rejected unavailable missing unknown problems errors".split())
_GREETINGS = frozenset("greeting welcome salutation hello".split())


def _from_results(wanted: tuple[Param, ...], talk: Talk) -> dict[str, Any]:
    """Fields that a record in a tool result carries under the same name, or a list of them."""
    held = [r.fields for r in records(talk.made)]
    lists = [{k: v for k, v in m.data.items() if isinstance(v, list)} for m in talk.made
             if m.error is None and isinstance(m.data, Mapping)]  # fmt: skip
    every = [*held, *lists][::-1]
    return {p.name: f[p.name] for p in wanted for f in every if f.get(p.name) is not None}


def _made(param: Param, root: Schema, source: Source) -> Any:
    """A value for a required field that no text and no result names."""
    maker = _MAKERS.get(param.kind)
    if maker:
        return maker(param, root, source)
    if set(name_words(param.name)) & _SURE and param.type in ("number", "integer"):
        return round(0.9 * param.schema.get("maximum", 1), 3 * (param.type == "number"))
    if param.nullable:
        return None
    if param.kind == "date":
        return source.talk.today.isoformat()
    if param.type == "string":
        return _string(param, source)
    return minimal(param.raw, root)


def _string(param: Param, source: Source) -> str:
    if set(name_words(param.name)) & _REASONS:
        return source.talk.request.strip()[:200]
    return source.said() if _says(param) else ""


def _enumerated(param: Param, root: Schema, source: Source) -> Any:
    """The value of an enumeration that nothing speaks for: null, "other" or the first that is not
    denied."""
    if param.nullable:
        return None
    options = param.schema.get("enum", [param.schema.get("const")])
    denied = {h.value for h in hits(param, source.texts.clause) if h.negated}
    left = [o for o in options if o not in denied] or options
    return next((o for o in left if set(name_words(str(o))) & _REST), left[0] if left else None)


def _array(param: Param, root: Schema, source: Source) -> list[Any]:
    items = as_schema(param.schema.get("items"))
    inner = follow(items, root)
    if type_of(inner) == "object":
        wanted = [p.name for p in params(inner, root)]
        rows = [
            {k: r.fields[k] for k in wanted if k in r.fields} for r in records(source.talk.made)
        ]
        return [repaired(r, items, root) for r in rows if r]
    if type_of(inner) == "string" and "enum" not in inner:
        return sentences(source.said())[:6] if source.talk.made or source.talk.material else []
    return []


def _inner_object(param: Param, root: Schema, source: Source) -> Any:
    return (
        _value(param.raw, root, source, "")
        if "properties" in param.schema
        else minimal(param.raw, root)
    )


_MAKERS: dict[str, Callable[[Param, Schema, Source], Any]] = {
    "enum": _enumerated,
    "array": _array,
    "object": _inner_object,
}

_EXAMPLE = regex(r"\{[^{}]*(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}[^{}]*)*\}", re.DOTALL)


_KEYED = regex(
    r"\b(?P<key>[a-z]\w*) \((?P<type>string|text|number|integer|boolean|true/false|yes/no"
    r"|YYYY-MM-DD|HH:MM)(?P<null> or null)?\)",
    re.IGNORECASE,
)
_TYPES: dict[str, Schema] = {
    "number": {"type": "number"}, "integer": {"type": "integer"}, "boolean": {"type": "boolean"},
    "true/false": {"type": "boolean"}, "yes/no": {"type": "boolean"},
    "yyyy-mm-dd": {"type": "string", "format": "date"},
    "hh:mm": {"type": "string", "description": "HH:MM"},
}  # fmt: skip


def _schema_of_keys(text: str) -> Schema | None:
    """A schema for keys that are described in words: "due (YYYY-MM-DD), total (number or null)"."""
    fields: dict[str, Schema] = {}
    for each in _KEYED.finditer(text):
        plain = _TYPES.get(each["type"].lower(), {"type": "string"})
        fields[each["key"]] = {**plain, "type": [plain["type"], "null"]} if each["null"] else plain
    return {"type": "object", "properties": fields, "required": list(fields)} if fields else None


def schema_of_example(text: str) -> Schema | None:
    """A schema for the JSON in a prompt: an example of it ('Answer as {"team": "...", "urgent":
    true}'), or its keys with their types."""
    if keyed := _schema_of_keys(text):
        return keyed
    for match in _EXAMPLE.finditer(text):
        try:
            return _schema_of(read_json(_ONE_OF.sub(_as_options, match.group())))
        except ValueError:
            continue
    return None


_ONE_OF = regex(r"(?<=: )(?:[\w\"']+, )*[\w\"']+ or [\w\"']+(?=\s*[,}])")
"""How an example lists the values that a field may have: `"best": 1, 2 or 3`."""


def _as_options(listed: re.Match[str]) -> str:
    return json.dumps("|".join(w for w in re.findall(r"\w+", listed[0]) if w != "or"))


def _schema_of(value: Any) -> Schema:
    if isinstance(value, Mapping):
        return {
            "type": "object",
            "properties": {k: _schema_of(v) for k, v in value.items()},
            "required": list(value),
        }
    if isinstance(value, list):
        return {"type": "array", "items": _schema_of(value[0]) if value else {"type": "string"}}
    if isinstance(value, str) and "|" in value:
        return {"type": "string", "enum": re.split(r"\s*\|\s*", value.strip("<> "))}
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string"}
    return {"type": kinds.get(type(value), "null")}


def free_object(talk: Talk, said: str) -> str:
    """JSON text for a request that asks for JSON without saying in which shape."""
    data = {human(m.name).replace(" ", "_"): m.data for m in talk.made if m.error is None}
    return json.dumps(data or {"answer": said}, ensure_ascii=False, default=str)


def _texts_of(value: Any) -> list[str]:
    """The strings in a JSON value, in order."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, Mapping) else value
    return [t for v in inner for t in _texts_of(v)] if isinstance(value, Mapping | list) else []
