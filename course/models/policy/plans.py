"""Plans: a request as a graph of tasks for the workers that a prompt lists.

What is asked is cut into jobs, each for the worker that suits it best: by `planning` where workers
have tools, by `assigned` where they are people of any trade. Orders wait for others when their
words say so ("then", "based on", "using the prices") or when their kind of work does: comparing
waits for gathering, writing for both. One order that no single worker covers goes through all
workers in that sequence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from course.models.policy.asks import Ask, brief_of, leaning
from course.models.policy.assigned import assigned, reaches
from course.models.policy.clauses import Clause, constraints, polished
from course.models.policy.conversation import Talk
from course.models.policy.params import Param, params
from course.models.policy.patterns import regex
from course.models.policy.planning import jobs
from course.models.policy.schemas import Schema, as_schema, follow, minimal, type_of
from course.models.policy.staff import (
    Hand,
    Hands,
    Job,
    calculates,
    hands,
    of,
    ranked,
    role,
    searcher,
    workers_in,
)
from course.models.policy.words import (
    NUMBER_WORDS,
    content,
    cue,
    name_words,
    singular,
    stem,
    tokens,
    word_list,
)


@dataclass(frozen=True)
class PlanTask:
    """A task of a plan: its place from 1, its words, its worker and the places it waits for."""

    place: int
    text: str
    worker: str
    after: tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """The tasks of a request in an order in which they can run, without circles, and what it asks
    that no worker is there for, in its own words."""

    tasks: tuple[PlanTask, ...]
    unserved: tuple[str, ...] = ()


def plan(request: str, workers: tuple[str, ...], guides: tuple[str, ...], most: int = 12) -> Plan:
    """A request as tasks, at most so many, for workers that texts describe."""
    made, left = _jobs(request, hands(workers or ("",), guides), most)
    made = _in_order(made)[:most]
    return Plan(tuple(
        PlanTask(
            place,
            job.words,
            job.hand.name,
            tuple(n for n, other in enumerate(made, 1) if other in _needed(job)),
        )
        for place, job in enumerate(made, 1)
    ), left)  # fmt: skip


def _in_order(made: list[Job]) -> list[Job]:
    """Jobs in an order in which they can be done, as early as they stand in the list."""
    done: list[Job] = []
    while len(done) < len(made):
        done.append(next(j for j in made if j not in done and j.after <= {*done}))
    return done


def _needed(job: Job) -> set[Job]:
    """The jobs that one waits for, without those that another one of them waits for anyway, and
    those whose results it must see."""
    return {a for a in job.after if not any(reaches(o, a) for o in job.after)} | job.sees


def _jobs(request: str, among: Hands, most: int) -> tuple[list[Job], tuple[str, ...]]:
    """The jobs of a request, by the kind of workers and of request, and what is nobody's work."""
    if len(among) == 1 and among[0].name:  # the only one there is gets all of it, in its own words
        return [Job(list(brief_of(request).asks), among[0], set(), request, set())], ()
    kinds = {stage(role(h)) for h in among}
    # workers with tools look things up, and those who all gather, judge or write go in that order
    trades = not all(h.tools for h in among) and (None in kinds or len(kinds) < len(among))
    made, left = assigned(request, among) if trades else ([], ())
    if made:
        return made, left
    brief = brief_of(request)
    anybody = bool(among[0].name)
    if anybody and not any(_suits(a.text, a.command, among) for a in brief.asks):
        return [], ()
    if anybody:
        idle = [a for a in brief.asks if _idle(a, among)]
        left = tuple(a.text.rstrip(".?! ") for a in idle)
        brief = replace(brief, asks=tuple(a for a in brief.asks if a not in idle))
    if anybody and (made := _by_rank(request, among)):
        return made, left
    lone = brief.asks[0] if len(brief.asks) == 1 else None
    if lone and not lone.text.endswith("?") and len(among) > 1 and _broad(lone.text, among):
        return _pipeline(request, among), left
    made = jobs(brief, among, most)
    _in_stages(made, among)
    return made, left


def _idle(ask: Ask, among: Hands) -> bool:
    """Whether nobody is there for an ask: what no other one is described for is looked for by
    whoever searches texts, and what leans on another ask goes with that."""
    if ask.head or leaning(ask.text) or searcher(among):
        return False
    return not _suits(ask.text, ask.command, among)


def _suits(text: str, command: bool, among: Hands) -> bool:
    """Whether a text has a word in common with a worker, orders a kind of work, or is a question
    that somebody may look for in texts."""
    if ranked(text, among)[0][0] > 0 or stage(text) is not None:
        return True
    return not command and text.endswith("?") and searcher(among) is not None


