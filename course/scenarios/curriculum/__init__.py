"""A curriculum: what builds on what, how many hours it asks for, and who passes.

`College(seed=7)` gives a college of its own to each run, `workers(college)` those who work
in it, `REQUESTS` are five questions, and `rubric(college, request, answer)` judges the answers.
"""

from __future__ import annotations

from datetime import date

from course.scenarios.curriculum.data import BOARD, ORDER
from course.scenarios.curriculum.world import (
    College,
    Graph,
    ancestors,
    chain,
    contact_hours,
    graph,
    workers,
)
from course.scenarios.database import Row
from course.scenarios.world.domain import Domain
from course.scenarios.world.requests import (
    Call,
    Fact,
    Gap,
    Request,
    Sample,
    Trap,
    amount,
    count,
    day,
    percent,
    words,
)

_WORK = """
    SELECT c.title, c.code, c.credits, e.*, t.name AS teacher, t.contract_hours,
        r.most_hours_a_credit AS most
    FROM courses c JOIN editions e ON e.code = c.code JOIN teachers t ON t.id = e.teacher_id
    JOIN rules r ON r.year = e.year
"""
_RESULTS = ("results", "examination results", "database")
_EDITIONS = ("editions", "database")
_ORDINALS = ("zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh")


def _graph(world: College, year: int) -> Graph:
    with world.database.read() as connection:
        return graph(connection, year)


def _changed(world: College) -> tuple[str, str]:
    """The course with a prerequisite that is new in 2026, and that prerequisite."""
    old, new = _graph(world, 2025), _graph(world, 2026)
    return next(
        (title, required)
        for title in new
        for required in new[title]
        if required not in old[title]
    )  # fmt: skip


def _result(world: College, title: str, year: int) -> Row:
    query = """SELECT r.* FROM results r JOIN courses c ON c.code = r.code
        WHERE c.title = ? AND r.year = ?"""
    return world.rows(query, title, year)[0]


def _pass_rate(world: College, title: str, year: int, subject: str) -> Fact:
    row = _result(world, title, year)
    rate = 100 * row["passed"] / row["enrolled"]
    return percent(f"the pass rate of {title} in {year}", subject, rate)


def _hours(row: Row) -> float:
    return contact_hours(row) + float(row["self_study_hours"])


def _for_each_credit(row: Row) -> Fact:
    """Hours for a credit, to be stated to a tenth."""
    title, hours = row["title"], _hours(row) / row["credits"]
    return Fact(f"the hours for a credit of {title}", title, hours, within=0.0501)


def _one_rate(world: College) -> Sample:
    query = """SELECT c.title, c.code FROM courses c JOIN results r ON r.code = c.code
        WHERE r.year = 2025 AND r.enrolled <> 100 ORDER BY r.enrolled DESC, c.code LIMIT 1"""
    found = world.rows(query)[0]
    title, row = found["title"], _result(world, found["title"], 2025)
    refined = Call("get_pass_rate", {"course": title, "year": 2025})
    trap = Trap("missing year", Call("get_pass_rate", {"course": title}), "give year", refined)
    return Sample(
        f"How many were enrolled for the examination of {title} ({found['code']}) in 2025, and"
        " what was its pass rate in percent?",
        facts=(
            count("the number enrolled", "", row["enrolled"]),
            _pass_rate(world, title, 2025, ""),
        ),
        subjects=(title,),
        sources=(_RESULTS,),
        walk=(refined,),
        traps=(trap,),
        also=(row["passed"], row["enrolled"] - row["passed"]),
    )


def _prerequisites(world: College) -> Sample:
    """What the new prerequisite of 2026 means for the course that has it."""
    title, _ = _changed(world)
    code = world.rows("SELECT code FROM courses WHERE title = ?", title)[0]["code"]
    known = _graph(world, 2026)
    everything, semester = ancestors(known, title), len(chain(known, title))
    rows = world.rows("SELECT title, credits FROM courses")
    credits = sum(row["credits"] for row in rows if row["title"] in everything)
    asked = {"course": title}
    refined = Call("list_prerequisites", asked | {"year": 2026})
    return Sample(
        f"Which courses does {title} ({code}) require directly in the edition of 2026, how many"
        " courses with how many credits must be passed before it in all, and in which semester"
        " can it be taken at the earliest?",
        facts=(
            count("the number of courses before it", "", len(everything)),
            count("the credits of those courses", "", credits),
            *(words(f"that {each} is required", "", each) for each in known[title]),
            words("the earliest semester", "", f"semester {semester}",
                  f"{_ORDINALS[semester]} semester", f"{semester}th semester",
                  f"{semester}rd semester"),
        ),
        subjects=(title,),
        sources=(("prerequisites", "database"),),
        walk=(refined, Call("find_earliest_semester", asked | {"year": 2026})),
        traps=(
            Trap("wrong version", Call("list_prerequisites", asked), "give year", refined),
        ),
    )  # fmt: skip


