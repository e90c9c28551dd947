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
from course.models.policy.match import choose
from course.models.policy.needs import records
from course.models.policy.orders import form_of, ordered, written
from course.models.policy.params import Param, params
from course.models.policy.plans import is_plan, plan_value
from course.models.policy.reader.choices import chosen, hits
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
_REPLY = re.compile(r"(?=.*\w{3})\s*\S+(?:\s+\S+){0,7}\s*")
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
    told = "\n".join(dict.fromkeys((_said(source.talk), *source.talk.answers)))
    filled = extract(
        {
            **_described(schema, source.talk.instructions),
            **{k: root[k] for k in ("$defs", "definitions") if k in root},
        },
        told,
        source.talk.today,
    )
    wanted = params(schema, root)
    if _REPLY.fullmatch(told) and not any(value is not None for value in filled.values()):
        filled = dict(fill(schema, source.texts, root=root).values)
    elif len(told.split()) <= _SENTENCE and any(_strings(p) for p in wanted):
        listed = fill(schema, source.texts, root=root).values
        filled |= {p.name: listed[p.name] for p in wanted if _strings(p) in {*listed} - {*filled}}
    filled = {p.name: filled[p.name] for p in wanted if p.name in filled and not _greets(p)}
    known = _given(schema, root, source.talk) | _from_results(schema, root, source.talk)
    if any(x.asked for x in source.heard):
        known |= gathered(params(schema, root), source.heard, root, source.talk.today)
    settled = {p.name for p in params(schema, root) if not _elsewhere(p, schema, root)} & {*filled}
    known |= _worked_out(params(schema, root), {*known, *settled}, root, source.talk)
    out: dict[str, Any] = {}
    for param in params(schema, root):
        texts = set(name_words(param.name)) & _TEXTS and param.kind in ("words", "query", "prose")
        plain = texts
        if param.name in known:
            out[param.name] = known[param.name]
        elif filled.get(param.name) is not None and not (plain and param.type == "string"):
            out[param.name] = filled[param.name]
        elif param.nullable and param.kind in ("object", "array") and param.name in filled:
            out[param.name] = None
        elif param.required:
            out[param.name] = _made(param, root, source)
    return out


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
        return "\n".join(_texts_of(json.loads(talk.latest))) or talk.latest
    except (ValueError, RecursionError):
        return talk.latest


def _elsewhere(param: Param, schema: Schema, root: Schema) -> bool:
    """Whether a field is worked out by rules of its own: a judgement, or what is ordered where the
    answer is little else."""
    listed = param.kind == "array" and form_of(as_schema(param.schema.get("items")), root)
    return param.kind == "enum" or (bool(listed) and len(params(schema, root)) <= 3)


def _given(schema: Schema, root: Schema, talk: Talk) -> dict[str, Any]:
    """Fields that the message gives under the same name."""
    return {
        p.name: talk.given[p.name]
        for p in params(schema, root)
        if p.name in talk.given and fits(talk.given[p.name], p.raw, root)
    }


def _worked_out(
    wanted: tuple[Param, ...], known: Set[str], root: Schema, talk: Talk
) -> dict[str, Any]:
    """Fields that take more than copying: what is ordered, what was refused, sums, greetings."""
    found: dict[str, Any] = {}
    for param in wanted:
        words = set(name_words(param.name))
        if param.name in known:
            continue
        if param.kind == "array" and (form := form_of(as_schema(param.schema.get("items")), root)):
            items = as_schema(param.schema["items"])
            lines = ordered(" ".join((talk.request, *talk.answers)), form)
            if lines or not talk.made:
                found[param.name] = written(lines, form, items, root)
        elif param.kind == "enum":
            options = param.schema.get("enum", ())
            found[param.name] = best_of(tuple(o for o in options if isinstance(o, str)), talk)
        elif param.kind == "array" and words & _REFUSED:
            found[param.name] = [error_words(m.error) for m in talk.made if m.error]
        elif _greets(param):
            found[param.name] = "Hello and welcome!"
    return {p.name: found[p.name] for p in wanted if _valid(p, found, root)}


def _valid(param: Param, found: Mapping[str, Any], root: Schema) -> bool:
    value = found.get(param.name)
    return value is not None and fits(value, param.raw, root)


_REFUSED = frozenset("refused rejected unavailable missing unknown problems errors".split())
_GREETINGS = frozenset("greeting welcome salutation hello".split())


def _from_results(schema: Schema, root: Schema, talk: Talk) -> dict[str, Any]:
    """Fields that a record in a tool result carries under the same name, or a list of them."""
    held = [r.fields for r in records(talk.made)]
    lists = [{k: v for k, v in m.data.items() if isinstance(v, list)} for m in talk.made
             if m.error is None and isinstance(m.data, Mapping)]  # fmt: skip
    return {
        p.name: fields[p.name]
        for p in params(schema, root)
        for fields in reversed([*held, *lists])
        if fields.get(p.name) is not None
    }


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
    said = set(name_words(param.name))
    if said & _REASONS:
        return f"The words of the request decide: {source.talk.request.strip()[:200]}"
    if said & _TEXTS and param.kind in ("words", "query", "prose"):
        return source.said()
    return ""


def _enumerated(param: Param, root: Schema, source: Source) -> Any:
    options = param.schema.get("enum", [param.schema.get("const")])
    for text in (source.texts.clause, source.talk.material):
        value = chosen(param, text, (source.talk.instructions,)) if text else None
        if value is not None:
            return value
    names = tuple(o for o in options if isinstance(o, str))
    ranked = (
        choose(names, source.texts.clause, (param.description, source.talk.instructions))
        if names
        else []
    )
    if ranked and ranked[0][0] > 0:
        return ranked[0][1]
    if param.nullable:
        return None
    rest = next((n for n in names if set(name_words(n)) & _REST), None)
    denied = {h.value for h in hits(param, source.texts.clause) if h.negated}
    return rest or next((o for o in options if o not in denied), next(iter(options), None))


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

_EXAMPLE = re.compile(r"\{[^{}]*(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}[^{}]*)*\}", re.DOTALL)


_KEYED = re.compile(
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
            return _schema_of(json.loads(match.group()))
        except (ValueError, RecursionError):
            continue
    return None


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