# --- kinds of work ------------------------------------------------------------------------------

_USES = cue("plans.uses")
_STAGES = ("gathering", "judging", "writing")
_STAGE_OF = {stem(w): n for n in (2, 1, 0) for w in word_list(f"plans.{_STAGES[n]}")}


def stage(text: str) -> int | None:
    """The kind of work in a text: 0 gathering, 1 judging, 2 writing; by its first such word."""
    return next((_STAGE_OF[t.stem] for t in tokens(text) if t.stem in _STAGE_OF), None)


def builds_on(clause: Clause, own: int | None, earlier: list[tuple[str, int | None]]) -> list[int]:
    """The places (from 0) of the earlier tasks that a clause builds on."""
    everything = list(range(len(earlier)))
    using = _USES.search(clause.text)
    if using and earlier:
        tail = set(content(clause.text[using.start() :]))
        named = [n for n, (text, _) in enumerate(earlier) if tail & set(content(text))]
        return named if named and using.group().lower() in ("based on", "using") else everything
    if own == 2 or (own == 1 and clause.after):
        return everything
    if own == 1:
        words = set(content(clause.text))
        return [n for n, (t, kind) in enumerate(earlier) if kind == 0 and words & set(content(t))]
    return everything[-1:] if clause.after else []


def _in_stages(made: list[Job], among: Hands) -> None:
    """What orders wait for by the kind of their work; one without a word in common with anybody
    goes to whoever does work of its kind."""
    earlier: list[tuple[str, int | None]] = []
    for job in made:
        first, own = job.asks[0], stage(job.asks[0].text)
        if first.command and not first.head:
            after = builds_on(Clause(first.text, first.after), own, earlier)
            job.after |= {made[n] for n in after}
            kin = [h for h in among if stage(role(h)) == own]
            if kin and own is not None and ranked(first.text, among)[0][0] <= 0.3:
                job.hand = kin[0]
        earlier.append((job.words, own if first.command else None))


def _broad(text: str, among: Hands) -> bool:
    """Whether a lone order asks for more than one worker's work: it ends in something written,
    or no worker stands out."""
    order = ranked(text, among)
    return stage(text) == 2 or order[0][0] < 0.8 or order[0][0] - order[1][0] < 0.3


def _pipeline(request: str, among: Hands) -> list[Job]:
    """One request through all workers: gatherers side by side, then judges, then writers."""
    kinds = {h: 1 if (s := stage(role(h))) is None else s for h in among}
    order = sorted(among, key=lambda h: kinds[h])
    made: list[Job] = []
    for hand in order:
        lower = [kinds[h] for h in order if kinds[h] < kinds[hand]]
        after = [j for j in made if lower and kinds[j.hand] == max(lower)]
        about = (hand.about or hand.name).rstrip(".")
        made.append(of(f"{polished(request).rstrip('.')}: {about}", hand, after))
    return made


# --- counted groups -----------------------------------------------------------------------------

_GROUP = cue("plans.group")
_BY_RANK = regex(r"\bby (?:its |their |the )?(?:rank|place|position)\b", re.IGNORECASE)
_ORDER, _WRITTEN = cue("plans.order"), cue("plans.written")
_SUMS = regex(r"\b(?:growth|change|difference|increase|decrease)\b", re.IGNORECASE)
_MOST = 8


def _by_rank(request: str, among: Hands) -> list[Job]:
    """The jobs of a request about a counted group ("the top three cloud providers"), where somebody
    looks such things up by rank: what is asked of them is looked up for each at once, what is to be
    calculated waits for that, and what is to be written for both. Else none."""
    group = _GROUP.search(request)
    finder = next((h for h in among if _BY_RANK.search(h.about)), None)
    said = (group["n"] or group["m"]).lower() if group else ""
    count = int(said) if said.isdecimal() else NUMBER_WORDS.get(said, 0)
    if group is None or finder is None or not 2 <= count <= _MOST:
        return []
    rest = f"{request[: group.start()]}{group['after'] or ''} {request[group.end() :]}"
    aspects = [_bare(each) for each in re.split(r",(?: and| with)? | with | and |[.:] ?", rest)]
    written = [m for a in aspects if (m := _WRITTEN.search(a))]
    told = [a for a in aspects if a and not _WRITTEN.search(a)]
    sums = " and ".join(a for a in told if _SUMS.search(a))
    what = " and ".join(a for a in told if not _SUMS.search(a))
    if not what:
        return []
    noun, years = group["noun"], ", this year and the year before" if sums else ""
    one = f"Find the {what} of the {singular(noun)} of rank"
    made = [of(f"{one} {place}{years}.", finder) for place in range(1, count + 1)]
    found = list(made)
    for each in (m["about"] for m in written if m["about"]):
        made.append(of(f"Search for the {each} of {noun}.", searcher(among) or finder))
    if sums:
        order = f"Calculate the {sums} of the {what} of each of the {noun}."
        hand = next((h for h in among if calculates(h)), ranked(order, among)[0][1])
        made.append(of(order, hand, found))
    for each in written:
        words = f"Write a {each['kind'].lower()}{f' of {a}' if (a := each['about']) else ''}"
        words += f" of the {noun}, with the {what}{f' and the {sums}' if sums else ''}."
        made.append(of(words, _writer(words, among), made))
    for job in made:
        job.sees = set(job.after)
    return made