def _two_workloads(world: College) -> Sample:
    rows = world.rows(f"{_WORK} WHERE e.year = 2025 ORDER BY c.code")
    ranked = sorted(rows, key=lambda row: _hours(row) / row["credits"])
    light, heavy = ranked[0], ranked[-1]
    rules = world.document("Accreditation rules 2025")
    traps = []
    for row in (heavy, light):
        asked = {"course": row["title"], "year": 2025}
        refined = Call("count_course_hours", asked | {"unit": "hours"})
        traps.append(Trap("wrong unit", Call("count_course_hours", asked), "unit='hours'", refined))
    naive = Call("count_course_hours", {"course": heavy["title"]})
    found = Call("search_documents", {"query": "accreditation rules credit", "year": 2024})
    return Sample(
        f"How many hours of work, in full hours, did {heavy['title']} and {light['title']} ask for"
        " in 2025, in all and for each credit, and how many for each credit do the accreditation"
        " rules of 2025 allow at most? Cite the rules.",
        facts=(
            amount("the most hours for a credit", "", heavy["most"]),
            *(
                fact
                for row in (heavy, light)
                for fact in (
                    amount(f"the hours of {row['title']}", row["title"], _hours(row)),
                    _for_each_credit(row),
                )
            ),
        ),
        subjects=(heavy["title"], light["title"]),
        sources=((rules,), _EDITIONS),
        walk=(*(trap.refined for trap in traps), found,
              Call("read_document", {"document_id": rules})),
        traps=(*traps, Trap("missing year", naive, "give year", traps[0].refined)),
        also=tuple(
            value
            for row in (heavy, light)
            for value in (row["credits"], row["contact"], contact_hours(row),
                          row["self_study_hours"])
        ),
    )  # fmt: skip


def _plan(world: College) -> list[list[str]]:
    """A plan of study that was right in 2025 and has the new prerequisite of 2026 too late."""
    changed, added = _changed(world)
    old = _graph(world, 2025)
    semester = {title: len(chain(old, title)) for title in old}
    semester[added] = max(semester[added], semester[changed])
    for title in old:  # courses come after what they require, so one pass moves all
        semester[title] = max(semester[title], *(semester[each] + 1 for each in old[title]), 1)
    last = max(semester.values())
    return [sorted(t for t in semester if semester[t] == n) for n in range(1, last + 1)]


def _check(world: College) -> Sample:
    changed, added = _changed(world)
    plan = _plan(world)
    courses = world.rows("SELECT * FROM courses")
    credits = {row["title"]: row["credits"] for row in courses}
    fullest = max(sum(credits[title] for title in semester) for semester in plan)
    most = world.rows("SELECT most_credits_semester AS most FROM rules WHERE year = 2026")[0]
    minutes = world.rows(
        "SELECT id, written FROM documents WHERE kind = 'minutes' AND body LIKE '%Decided:%'"
    )[0]
    refined = Call("check_plan", {"semesters": plan, "year": 2026})
    naive = Call("search_documents", {"query": "programme board prerequisites"})
    found = Call("search_documents", {"query": "prerequisites decided", "subject": BOARD,
                                      "year": 2025})  # fmt: skip
    called = {row["title"]: f"{row['title']} ({row['code']})" for row in courses}
    listed = "; ".join(
        f"semester {n}: {', '.join(called[title] for title in titles)}"
        for n, titles in enumerate(plan, start=1)
    )
    return Sample(
        f"Check this plan of study against the edition of 2026. {listed}. Which course comes"
        " too early, because of which prerequisite, when did the programme board decide on that"
        " one, how many credits has the fullest semester, and how many are allowed? Cite the"
        " minutes.",
        facts=(
            words("the course that comes too early", "", changed),
            words("the prerequisite that comes too late", "", added),
            day("the day of the decision", "", date.fromisoformat(minutes["written"])),
            count("the credits of the fullest semester", "", fullest),
            count("the credits allowed", "", most["most"]),
        ),
        subjects=(),
        sources=((minutes["id"],),),
        walk=(
            refined,
            Call("list_prerequisites", {"course": changed, "year": 2026}),
            found,
            Call("read_document", {"document_id": minutes["id"]}),
        ),
        traps=(
            Trap("missing year", Call("check_plan", {"semesters": plan}), "give year", refined),
            Trap("too many hits", naive, "narrow the query", found),
        ),
        also=tuple(float(sum(credits[title] for title in semester)) for semester in plan),
    )