def _bare(aspect: str) -> str:
    return _ORDER.sub("", re.sub(r"^(?:and |with |the |an? )+", "", aspect.strip())).strip()


def _writer(words: str, among: Hands) -> Hand:
    own = (h for h in among if re.search(r"\bwrit", role(h)))
    return next(own, ranked(words, among)[0][1])


# --- a plan in the fields of a schema -----------------------------------------------------------

_NAMED = {
    role: frozenset(word_list(f"planfields.{role}")) for role in ("id", "after", "worker", "text")
}
_LAST = frozenset(word_list("planfields.last"))
_FEWEST = 3  # values of an enumeration that are workers though its name does not say so


_WANTS_PLAN = regex(r"\b(?:plan|decompose|break (?:it |the request )?down|split)\b", re.IGNORECASE)
_WORKER_KEYS = ("worker", "agent", "assignee", "assigned_to", "who", "executor")
_TEXT_KEYS = ("description", "task", "instruction", "words", "what")
_AFTER_KEYS = ("depends_on", "dependencies", "after", "needs", "requires")
_LIST_KEYS = ("tasks", "steps")
_WHOLE_KEYS = ("goal", "final_instruction")


def plan_schema(told: str) -> Schema | None:
    """The usual shape of a plan, when a text asks for a plan and lists workers; its fields are
    called as the text calls them."""
    if not _WANTS_PLAN.search(told) or not workers_in(told):
        return None
    texts, ids = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
    row: dict[str, Schema] = {"id": texts}
    row |= {_called(keys, told): texts for keys in (_TEXT_KEYS, _WORKER_KEYS)}
    row[_called(_AFTER_KEYS, told)] = ids
    rows = {"type": "array", "items": {"type": "object", "properties": row, "required": [*row]}}
    whole = {k: texts for k in _WHOLE_KEYS if re.search(rf"\b{k}\b", told)}
    fields = {**whole, _called(_LIST_KEYS, told): rows}
    return {"type": "object", "properties": fields, "required": list(fields)}


def _called(keys: tuple[str, ...], told: str) -> str:
    """The name of a field: one that the text puts in quotes or in a list, or else the usual one."""
    quoted = next((k for k in keys if re.search(rf"[\"'`]{k}[\"'`]", told)), None)
    return quoted or next((k for k in keys if re.search(rf"\b{k}\b", told)), keys[0])


def _roles(fields: tuple[Param, ...]) -> dict[str, str]:
    """What the fields of a task are for, by name: its id, its worker, what it waits for, its text.
    A worker is also what has the longest enumeration, when no name says whose it is."""
    roles: dict[str, str] = {}
    for use, words in _NAMED.items():
        named = [p.name for p in fields if set(name_words(p.name)) & words and p.name not in roles]
        if use == "worker" and not named:
            listed = [p for p in fields if len(p.options) >= _FEWEST and p.name not in roles]
            named = [p.name for p in sorted(listed, key=lambda p: -len(p.options))]
        roles |= dict.fromkeys(named[:1] if use in ("id", "worker") else named, use)
    return roles


def _rows(schema: Schema, root: Schema) -> Param | None:
    """The property that lists tasks: objects with an id or text, and a worker or an order."""
    for param in params(schema, root):
        items = follow(as_schema(param.schema.get("items")), root) if param.kind == "array" else {}
        if type_of(items) == "object" and items:
            fields = params(items, root)
            told = {*_roles(fields).values()}
            named = any(set(name_words(p.name)) & _NAMED["worker"] for p in fields)
            if "text" in told and ("after" in told or (named and "id" in told)):
                return param
    return None


def _inner(param: Param, root: Schema) -> Schema | None:
    """The plan that a property holds whole, if it does."""
    inner = follow(param.schema, root) if param.type == "object" else {}
    return inner if inner and _rows(inner, root) is not None else None