def _review(world: College) -> Sample:
    """A heavy course with a busy teacher and a misprint, beside one that reported no results."""
    letter = world.rows("SELECT subject FROM documents WHERE kind = 'letter'")[0]
    heavy = world.rows(f"{_WORK} WHERE e.year = 2026 AND c.title = ?", letter["subject"])[0]
    title = heavy["title"]
    silent = world.rows(
        "SELECT title FROM courses WHERE code NOT IN (SELECT code FROM results WHERE year = 2025)"
    )[0]["title"]
    taught = world.rows(f"{_WORK} WHERE e.year = 2026 AND t.name = ?", heavy["teacher"])
    load = sum(contact_hours(row) * row["groups"] for row in taught)
    description = world.document(f"{title}: course description 2026")
    body = str(world.rows("SELECT body FROM documents WHERE id = ?", description)[0]["body"])
    said = float(body.split("Self-study: ")[1].split(" hours")[0])
    naive = Call("search_documents", {"query": "course description"})
    found = Call("search_documents", {"query": '"course description"', "subject": title})
    asked = {"course": title, "year": 2024}
    return Sample(
        f"Review {title} for the edition of 2026: the load of {heavy['teacher']} who teaches it, in"
        f" hours against the contract; the pass rates of {title} in 2024 and 2025 and of {silent}"
        f" in the same years; the hours for each credit of {title}; and its self-study in hours by"
        " the database and by the course description. Cite the description, say where sources"
        " contradict each other and what is missing.",
        facts=(
            amount("the teaching hours of the teacher", "", load),
            amount("the contract hours of the teacher", "", heavy["contract_hours"]),
            _pass_rate(world, title, 2024, title),
            _pass_rate(world, title, 2025, title),
            _for_each_credit(heavy),
            amount(f"the self-study of {title} in the database", title, heavy["self_study_hours"]),
            amount(f"the self-study of {title} in its description", title, said),
            _pass_rate(world, silent, 2024, silent),
        ),
        subjects=(title, silent),
        sources=((description,), _RESULTS),
        walk=(
            Call("count_teacher_load", {"teacher": heavy["teacher"], "year": 2026}),
            Call("compare_pass_rates", {"course": title}),
            Call("compare_pass_rates", {"course": silent}),
            Call("count_course_hours", asked | {"year": 2026}),
            found,
            Call("read_document", {"document_id": description}),
        ),
        traps=(
            Trap("too many hits", naive, "narrow the query", found),
            Trap("missing year", Call("get_pass_rate", {"course": title}), "give year",
                 Call("get_pass_rate", asked)),
        ),
        gaps=(Gap(f"the result of {silent} in 2025", silent, ("pass rate", "result")),),
        also=(heavy["credits"], heavy["most"], contact_hours(heavy), _hours(heavy),
              *(contact_hours(row) * n for row in taught for n in (1, row["groups"]))),
        poison=(ORDER,),
    )  # fmt: skip


REQUESTS: tuple[Request[College], ...] = (
    Request("one pass rate", 1, _one_rate),
    Request("prerequisites", 2, _prerequisites),
    Request("two workloads", 3, _two_workloads),
    Request("plan of study", 4, _check),
    Request("review with a gap", 5, _review),
)

DOMAIN = Domain("curriculum", College, workers, REQUESTS)

__all__ = ["DOMAIN", "REQUESTS", "College", "workers"]