def is_plan(schema: Schema, root: Schema) -> bool:
    """Whether a schema describes a plan, or an object with one in it: tasks with an id or text,
    and workers or dependencies."""
    return _rows(schema, root) is not None or any(_inner(p, root) for p in params(schema, root))


def _workers(items: Schema, root: Schema, guides: tuple[str, ...]) -> tuple[str, ...]:
    """The workers that a task may have: as the schema lists them, or else a text."""
    fields = params(items, root)
    roles = _roles(fields)
    for options in (p.options for p in fields if roles.get(p.name) == "worker"):
        if options:
            return tuple(o for o in options if isinstance(o, str))
    return next((w for t in guides if (w := workers_in(t))), ())


def plan_value(schema: Schema, root: Schema, talk: Talk) -> dict[str, Any]:
    """The request in hand as a plan in the schema's own field names."""
    rows = _rows(schema, root)
    if rows is None:
        held = {p.name: _inner(p, root) for p in params(schema, root)}
        return {name: plan_value(inner, root, talk) for name, inner in held.items() if inner}
    items = follow(as_schema(rows.schema.get("items")), root)
    guides = (talk.instructions, talk.material, talk.latest)
    workers = _workers(items, root, guides)
    request = _own(" ".join((talk.request, *talk.answers)), workers)
    made = plan(request, workers, guides, rows.schema.get("maxItems", 12))
    out: dict[str, Any] = {}
    for param in params(schema, root):
        if param.name == rows.name:
            out[param.name] = _Table(params(items, root), root, made.tasks).rows()
        elif set(name_words(param.name)) & _LAST and param.type == "string":
            out[param.name] = _last_words(made, request)
        elif param.required or param.type == "string":
            plain = param.type == "string" and "enum" not in param.schema
            out[param.name] = request if plain else minimal(param.raw, root)
    return out


def _own(request: str, workers: tuple[str, ...]) -> str:
    """A request without the paragraphs up to the one that lists the workers, where it lists them
    itself."""
    kept = re.split(r"\n\s*\n", request.strip())
    lists = [
        n for n, p in enumerate(kept) if sum(w in p for w in workers) > max(1, len(workers) / 2)
    ]
    after = kept[lists[-1] + 1 :] if lists else []
    return "\n\n".join(after or kept)


def _last_words(made: Plan, request: str) -> str:
    """How the results become one answer, with what the request wants of it and what nobody can do;
    or why there is no plan."""
    if not made.tasks:
        return f"No worker can do what is asked: {request}"
    told = list(brief_of(request).form)
    if made.unserved:
        told.append(f"Say that no worker is there for this: {'; '.join(made.unserved)}.")
    return (
        " ".join(["Answer the request from the results of the tasks.", *told]) if told else request
    )


@dataclass(frozen=True)
class _Table:
    """The tasks of a plan in the fields of a schema."""

    fields: tuple[Param, ...]
    root: Schema
    tasks: tuple[PlanTask, ...]

    def rows(self) -> list[dict[str, Any]]:
        """The tasks, each with the fields that are required or have a value."""
        roles = _roles(self.fields)
        out = []
        for task in self.tasks:
            row = {p.name: self._cell(roles.get(p.name), p, task) for p in self.fields}
            out.append({
                p.name: minimal(p.raw, self.root) if row[p.name] is None else row[p.name]
                for p in self.fields if row[p.name] is not None or p.required
            })  # fmt: skip
        return out

    def _cell(self, role: str | None, param: Param, task: PlanTask) -> Any:
        if role == "id":
            return self._id(task)
        if role == "worker":
            return task.worker or None
        if role == "text" and param.type == "string":
            return task.text
        if role == "after":
            ids = [self._id(self.tasks[a - 1]) for a in task.after]
            if param.type == "array":
                return ids
            return ", ".join(map(str, ids)) if param.type == "string" else next(iter(ids), None)
        limits = {"constraints", "constraint"} & set(name_words(param.name))
        return constraints(task.text) if limits and param.type == "string" else None

    def _id(self, task: PlanTask) -> str | int:
        param = next((p for p in self.fields if _roles(self.fields).get(p.name) == "id"), None)
        if param is None:
            return task.worker
        if param.type in ("integer", "number"):
            return task.place
        shown = re.search(r"\b([a-z]+[_-]?)1\b", param.description)
        pattern = str(param.schema.get("pattern", ""))
        shown = shown or re.match(r"\^?\(?([A-Za-z]+[_-]?)(?=\[|\\d)", pattern)
        return f"{shown.group(1) if shown else 't'}{task.place}"
